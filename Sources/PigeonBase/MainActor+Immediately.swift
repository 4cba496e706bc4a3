#if canImport(Dispatch)
    internal import Dispatch
    internal import Foundation
#endif

extension MainActor {
    #if canImport(Dispatch)
        /// Marks the main queue, so that code can detect that it runs there. On Linux, the main queue need not run on
        /// the main thread.
        private static let mark: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        /// True if the caller runs on the main actor, so that `assumeIsolated` is safe.
        package static var isCurrent: Bool {
            DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread
        }
    #else
        /// Always `false` on WebAssembly, which offers no way to detect it. Work for the main actor is scheduled there
        /// instead.
        package static var isCurrent: Bool { false }
    #endif

    /// Runs an action at once if the caller is on the main actor. Otherwise schedules it there.
    package static func runSoon(_ action: @escaping @MainActor @Sendable () -> Void) {
        if isCurrent {
            assumeIsolated(action)
        } else {
            Task { @MainActor in action() }
        }
    }
}
