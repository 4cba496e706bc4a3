#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension Response {
    /// Creates a response with the status of Foundation's.
    public init(data: T, urlRequest: URLRequest, httpResponse: HTTPURLResponse) {
        let status = StatusCode(rawValue: httpResponse.statusCode)
        self.init(
            data: data, httpResponse: httpResponse, urlRequest: urlRequest, statusCode: status,
            error: status.makeError(cause: nil))
    }

    /// The error for a status outside of 100 to 399: ``HTTPError/status(_:)`` with this response.
    public var httpError: HTTPError? {
        error.map { .status(ErrorResponse(data: (data as? Data?) ?? nil, response: self, error: $0)) }
    }
}
