#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    internal import Foundation
#endif

/// The points at which threads take locks, where a test can switch to another thread. See `Interleaving` in
/// PigeonTesting.
///
/// Does nothing in release builds, and on platforms without POSIX threads.
public enum _LockPoints {
    /// Calls a closure before the followed thread takes a lock, unless the thread holds one already.
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

        /// Calls `body` without switching to another thread. Use it in cancellation handlers of a task, because the
        /// runtime holds a lock of the task while it calls them.
        @usableFromInline
        package static func holdTurn(_ body: () -> Void) {
            if let follower { follower.holdTurn(body) } else { body() }
        }

        /// Sets the follower of this thread while `body` runs.
        package static func follow(_ follower: Follower, _ body: () -> Void) {
            pthread_setspecific(key, Unmanaged.passUnretained(follower).toOpaque())
            body()
            pthread_setspecific(key, nil)
        }
    #else
        @inlinable static func enter() {}
        @inlinable static func leave() {}

        @inlinable
        package static func holdTurn(_ body: () -> Void) { body() }

        package static func follow(_ follower: Follower, _ body: () -> Void) { body() }
    #endif
}
