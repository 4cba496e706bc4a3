#if canImport(FoundationNetworking)
    internal import Foundation
    internal import PigeonBase

    /// Where a session of Linux calls its delegate: the thread that it works on. On a queue, each call would wake a thread, and a
    /// flood of small pieces is parsed a hundred times faster than told of. Nothing that the delegate does may wait for the
    /// session.
    final class DelegateQueue: OperationQueue, @unchecked Sendable {  // the lock guards nothing but the order
        private let brake: StreamBrake
        /// A protocol that somebody registered may call from a thread of its own.
        private let turn = Locked(())

        init(_ brake: StreamBrake) {
            self.brake = brake
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            brake.wait()
            turn.withLock { _ in block() }
        }
    }
#endif
