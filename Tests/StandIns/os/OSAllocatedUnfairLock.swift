internal import Glibc

/// `os.OSAllocatedUnfairLock`
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    private final class Storage: @unchecked Sendable {  // `lock` guards `state`
        let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        var state: State

        init(_ state: State) {
            self.state = state
            pthread_mutex_init(lock, nil)
        }

        deinit {
            pthread_mutex_destroy(lock)
            lock.deallocate()
        }
    }

    private let storage: Storage

    /// `init(uncheckedState:)`
    public init(uncheckedState initialState: State) {
        storage = Storage(initialState)
    }

    /// `init(initialState:)`
    public init(initialState: State) where State: Sendable {
        storage = Storage(initialState)
    }

    /// `withLockUnchecked(_:)`
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
        pthread_mutex_lock(storage.lock)
        defer { pthread_mutex_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// `withLock(_:)`
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
        try withLockUnchecked(body)
    }
}
