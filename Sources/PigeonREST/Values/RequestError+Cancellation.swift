internal import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension RequestError {
    /// Whether the request was called off: by the program, by the task it ran in, or by the session.
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
    /// The error of a request that was called off.
    static func cancelled(_ networkError: (any Error)?, at date: Date = Date()) -> RequestError {
        var error = RequestError(Cause.RequestCancelled(networkError: networkError))
        error.timestamp = date.timeIntervalSinceReferenceDate
        return error
    }
}
