public import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// An error between a request and its value, by the side on which it arose.
///
/// ```swift
/// do {
///     let user: User = try await dispatcher.value(from: request)
/// } catch .status(let answer) where answer.statusCode == .notFound {
///     showNobody()
/// } catch {
///     show(error)
/// }
/// ```
public enum HTTPError: Error, Sendable {
    /// The request has no address. Nothing was sent.
    case request(RequestError)
    /// The request's method, a header field or its body is wrong. Nothing was sent.
    case defect(RequestDefect)
    /// There was no response, or only a part of it.
    case transport(URLError)
    /// The server responded with a status other than 200 to 299. The error carries the response and its body.
    case status(ErrorResponse<Data?>)
    /// The server responded, and the body could not be decoded. The error carries the response.
    case decoding(SerializationError, Response<Data?>)
    /// The response's body is longer than the limit, in bytes. The rest was not read.
    case bodyTooLarge(limit: Int)
    /// The server redirected too often, or to an address that no request can be sent to.
    case redirection(String)
    /// Other code threw: an adapter, or a dispatcher of your own. The server has refused nothing.
    case other(any Error)
    /// The task or the future was cancelled.
    case cancelled
}

extension HTTPError: PlainlyDescribedError {
    /// Describes the error for logs. Contains no header, body, query or credential.
    public var description: String {
        switch self {
        case .request(let error): error.description
        case .defect(let error): error.description
        case .transport(let error): "no whole answer came: \(TransientError.label(error))"
        case .status(let answer): answer.description
        case .decoding(let error, let answer): "\(error.description) (\(answer.head.summary))"
        case .bodyTooLarge(let limit): "the answer is longer than the limit of \(limit) bytes; the rest was not read"
        case .redirection(let reason): reason.printable
        case .other(let error): "something that takes part in requests failed: \(TransientError.label(error))"
        case .cancelled: "the request was cancelled"
        }
    }

    package var label: String {
        guard case .transport(let error) = self else { return description }
        return TransientError.label(error)
    }
}

extension HTTPError: LocalizedError {
    /// The text for users. For an error of the network, that is the `URLError`'s own text, if the system gave it one. For a
    /// status, it is the server's message, if ``HTTPPolicy/errorMessage`` reads one.
    public var errorDescription: String? {
        switch self {
        case .status(let answer): answer.userMessage
        case .bodyTooLarge: UserText.answerTooLarge.text
        case .redirection: UserText.badRedirect.text
        case .request, .defect, .transport, .decoding, .other, .cancelled: underlying.userMessage
        }
    }
}

extension ErrorResponse: LocalizedError, LocalizedReadableError {
    package var userText: UserText { UserText(status: statusCode.rawValue) }

    /// The text for users: the server's message if ``HTTPPolicy/errorMessage`` reads one, otherwise a text for the status.
    public var errorDescription: String? { message ?? userText.text }
}

extension ErrorResponse: PlainlyDescribedError {
    /// Describes the request and the status for logs. Contains no header, body, query or credential.
    public var description: String {
        let cause = error.cause.map { "; the cause: \(TransientError.label($0))" } ?? ""
        return "the server answered \(statusCode) (\(head.summary))\(cause)"
    }
}

extension ResponseHead {
    var summary: String {
        guard let request = transportRequest else { return "to an unknown request" }
        return "to \(request.methodName) \(request.url.plainDescription)"
    }
}

extension HTTPError: TransientErrorType {
    /// The status of an error response.
    public var statusCode: Int? {
        if case .status(let answer) = self { answer.statusCode.rawValue } else { nil }
    }

    /// How long the server asked to wait.
    public var retryAfter: Duration? {
        if case .status(let answer) = self { answer.retryAfter } else { nil }
    }

    /// True if trying again may help: lost connections, timeouts, and the statuses 408, 425, 429 and 5xx.
    public var isTransient: Bool {
        switch self {
        case .transport(let error): TransientError.isTransient(error)
        case .status(let answer): answer.isTransient
        case .other(let error): TransientError.isTransient(error)
        case .request, .defect, .decoding, .bodyTooLarge, .redirection, .cancelled: false
        }
    }

    /// True if the program's own code failed, and the server has refused nothing: an adapter, or a dispatcher of your own.
    public var isLocal: Bool {
        guard case .other(let error) = self else { return false }
        // A dispatcher of your own may report a status by an error type of its own.
        guard let known = error as? any TransientErrorType, !(error is HTTPError) else { return true }
        return known.isLocal || known.statusCode == nil
    }

    /// True if the error means that the work was cancelled.
    public var isCancellation: Bool {
        switch self {
        case .cancelled: true
        case .transport(let error): error.code == .cancelled
        case .other(let error): TransientError.isCancellation(error)
        case .request, .defect, .status, .decoding, .bodyTooLarge, .redirection: false
        }
    }
}

extension ErrorResponse: TransientErrorType {
    /// The number of ``statusCode``, for retry policies.
    @_implements(TransientErrorType,statusCode)
    public var statusNumber: Int? { statusCode.rawValue }

    /// How long the server asked to wait.
    public var retryAfter: Duration? { headers.retryAfter() }
}

extension HTTPError {
    package init(_ error: any Error) {
        switch error {
        case let error as HTTPError: self = error
        case let error as RequestError: self = .request(error)
        case let error as RequestDefect: self = .defect(error)
        case let error as URLError where error.code == .cancelled: self = .cancelled
        case let error as URLError: self = .transport(error)
        case is CancellationError: self = .cancelled
        default: self = .other(error)
        }
    }

    /// The error that a future reports: the error of the side that failed, without this wrapper.
    package var underlying: any Error {
        switch self {
        case .request(let error): error
        case .defect(let error): error
        case .transport(let error): error
        case .decoding(let error, _): error
        case .other(let error): error
        case .cancelled: CancellationError()
        case .status, .bodyTooLarge, .redirection: self
        }
    }
}
