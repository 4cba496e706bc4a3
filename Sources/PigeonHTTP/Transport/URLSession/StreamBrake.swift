#if canImport(FoundationNetworking)
    internal import Foundation

    /// Slows a session of Linux down while its streams are read more slowly than they arrive.
    ///
    /// The session cannot pause one task. What can be held up is the thread that it works on, which is that of all sessions of the
    /// process: for a short time, so that a reader who is at work catches up, and never for one who is not.
    final class StreamBrake: @unchecked Sendable {  // the condition's lock guards all that changes
        private let condition = NSCondition()
        private var slowStreams = 0
        private var end = Date.distantPast

        /// The longest time that others wait for a reader, in seconds.
        private static let patience: TimeInterval = 2

        /// A stream has more to be read than it should.
        func pull() {
            condition.lock()
            if slowStreams == 0 { end = Date(timeIntervalSinceNow: Self.patience) }
            slowStreams += 1
            condition.unlock()
        }

        /// It was read, or has ended.
        func release() {
            condition.lock()
            slowStreams -= 1
            if slowStreams == 0 { condition.broadcast() }
            condition.unlock()
        }

        /// Waits until no stream is slow, or patience has ended.
        func wait() {
            condition.lock()
            while slowStreams > 0, condition.wait(until: end) {}
            condition.unlock()
        }
    }
#endif
