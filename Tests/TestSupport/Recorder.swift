import PigeonBase

/// Records values in order, on any thread.
package final class Recorder<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    package init() {}

    package func append(_ value: Value) {
        values.withLock { $0.append(value) }
    }

    package var all: [Value] { values.withLock { $0 } }

    /// Removes the values that were recorded so far.
    @discardableResult
    package func clear() -> [Value] {
        values.withLock { values in
            defer { values = [] }
            return values
        }
    }

    /// Waits until `count` values are recorded.
    package func wait(for count: Int) async {
        await until { all.count >= count }
    }
}
