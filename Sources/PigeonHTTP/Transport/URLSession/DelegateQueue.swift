#if canImport(FoundationNetworking)
    internal import Foundation

    /// Where a session of Linux calls its delegate. There, each call is an operation of its own, and a thread's wake-up of 20 µs:
    /// on a plain queue, calls in a row wake it once. Never the thread that the session works on: `cancel()` waits for it, and so
    /// would a request that somebody starts when told of progress.
    final class DelegateQueue: OperationQueue, @unchecked Sendable {  // adds nothing that can change
        private let queue = DispatchQueue(label: "pigeon.urlsession")
        private let brake: StreamBrake

        init(_ brake: StreamBrake) {
            self.brake = brake
        }

        /// Called on the thread that the session works on.
        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            brake.wait()
            queue.async(execute: block)
        }
    }
#endif
