internal import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

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
    /// Returns the error of a cancelled request.
    static func cancelled(_ networkError: (any Error)?, at date: Date = Date()) -> RequestError {
        var error = RequestError(Cause.RequestCancelled(networkError: networkError))
        error.timestamp = date.timeIntervalSinceReferenceDate
        return error
    }
}
