internal import Foundation

/// Where a session calls its delegate.
enum DelegateQueue {
    /// On Apple's platforms, the session's own choice. On Linux, where each call of the delegate is an operation of its own
    /// and a thread's wake-up of 20 µs, a plain queue: calls in a row wake it once. Never the thread that the session works
    /// on: `cancel()` waits for it, and so would a request that somebody starts when told of progress.
    static func make() -> OperationQueue? {
        #if canImport(FoundationNetworking)
            PlainQueue()
        #else
            nil
        #endif
    }
}

#if canImport(FoundationNetworking)
    private final class PlainQueue: OperationQueue, @unchecked Sendable {  // adds nothing that can change
        private let queue = DispatchQueue(label: "pigeon.urlsession")

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            queue.async(execute: block)
        }
    }
#endif
