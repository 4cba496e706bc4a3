public import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// All that can go wrong between a request and its value, by the side it went wrong on.
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
    /// There was no answer, or not all of it.
    case transport(URLError)
    /// The server answered with a status that is no success. The answer is at hand, its body included.
    case status(ErrorResponse<Data?>)
    /// The server answered, and the body was not understood. The answer is at hand.
    case decoding(SerializationError, Response<Data?>)
    /// The answer's body is longer than the limit, in bytes. The rest was not read.
    case bodyTooLarge(limit: Int)
    /// The server redirected more often than is followed, or to where no request may go.
    case redirection(String)
    /// Something else that took part threw: an adapter, a token's refresh, a dispatcher of your own.
    case other(any Error)
    /// The task or the future was cancelled.
    case cancelled
}

extension HTTPError: PlainlyDescribedError {
    /// What went wrong, for logs. Holds no header, no body, no query and no credentials.
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

extension ErrorResponse: PlainlyDescribedError {
    /// What the server answered to what, for logs. Holds no header, no body, no query and no credentials.
    public var description: String { "the server answered \(statusCode) (\(head.summary))" }
}

extension ResponseHead {
    /// The request that was answered, in a few words.
    var summary: String {
        guard let request = transportRequest else { return "to a request that is not known" }
        return "to \(request.method.rawValue) \(request.url.plainDescription)"
    }
}

extension HTTPError: TransientErrorType {
    /// The status of an answer that says no.
    public var statusCode: Int? {
        if case .status(let answer) = self { answer.statusCode.rawValue } else { nil }
    }

    /// How long the server asked to wait.
    public var retryAfter: Duration? {
        if case .status(let answer) = self { answer.retryAfter } else { nil }
    }

    /// Whether trying again may help: lost connections, timeouts, and the statuses 408, 425, 429 and 5xx.
    public var isTransient: Bool {
        switch self {
        case .transport(let error): TransientError.isTransient(error)
        case .status(let answer): answer.isTransient
        case .other(let error): TransientError.isTransient(error)
        case .request, .defect, .decoding, .bodyTooLarge, .redirection, .cancelled: false
        }
    }

    /// Whether it says that the work was called off.
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
    /// The number of ``statusCode``, which is what retry policies ask for.
    @_implements(TransientErrorType,statusCode)
    public var statusNumber: Int? { statusCode.rawValue }

    /// How long the server asked to wait.
    public var retryAfter: Duration? { headers.retryAfter() }
}

extension HTTPError {
    /// The error of whatever was thrown on the way to an answer.
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

    /// What a future tells: the error of the side that failed, without this wrapping.
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
