public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension Response where T == Data? {
    /// Makes an answer to a request, for a dispatcher of one's own in a test.
    ///
    /// - Parameters:
    ///   - urlRequest: What was asked.
    ///   - data: The body.
    ///   - statusCode: The status.
    ///   - headers: The header fields.
    /// - Throws: ``RequestError/missingURL`` when the request has no address, and ``RequestError/invalidURL(cause:)`` when
    ///   Foundation makes no answer of it.
    public static func makeMockResponse(
        with urlRequest: URLRequest, data: Data? = nil, statusCode: StatusCode, headers: [String: String] = [:]
    ) throws(RequestError) -> Response<Data?> {
        guard let url = urlRequest.url else { throw .missingURL }
        let made = HTTPURLResponse(
            url: url, statusCode: statusCode.rawValue, httpVersion: "HTTP/1.1", headerFields: headers)
        guard let made else { throw .invalidURL(cause: URLError(.badURL)) }
        return Response(
            data: data, httpResponse: made, urlRequest: urlRequest, statusCode: statusCode,
            error: statusCode.makeError(cause: nil))
    }

    /// Makes an answer whose body is a value as JSON.
    ///
    /// - Parameters:
    ///   - urlRequest: What was asked.
    ///   - encodable: The body.
    ///   - statusCode: The status.
    ///   - headers: The header fields; `Content-Type` is added where they have none.
    ///   - encoder: Writes the value. By default one that writes dates as RFC 3339 has them.
    /// - Throws: ``RequestError/missingURL`` when the request has no address, and what the encoder throws.
    public static func makeMockJSONResponse(
        with urlRequest: URLRequest, encodable: some Encodable, statusCode: StatusCode,
        headers: [String: String] = [:], encoder: JSONEncoder? = nil
    ) throws -> Response<Data?> {
        var headers = HTTPHeaders(headers)
        headers["Content-Type"] = headers["Content-Type"] ?? "application/json"
        return try makeMockResponse(
            with: urlRequest, data: try (encoder ?? .rfc3339).encode(encodable), statusCode: statusCode,
            headers: headers.dictionary)
    }
}
