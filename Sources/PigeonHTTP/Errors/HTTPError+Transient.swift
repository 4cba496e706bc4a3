internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

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
