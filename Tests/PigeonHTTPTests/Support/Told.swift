import PigeonHTTP
import PigeonTesting

/// What was told, in order, on any thread.
final class Told<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    func append(_ value: Value) {
        values.withLock { $0.append(value) }
    }

    var all: [Value] { values.withLock { $0 } }
}

extension Error {
    /// Whether it is the end of something called off.
    var isCancellation: Bool {
        if case .cancelled = self as? HTTPError { return true }
        return self is CancellationError
    }
}
