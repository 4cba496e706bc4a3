#if canImport(Dispatch)
    internal import Dispatch
    internal import Foundation
#endif

extension MainActor {
    #if canImport(Dispatch)
        /// Marks the main queue, so that code can find out that it runs there: on Linux that need not be the main thread.
        private static let mark: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        /// Whether the caller runs on the main actor, so that it may be assumed.
        package static var isCurrent: Bool {
            DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread
        }
    #else
        /// Nothing tells, on WebAssembly: what is for the main actor takes a turn of it.
        package static var isCurrent: Bool { false }
    #endif

    /// Runs at once when on the main actor, and as soon as may be when not.
    package static func runSoon(_ action: @escaping @MainActor @Sendable () -> Void) {
        if isCurrent {
            assumeIsolated(action)
        } else {
            Task { @MainActor in action() }
        }
    }
}
