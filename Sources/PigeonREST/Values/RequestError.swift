public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The error of a request, with a message that can be shown to users.
///
/// ```swift
/// resource.load().onFailure { error in
///     label.text = error.userMessage
///     if error.cause is RequestError.Cause.UnparsableImage { useDefaultImage() }
/// }
/// ```
public struct RequestError: Error {
    /// The message for the user.
    public var userMessage: String

    /// The status of the answer, if there was one.
    public var httpStatusCode: Int?

    /// The body of the answer, processed by the pipeline's transformers that handle errors.
    ///
    /// If a transformer failed, this is the original body. An answer without a body has an empty one. `nil` if no
    /// complete answer arrived, and for a 304 answer to a request without cached content.
    public var entity: Entity<any Sendable>?

    /// The underlying error: a cause of ``Cause``, or the error of a transport or a transformer. `nil` if only the
    /// status is an error.
    public var cause: (any Error)?

    /// The time of the error, in seconds since January 1, 2001. For requests of a resource, by its client's clock.
    public package(set) var timestamp: TimeInterval

    /// The URL of the request, if it is known.
    public package(set) var url: URL?

    /// Creates the error of a failed request, with or without an answer.
    ///
    /// - Parameters:
    ///   - response: The answer, if there was one.
    ///   - content: The body of the answer.
    ///   - cause: The underlying error.
    ///   - userMessage: The message for the user. By default the text of the cause, or else of the status.
    public init(
        response: HTTPURLResponse?, content: (any Sendable)?, cause: (any Error)?, userMessage: String? = nil
    ) {
        let status = response?.statusCode
        self.init(
            userMessage: userMessage ?? cause.map(UserMessage.of) ?? UserMessage.of(status: status), cause: cause,
            entity: content.map { Entity(response: response, content: $0) })
        httpStatusCode = status
        url = response?.url
    }

    /// Creates a custom error.
    ///
    /// - Parameters:
    ///   - userMessage: The message for the user.
    ///   - cause: The underlying error.
    ///   - entity: The body of the answer.
    public init(userMessage: String, cause: (any Error)?, entity: Entity<any Sendable>? = nil) {
        self.userMessage = userMessage
        self.cause = cause
        self.entity = entity
        httpStatusCode = entity?.statusCode
        timestamp = Date.timeIntervalSinceReferenceDate
    }

    /// Creates the error of a cause, with the cause's message for users. A cause that is a request error itself is
    /// copied.
    package init(_ cause: any Error, url: URL? = nil) {
        if let error = cause as? RequestError {
            self = error
            return
        }
        self.init(userMessage: UserMessage.of(cause), cause: cause)
        self.url = url
    }

    /// Creates the error of a transformer's failure. A request error is copied.
    init(ofTransform error: any Error) {
        self = error as? RequestError ?? RequestError(userMessage: UserMessage.unparsable, cause: error)
    }
}
