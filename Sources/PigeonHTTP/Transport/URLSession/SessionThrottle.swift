#if canImport(FoundationNetworking)
    internal import Foundation
    internal import PigeonBase

    /// Slows a session of Linux down while its streams are read more slowly than they arrive.
    ///
    /// The session cannot pause one task. What can be held up is the thread that it works on, which is that of all sessions of the
    /// process: for a short time, so that a reader who is at work catches up, and never for one who is not.
    final class SessionThrottle: @unchecked Sendable {  // the condition's lock guards all that changes
        private let condition = NSCondition()
        private var slowStreams = 0
        private var deadline = Date.distantPast

        /// The longest time that others wait for a reader, in seconds.
        private static let longestWait: TimeInterval = 2

        /// A stream has more to be read than it should.
        func begin() {
            condition.lock()
            if slowStreams == 0 { deadline = Date(timeIntervalSinceNow: Self.longestWait) }
            slowStreams += 1
            condition.unlock()
        }

        /// It was read, or has ended.
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

    /// Where a session of Linux calls its delegate: the thread that it works on. On a queue, each call would wake a thread, and a
    /// flood of small pieces is parsed a hundred times faster than told of. Nothing that the delegate does may wait for the
    /// session.
    final class DelegateQueue: OperationQueue, @unchecked Sendable {  // the lock guards nothing but the order
        private let throttle: SessionThrottle
        /// A protocol that somebody registered may call from a thread of its own.
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
