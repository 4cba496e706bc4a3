internal import Foundation

extension HTTPError {
    /// Creates the error of a status without a request, for tests and scripted servers:
    ///
    /// ```swift
    /// server.fail(with: HTTPError.status(422, message: "The name is taken."))
    /// ```
    ///
    /// It is the error that a dispatcher throws for such a response. Its request is `GET https://scripted.invalid/`.
    ///
    /// - Parameters:
    ///   - number: The status, such as 404.
    ///   - body: The body, in UTF-8. An empty text is no body.
    ///   - message: The server's message for users, as ``HTTPPolicy/errorMessage`` would read it from the body.
    ///   - headers: The header fields, such as `Retry-After`.
    public static func status(
        _ number: Int, _ body: String = "", message: String? = nil, headers: HTTPHeaders = [:]
    ) -> HTTPError {
        let status = StatusCode(rawValue: number)
        let data = body.isEmpty ? nil : Data(body.utf8)
        return .status(
            ErrorResponse(
                data: data, head: .transported(.scripted, status: number, headers: headers), statusCode: status,
                error: status.makeError(cause: nil) ?? .unknown(cause: nil), message: message))
    }
}

extension TransportRequest {
    /// The request of an error that no request caused.
    fileprivate static var scripted: TransportRequest {
        let url = URL(string: "https://scripted.invalid/") ?? URL(fileURLWithPath: "/")
        return TransportRequest(method: .get, url: url)
    }
}
