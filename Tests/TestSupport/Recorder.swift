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

/// Returns the number of locks that this thread takes while `body` runs. A lock within another one does not count.
package func countLocks(in body: () -> Void) -> Int {
    var count = 0
    let follower = _LockPoints.Follower { count += 1 }
    _LockPoints.follow(follower, body)
    return count
}
