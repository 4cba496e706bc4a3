#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A response, whatever its status.
public struct Response<T: Sendable>: ResponseInterface {
    /// The body in some form: bytes, or the value decoded from them.
    public let data: T
    /// The status.
    public let statusCode: StatusCode
    /// The meaning of a status of 400 or more, or below 100. Otherwise `nil`.
    public let error: ResponseError?
    package let head: ResponseHead
    /// Reads the server's message for users, if the response is an error.
    var messageReader: HTTPPolicy.MessageReader?

    /// The response as Foundation's type. Created on each call.
    public var httpResponse: HTTPURLResponse { head.httpResponse }
    /// The request of this response, as it was sent. Created on each call.
    public var urlRequest: URLRequest { head.urlRequest }
    /// The header fields.
    public var headers: HTTPHeaders { head.headers }

    /// Creates a response.
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

    package func withData<Other>(_ data: Other) -> Response<Other> {
        var other = Response<Other>(data: data, head: head, statusCode: statusCode, error: error)
        other.messageReader = messageReader
        return other
    }
}

/// Another name of ``Response``, which no type of `PigeonREST` has. Use it where both modules are imported.
public typealias DispatcherResponse<T: Sendable> = Response<T>

/// A response with a status that means success.
public struct SuccessResponse<T: Sendable>: ResponseInterface {
    /// The body in some form: bytes, or the value decoded from them.
    public let data: T
    /// The status.
    public let statusCode: StatusCode
    package let head: ResponseHead

    /// The response as Foundation's type. Created on each call.
    public var httpResponse: HTTPURLResponse { head.httpResponse }
    /// The request of this response, as it was sent. Created on each call.
    public var urlRequest: URLRequest { head.urlRequest }
    /// The header fields.
    public var headers: HTTPHeaders { head.headers }

    /// Creates a response.
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

    /// Creates a response with other data, such as the value that the bytes were decoded into.
    public init<U: ResponseInterface>(data: T, response: U) {
        self.init(data: data, head: response.head, statusCode: response.statusCode)
    }
}

/// A response with a status that means an error.
public struct ErrorResponse<T: Sendable>: ResponseInterface {
    /// The body in some form: bytes, or the value decoded from them.
    public let data: T
    /// The status.
    public let statusCode: StatusCode
    /// The meaning of the status.
    public let error: ResponseError
    package let head: ResponseHead
    /// The server's message for users. `nil` if it sent none, or if the policy does not read it.
    package let message: String?

    /// The response as Foundation's type. Created on each call.
    public var httpResponse: HTTPURLResponse { head.httpResponse }
    /// The request of this response, as it was sent. Created on each call.
    public var urlRequest: URLRequest { head.urlRequest }
    /// The header fields.
    public var headers: HTTPHeaders { head.headers }

    /// Creates a response.
    public init(
        data: T, httpResponse: HTTPURLResponse, urlRequest: URLRequest, statusCode: StatusCode, error: ResponseError
    ) {
        self.init(data: data, head: .foundation(httpResponse, urlRequest), statusCode: statusCode, error: error)
    }

    package init(
        data: T, head: ResponseHead, statusCode: StatusCode, error: ResponseError, message: String? = nil
    ) {
        self.data = data
        self.head = head
        self.statusCode = statusCode
        self.error = error
        self.message = message
    }

    /// Creates an error response from another response, with other data.
    public init<U: ResponseInterface>(data: T, response: U, error: ResponseError) {
        self.init(
            data: data, head: response.head, statusCode: response.statusCode, error: error,
            message: response.serverMessage)
    }

    /// Creates an error response with other data, such as the value that the bytes were decoded into.
    public init<U>(data: T, response: ErrorResponse<U>) {
        self.init(
            data: data, head: response.head, statusCode: response.statusCode, error: response.error,
            message: response.message)
    }
}
