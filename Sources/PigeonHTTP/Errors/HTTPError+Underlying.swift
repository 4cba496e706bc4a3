internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

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
