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

/// An answer whose status says no.
public struct ErrorResponse<T: Sendable>: ResponseInterface {
    /// What the answer carries.
    public let data: T
    /// The status.
    public let statusCode: StatusCode
    /// What the status says.
    public let error: ResponseError
    package let head: ResponseHead

    /// The answer as Foundation has it. Made on each call.
    public var httpResponse: HTTPURLResponse { head.httpResponse }
    /// The request that was answered, as it was sent. Made on each call.
    public var urlRequest: URLRequest { head.urlRequest }
    /// The header fields.
    public var headers: HTTPHeaders { head.headers }

    /// Creates an answer.
    public init(
        data: T, httpResponse: HTTPURLResponse, urlRequest: URLRequest, statusCode: StatusCode, error: ResponseError
    ) {
        self.init(data: data, head: .foundation(httpResponse, urlRequest), statusCode: statusCode, error: error)
    }

    package init(data: T, head: ResponseHead, statusCode: StatusCode, error: ResponseError) {
        self.data = data
        self.head = head
        self.statusCode = statusCode
        self.error = error
    }

    /// Creates an error from an answer, with something else as its data.
    public init<U: ResponseInterface>(data: T, response: U, error: ResponseError) {
        self.init(data: data, head: response.head, statusCode: response.statusCode, error: error)
    }

    /// Creates an error with something else as its data, such as what the bytes were decoded into.
    public init<U>(data: T, response: ErrorResponse<U>) {
        self.init(data: data, head: response.head, statusCode: response.statusCode, error: response.error)
    }
}
