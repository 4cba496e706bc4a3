/// A value that only one thread at a time can access.
///
/// The type is public under another name, because bodies of `package` functions are not inlined into other modules.
/// Each lock would cost six times as much (Swift 6.3).
package typealias Locked = _Locked

#if canImport(os)
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

    #if os(Linux) || os(Android)
        internal import CFutex
    #endif

    /// See ``Locked``. Stored inline, so it needs no allocation.
    @frozen
    public struct _Locked<Value>: ~Copyable, @unchecked Sendable {  // `cell` is touched only inside the lock
        @usableFromInline let lock: _Lock
        @usableFromInline let cell: _Cell<Value>

        /// Creates a lock that guards a value.
        @inlinable
        public init(_ value: Value) {
            lock = _Lock()
            cell = _Cell(value)
        }

        /// Calls `body` with exclusive access to the value. `body` must not run user code, and should take no other
        /// lock.
        @inlinable
        public borrowing func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
            _LockPoints.enter()
            defer { _LockPoints.leave() }
            lock.lock()
            defer { lock.unlock() }
            // In one expression, the sanitizer would take it for an access to the lock itself.
            let value = cell._address
            return try body(&value.pointee)
        }
    }

    // Not nested in `Locked`, because the compiler (6.3) then does not find it from other files of a debug build.

    #if os(Linux) || os(Android)
        /// A lock without a value.
        ///
        /// This is not a `Mutex`, which on Linux hands a contended lock from thread to thread in the kernel: eight threads
        /// on two cores then take it a thousand times less often (Swift 6.3). Here, a thread that runs may take a lock
        /// before those that sleep. The thread sanitizer recognizes this lock, and does not recognize `Mutex`.
        @frozen @usableFromInline
        struct _Lock: ~Copyable, Sendable {
            /// 0 if the lock is free, 1 if a thread has it, 2 if other threads may sleep until it is free.
            @usableFromInline let word: Atomic<UInt32>
            #if DEBUG
                /// The thread that has the lock, so that a thread that takes it twice traps, and does not wait forever.
                @usableFromInline let owner = Atomic<UInt>(0)
            #endif

            @inlinable
            init() {
                word = Atomic(0)
            }

            @inlinable
            borrowing func lock() {
                if !take() { wait() }
                #if DEBUG
                    noteOwner()
                #endif
            }

            #if DEBUG
                @usableFromInline
                borrowing func noteOwner() { owner.store(UInt(pigeon_this_thread()), ordering: .relaxed) }
            #endif

            @inlinable
            borrowing func take() -> Bool {
                word.compareExchange(
                    expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed
                ).exchanged
            }

            @inlinable
            borrowing func unlock() {
                #if DEBUG
                    owner.store(0, ordering: .relaxed)
                #endif
                if word.exchange(0, ordering: .releasing) == 2 { wakeOne() }
            }

            /// Waits for the lock, and takes it. After a sleep the word is 2, because others may still sleep.
            @usableFromInline
            borrowing func wait() {
                #if DEBUG
                    let isOwn = owner.load(ordering: .relaxed) == UInt(pigeon_this_thread())
                    precondition(!isOwn, "code that runs under a lock takes the same lock: does it call the client?")
                #endif
                // Most locks are held for less time than it takes to sleep and wake.
                for _ in 0..<100 {
                    let seen = word.load(ordering: .relaxed)
                    if seen == 0, take() { return }
                    if seen == 2 { break }
                    pigeon_spin_hint()
                }
                while word.exchange(2, ordering: .acquiring) != 0 {
                    withUnsafePointer(to: word) { pigeon_futex_wait(Self.address($0), 2) }
                }
            }

            @usableFromInline
            borrowing func wakeOne() {
                withUnsafePointer(to: word) { pigeon_futex_wake_one(Self.address($0)) }
            }

            private static func address(_ word: UnsafePointer<Atomic<UInt32>>) -> UnsafeMutablePointer<UInt32> {
                UnsafeMutableRawPointer(mutating: word).assumingMemoryBound(to: UInt32.self)
            }
        }
    #else
        /// A lock without a value.
        @frozen @usableFromInline
        struct _Lock: ~Copyable, Sendable {
            @usableFromInline let mutex: Mutex<Void>

            @inlinable
            init() {
                mutex = Mutex(())
            }

            @inlinable
            borrowing func lock() { mutex._unsafeLock() }

            @inlinable
            borrowing func unlock() { mutex._unsafeUnlock() }
        }
    #endif
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
    @inlinable
    package borrowing func synchronizeAfterResumption() {
        #if PIGEON_TSAN
            withLock { _ in }
        #endif
    }
}
