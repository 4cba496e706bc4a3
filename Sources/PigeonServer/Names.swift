internal import Foundation
internal import PigeonBase
internal import PigeonCore

// Names of which there are few, as metrics need them.

extension QueryKey {
    /// The first component of the key, by which logs, metrics and spans group keys.
    var family: String { components.first ?? "" }
}

extension QueryEvent {
    /// A label for the event's error: its status, the name of a network error, or the name of its type. `nil` without
    /// an error.
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
