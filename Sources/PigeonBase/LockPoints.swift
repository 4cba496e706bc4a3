#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    internal import Foundation
#endif

/// Where threads take locks: the places at which a test may have another thread go on. See `Interleaving` in PigeonTesting.
///
/// In release builds, and where there are no POSIX threads, nobody is told of locks.
public enum _LockPoints {
    /// Is told before the thread it follows takes a lock, unless that holds one already.
    package final class Follower {
        private let willLock: () -> Void
        private var depth = 0

        package init(willLock: @escaping () -> Void) {
            self.willLock = willLock
        }

        fileprivate func enter() {
            depth += 1
            if depth == 1 { willLock() }
        }

        fileprivate func leave() { depth -= 1 }

        fileprivate func holdTurn(_ body: () -> Void) {
            depth += 1
            body()
            depth -= 1
        }
    }

    #if DEBUG && (canImport(Darwin) || canImport(Glibc) || canImport(Musl))
        private static let key = {
            var key = pthread_key_t()
            precondition(pthread_key_create(&key, nil) == 0, "the process has too many thread-specific keys")
            return key
        }()

        private static var follower: Follower? {
            pthread_getspecific(key).map { Unmanaged<Follower>.fromOpaque($0).takeUnretainedValue() }
        }

        @usableFromInline static func enter() { follower?.enter() }
        @usableFromInline static func leave() { follower?.leave() }

        /// Calls `body`, and no other thread goes on meanwhile. For the handlers of a task's cancellation: the runtime holds a
        /// lock of the task while it calls them.
        package static func holdTurn(_ body: () -> Void) {
            if let follower { follower.holdTurn(body) } else { body() }
        }

        /// Has this thread followed while `body` runs.
        package static func follow(_ follower: Follower, _ body: () -> Void) {
            pthread_setspecific(key, Unmanaged.passUnretained(follower).toOpaque())
            body()
            pthread_setspecific(key, nil)
        }
    #else
        @inlinable static func enter() {}
        @inlinable static func leave() {}

        /// Calls `body`.
        package static func holdTurn(_ body: () -> Void) { body() }

        /// Calls `body`.
        package static func follow(_ follower: Follower, _ body: () -> Void) { body() }
    #endif
}
