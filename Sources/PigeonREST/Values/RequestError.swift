public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Why there is nothing of a request, with a text that can be shown.
///
/// ```swift
/// resource.load().onFailure { error in
///     label.text = error.userMessage
///     if error.cause is RequestError.Cause.UnparsableImage { useDefaultImage() }
/// }
/// ```
public struct RequestError: Error {
    /// What to tell the user.
    public var userMessage: String

    /// The status of the answer, if there was one.
    public var httpStatusCode: Int?

    /// The body that came with the error, gone through those of the pipeline's transformers that look at errors.
    ///
    /// For an answer that was not understood it is the body as the server sent it. An answer without a body has an empty
    /// one. `nil` when no complete answer came, and for a 304 to a request that had nothing to confirm.
    public var entity: Entity<any Sendable>?

    /// What went wrong underneath: a cause of ``Cause``, what a transport or a transformer threw, or `nil` for a status.
    public var cause: (any Error)?

    /// When it happened, in seconds since the first of January 2001. For requests of a resource, by its client's clock.
    public package(set) var timestamp: TimeInterval

    /// What was asked, if it is known.
    public package(set) var url: URL?

    /// Creates the error of an answer that says no, or of no answer.
    ///
    /// - Parameters:
    ///   - response: The answer, if there was one.
    ///   - content: Its body.
    ///   - cause: What went wrong underneath.
    ///   - userMessage: What to tell the user; by default what the cause, and else what the status says.
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

    /// Creates an error of the program's own.
    ///
    /// - Parameters:
    ///   - userMessage: What to tell the user.
    ///   - cause: What went wrong underneath.
    ///   - entity: The body that came with it.
    public init(userMessage: String, cause: (any Error)?, entity: Entity<any Sendable>? = nil) {
        self.userMessage = userMessage
        self.cause = cause
        self.entity = entity
        httpStatusCode = entity?.statusCode
        timestamp = Date.timeIntervalSinceReferenceDate
    }

    /// Creates the error of a cause, with the text that the cause has for users. One that is a request's error stays as it
    /// is.
    package init(_ cause: any Error, url: URL? = nil) {
        if let error = cause as? RequestError {
            self = error
            return
        }
        self.init(userMessage: UserMessage.of(cause), cause: cause)
        self.url = url
    }

    /// Creates the error of what was thrown where a content was made of another. A request's error stays as it is.
    init(ofTransform error: any Error) {
        self = error as? RequestError ?? RequestError(userMessage: UserMessage.unparsable, cause: error)
    }
}
