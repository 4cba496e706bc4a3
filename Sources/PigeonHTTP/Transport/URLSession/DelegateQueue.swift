internal import Foundation

/// Where a session calls its delegate.
enum DelegateQueue {
    /// On Apple's platforms, the session's own choice. On Linux, where each call of the delegate is an operation of its own
    /// and a thread's wake-up of 20 µs, the thread that the session works on: the delegate takes note, and calls nobody.
    static func make() -> OperationQueue? {
        #if canImport(FoundationNetworking)
            SameThread()
        #else
            nil
        #endif
    }
}

#if canImport(FoundationNetworking)
    private final class SameThread: OperationQueue, @unchecked Sendable {  // adds no state
        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            block()
        }
    }
#endif
