import PigeonHTTP
import PigeonTesting

extension Error {
    /// Whether it is the end of something called off.
    var isCancellation: Bool {
        if case .cancelled = self as? HTTPError { return true }
        return self is CancellationError
    }
}
