#if canImport(FoundationNetworking)
    internal import Foundation
    internal import PigeonBase

    /// Slows down a session on Linux while its streams arrive faster than they are read.
    ///
    /// The session cannot pause one task. It can only be slowed down by blocking its thread, which all sessions of the
    /// process share. So the throttle blocks for a short time, which lets an active reader catch up, and never for a
    /// reader that has stopped.
    final class SessionThrottle: @unchecked Sendable {  // the condition's lock guards all that changes
        private let condition = NSCondition()
        private var slowStreams = 0
        private var deadline = Date.distantPast

        /// The longest time in seconds that other sessions wait for a reader.
        private static let longestWait: TimeInterval = 2

        /// Called when a stream has too many unread bytes.
        func begin() {
            condition.lock()
            if slowStreams == 0 { deadline = Date(timeIntervalSinceNow: Self.longestWait) }
            slowStreams += 1
            condition.unlock()
        }

        /// Called when these bytes were read, or the stream has ended.
        func end() {
            condition.lock()
            slowStreams -= 1
            if slowStreams == 0 { condition.broadcast() }
            condition.unlock()
        }

        /// Waits until no stream is slow, at most until the deadline.
        func wait() {
            condition.lock()
            while slowStreams > 0, condition.wait(until: deadline) {}
            condition.unlock()
        }
    }

    /// Calls the delegate of a session on Linux on the session's own thread. On a queue, each call would wake a thread,
    /// and a flood of small pieces is parsed a hundred times faster than it would be delivered. The delegate must never
    /// wait for the session.
    final class DelegateQueue: OperationQueue, @unchecked Sendable {  // the lock guards nothing but the order
        private let throttle: SessionThrottle
        /// A custom `URLProtocol` may call from a thread of its own.
        private let order = Locked(())

        init(_ throttle: SessionThrottle) {
            self.throttle = throttle
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            throttle.wait()
            order.withLock { _ in block() }
        }
    }
#endif
