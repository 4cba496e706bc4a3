#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// An answer whose status says that all is well.
public struct SuccessResponse<T: Sendable>: ResponseInterface {
    /// What the answer carries.
    public let data: T
    /// The status.
    public let statusCode: StatusCode
    package let head: ResponseHead

    /// The answer as Foundation has it. Made on each call.
    public var httpResponse: HTTPURLResponse { head.httpResponse }
    /// The request that was answered, as it was sent. Made on each call.
    public var urlRequest: URLRequest { head.urlRequest }
    /// The header fields.
    public var headers: HTTPHeaders { head.headers }

    /// Creates an answer.
    public init(
        data: T, httpResponse: HTTPURLResponse, urlRequest: URLRequest, statusCode: StatusCode
    ) {
        self.init(data: data, head: .foundation(httpResponse, urlRequest), statusCode: statusCode)
    }

    package init(data: T, head: ResponseHead, statusCode: StatusCode) {
        self.data = data
        self.head = head
        self.statusCode = statusCode
    }

    /// Creates an answer with something else as its data, such as what the bytes were decoded into.
    public init<U: ResponseInterface>(data: T, response: U) {
        self.init(data: data, head: response.head, statusCode: response.statusCode)
    }
}
