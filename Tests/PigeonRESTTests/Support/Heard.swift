import PigeonREST

/// What was heard, in order, on any thread.
final class Heard<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    func append(_ value: Value) {
        values.withLock { $0.append(value) }
    }

    var all: [Value] { values.withLock { $0 } }

    /// Waits until there are so many.
    func wait(for count: Int) async {
        while all.count < count { await Task.yield() }
    }
}
