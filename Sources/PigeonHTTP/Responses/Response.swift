#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// An answer, whatever its status.
public struct Response<T: Sendable>: ResponseInterface {
    /// What the answer carries.
    public let data: T
    /// The status.
    public let statusCode: StatusCode
    /// What a status of 400 or more says; `nil` below.
    public let error: ResponseError?
    package let head: ResponseHead

    /// The answer as Foundation has it. Made on each call.
    public var httpResponse: HTTPURLResponse { head.httpResponse }
    /// The request that was answered, as it was sent. Made on each call.
    public var urlRequest: URLRequest { head.urlRequest }
    /// The header fields.
    public var headers: HTTPHeaders { head.headers }

    /// Creates an answer.
    public init(
        data: T, httpResponse: HTTPURLResponse, urlRequest: URLRequest, statusCode: StatusCode, error: ResponseError?
    ) {
        self.init(data: data, head: .foundation(httpResponse, urlRequest), statusCode: statusCode, error: error)
    }

    package init(data: T, head: ResponseHead, statusCode: StatusCode, error: ResponseError?) {
        self.data = data
        self.head = head
        self.statusCode = statusCode
        self.error = error
    }

    /// The same answer with something else as its data.
    func withData<Other>(_ data: Other) -> Response<Other> {
        Response<Other>(data: data, head: head, statusCode: statusCode, error: error)
    }
}
