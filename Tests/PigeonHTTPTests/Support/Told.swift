import PigeonHTTP
import PigeonTesting

extension Error {
    /// True if the error reports a cancellation.
    var isCancellation: Bool {
        if case .cancelled = self as? HTTPError { return true }
        return self is CancellationError
    }
}
