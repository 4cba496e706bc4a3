internal import Foundation
internal import PigeonBase
internal import PigeonCore

// Names of which there are few, as metrics need them.

extension QueryKey {
    /// The first component, by which logs, metrics and spans put keys together.
    var family: String { components.first ?? "" }
}

extension QueryEvent {
    /// The kind of the event's error: a status, the name of an error of the network, or else of the error's type. `nil` if
    /// there is none.
    var errorType: String? {
        if case .cancelled = kind, cause == .timeLimit { return "timedOut" }
        guard let error else { return nil }
        // The text of such an error names a key.
        if let error = error as? QueryError {
            return Mirror(reflecting: error).children.first?.label ?? "QueryError"
        }
        if let status = (error as? any TransientErrorType)?.statusCode { return String(status) }
        if error is URLError { return TransientError.label(error) }
        return String(describing: type(of: error))
    }
}
