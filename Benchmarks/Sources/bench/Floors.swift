internal import Foundation
internal import Synchronization

/// What holds values where there is no engine: a dictionary under a mutex.
final class PlainCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let values = Mutex<[Key: Value]>([:])

    subscript(key: Key) -> Value? {
        get { values.withLock { $0[key] } }
        set { values.withLock { $0[key] = newValue } }
    }

    func forEach(_ body: (Value) -> Void) {
        values.withLock { values in
            for value in values.values { body(value) }
        }
    }
}

/// A dictionary under the mutex of POSIX, which several threads use.
final class ThreadedCache<Value: Sendable>: @unchecked Sendable {  // `values` is touched only inside the lock
    private let lock = NSLock()
    private var values: [String: Value] = [:]

    subscript(key: String) -> Value? {
        get { lock.withLock { values[key] } }
        set { lock.withLock { values[key] = newValue } }
    }
}

/// One value under a mutex.
final class PlainValue<Value: Sendable>: Sendable {
    private let held: Mutex<Value>

    init(_ value: Value) {
        held = Mutex(value)
    }

    var value: Value { held.withLock { $0 } }
}

/// A mark that an invalidation sets.
final class PlainMark: Sendable {
    private let mark = Atomic(false)

    func set() {
        mark.store(true, ordering: .relaxed)
    }
}

/// Counts what callbacks tell.
final class Counter: @unchecked Sendable {  // counted up by one thread at a time: deliveries of one entry never overlap
    private(set) var count = 0
    private var sum = 0

    @inline(never)
    func add() {
        count += 1
    }

    /// Counts a callback that has read a value.
    @inline(never)
    func add(_ number: Int) {
        count += 1
        sum &+= number
    }
}

/// An asynchronous function that cannot be inlined, and does not suspend.
@inline(never)
func answer(_ value: Int) async throws -> Int { value }

/// An asynchronous function that cannot be inlined, and does not suspend.
@inline(never)
func answer(_ value: User) async throws -> User { value }
