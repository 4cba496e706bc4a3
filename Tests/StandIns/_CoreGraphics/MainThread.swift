import Dispatch
import Foundation

/// Linux's counterpart of the main thread: whichever thread runs the main queue. After an asynchronous `main` has suspended
/// for the first time, that is no longer the thread for which `Thread.isMainThread` is true.
package enum MainThread {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// True if the caller runs on it.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread }
}
