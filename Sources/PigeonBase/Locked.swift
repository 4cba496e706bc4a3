/// A value that only one thread at a time can access.
///
/// The type is public under another name, because bodies of `package` functions are not inlined into other modules.
/// Each lock would cost six times as much (Swift 6.3).
package typealias Locked = _Locked

#if PIGEON_TSAN
    // The thread sanitizer does not recognize `Mutex` on Linux. It does recognize a pthread mutex.
    internal import Foundation

    /// See ``Locked``.
    public struct _Locked<Value>: ~Copyable, @unchecked Sendable {  // `box.value` is touched only inside `lock`
        private let lock = NSLock()
        private let box: Box

        private final class Box {
            var value: Value
            init(_ value: Value) { self.value = value }
        }

        /// Creates a lock that guards a value.
        public init(_ value: Value) {
            box = Box(value)
        }

        /// Calls `body` with exclusive access to the value. `body` must not run user code, and should take no other
        /// lock.
        public borrowing func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
            _LockPoints.enter()
            defer { _LockPoints.leave() }
            lock.lock()
            defer { lock.unlock() }
            return try body(&box.value)
        }
    }
#elseif canImport(os)
    internal import os

    /// See ``Locked``.
    public struct _Locked<Value>: Sendable {
        private let lock: OSAllocatedUnfairLock<Value>

        /// Creates a lock that guards a value.
        public init(_ value: Value) {
            lock = OSAllocatedUnfairLock(uncheckedState: value)
        }

        /// Calls `body` with exclusive access to the value. `body` must not run user code, and should take no other
        /// lock.
        public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
            _LockPoints.enter()
            defer { _LockPoints.leave() }
            return try lock.withLockUnchecked(body)
        }
    }
#else
    public import Synchronization

    /// See ``Locked``. Stored inline, so it needs no allocation.
    @frozen
    public struct _Locked<Value>: ~Copyable, Sendable {
        @usableFromInline let mutex: Mutex<Guarded<Value>>

        /// Creates a lock that guards a value.
        @inlinable
        public init(_ value: Value) {
            mutex = Mutex(Guarded(value: value))
        }

        /// Calls `body` with exclusive access to the value. `body` must not run user code, and should take no other
        /// lock.
        @inlinable
        public borrowing func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
            _LockPoints.enter()
            defer { _LockPoints.leave() }
            return try mutex.withLock { Passed(result: try body(&$0.value)) }.result
        }
    }

    // Not nested in `Locked`, because the compiler (6.3) then does not find them from other files of a debug build.

    @frozen @usableFromInline
    struct Guarded<Value>: @unchecked Sendable {  // touched only inside the mutex
        @usableFromInline var value: Value

        @inlinable
        init(value: Value) { self.value = value }
    }

    @frozen @usableFromInline
    struct Passed<Result>: @unchecked Sendable {  // passed from the lock to the thread that held it
        @usableFromInline let result: Result

        @inlinable
        init(result: Result) { self.result = result }
    }
#endif

extension _Locked {
    /// Changes the value. The replaced parts are released outside the lock.
    ///
    /// Copies the value first, so use it for settings, and not for collections that grow.
    package borrowing func update(_ change: (inout Value) -> Void) {
        let old = withLock { value in
            let old = value
            change(&value)
            return old
        }
        _ = old
    }

    /// Orders what follows after what others did under the lock before they resumed this task. The runtime orders it anyway,
    /// but the thread sanitizer does not see that. Does nothing in other builds.
    package borrowing func synchronizeAfterResumption() {
        #if PIGEON_TSAN
            withLock { _ in }
        #endif
    }
}
