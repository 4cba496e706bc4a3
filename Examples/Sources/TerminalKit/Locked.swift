import Foundation

/// A value that only one thread at a time can reach.
final class Locked<Value>: @unchecked Sendable {  // `value` is touched only inside `lock`
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Gives the value to `body` alone. Nothing else may be locked, and no user code run, in it.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
