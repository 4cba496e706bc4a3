public import Foundation
public import PigeonBase
internal import PigeonHTTP

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The error of a request, with a message that can be shown to users.
///
/// ```swift
/// resource.load().onFailure { error in
///     label.text = error.userMessage
///     if error.cause is ResourceRequestError.Cause.UnparsableImage { useDefaultImage() }
/// }
/// ```
public struct RequestError: Error {
    /// The message for the user.
    public var userMessage: String

    /// The status of the response, if there was one.
    public var httpStatusCode: Int?

    /// The body of the response, processed by the pipeline's transformers that handle errors.
    ///
    /// If a transformer failed, this is the original body. For a response without a body, it is an empty body. `nil` if
    /// no complete response arrived, and for a 304 response to a request without cached content.
    public var entity: Entity<any Sendable>?

    /// The underlying error: a cause of ``Cause``, or the error of a transport or a transformer. `nil` if only the
    /// status is an error.
    public var cause: (any Error)?

    /// The time of the error, in seconds since January 1, 2001. For requests of a resource, by its client's clock.
    public package(set) var timestamp: TimeInterval

    /// The URL of the request, if it is known.
    public package(set) var url: URL?

    /// True if the program's own part in the request failed, such as an adapter, so that the server has refused nothing.
    public package(set) var isLocal = false

    /// Creates the error of a failed request, with or without a response.
    ///
    /// - Parameters:
    ///   - response: The response, if there was one.
    ///   - content: The body of the response.
    ///   - cause: The underlying error.
    ///   - userMessage: The message for the user. The default is the text of the cause, or of the status if there
    ///     is no cause.
    public init(
        response: HTTPURLResponse?, content: (any Sendable)?, cause: (any Error)?, userMessage: String? = nil
    ) {
        self.init(head: response.map(Reply.Head.init), content: content, cause: cause, userMessage: userMessage)
    }

    init(head: Reply.Head?, content: (any Sendable)?, cause: (any Error)?, userMessage: String? = nil) {
        let status = head?.status
        self.init(
            userMessage: userMessage ?? cause.map(UserMessage.of) ?? UserMessage.of(status: status), cause: cause,
            entity: content.map { Entity(head: head, content: $0) })
        httpStatusCode = status
        url = head?.url
    }

    /// Creates a custom error.
    ///
    /// - Parameters:
    ///   - userMessage: The message for the user.
    ///   - cause: The underlying error.
    ///   - entity: The body of the response.
    public init(userMessage: String, cause: (any Error)?, entity: Entity<any Sendable>? = nil) {
        self.userMessage = userMessage
        self.cause = cause
        self.entity = entity
        httpStatusCode = entity?.statusCode
        timestamp = Date.timeIntervalSinceReferenceDate
    }

    /// Creates an error with a cause, and with the cause's message for users. If the cause is a request error, creates
    /// a copy of it.
    package init(_ cause: any Error, url: URL? = nil) {
        if let error = cause as? RequestError {
            self = error
            return
        }
        self.init(userMessage: UserMessage.of(cause), cause: cause)
        self.url = url
    }

    /// Creates the error of a failed transformer. If the failure is a request error, creates a copy of it.
    init(ofTransform error: any Error) {
        self = error as? RequestError ?? RequestError(userMessage: UserMessage.unparsable, cause: error)
    }
}

/// Another name of ``RequestError``, which no type of `PigeonHTTP` has. Use it where both modules are imported.
public typealias ResourceRequestError = RequestError

extension RequestError {
    /// True if the request was cancelled by the program, by its task, or by the session.
    public var isCancellation: Bool {
        switch cause {
        case is Cause.RequestCancelled: true
        case let error as URLError: error.code == .cancelled
        case let error as RequestError: error.isCancellation
        case let error?: TransientError.isCancellation(error)
        case nil: false
        }
    }
}

extension RequestError {
    static func cancelled(_ networkError: (any Error)?, at date: Date = Date()) -> RequestError {
        var error = RequestError(Cause.RequestCancelled(networkError: networkError))
        error.timestamp = date.timeIntervalSinceReferenceDate
        return error
    }
}

extension RequestError: TransientErrorType {
    /// The same as ``httpStatusCode``, for retry policies.
    public var statusCode: Int? { httpStatusCode }

    /// The time to wait before a retry, if the server specified one.
    public var retryAfter: Duration? {
        (cause as? any TransientErrorType)?.retryAfter ?? entity.flatMap { HTTPHeaders($0.headers).retryAfter() }
    }

    /// True if a retry may help.
    public var isTransient: Bool {
        httpStatusCode.map(TransientError.isTransient(status:)) ?? cause.map(TransientError.isTransient) ?? false
    }
}

extension RequestError: PlainlyDescribedError {
    /// Describes the error for logs. Contains no header value, body, query or credentials.
    public var description: String {
        var parts: [String] = []
        if let httpStatusCode { parts.append("status \(httpStatusCode)") }
        if let cause { parts.append(TransientError.label(cause)) }
        if parts.isEmpty { parts.append("failed") }
        let place = url.map { " (\($0.plainDescription))" } ?? ""
        return "the request failed: \(parts.joined(separator: ", "))\(place)"
    }
}

extension RequestError: LocalizedError {
    /// The same as ``userMessage``.
    public var errorDescription: String? { userMessage }
}
