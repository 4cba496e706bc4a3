@_exported public import Foundation

/// Stands for `WatchKit.WKApplication`.
@MainActor
open class WKApplication: NSObject {
    /// Stands for `WKApplication.shared()`.
    open class func shared() -> WKApplication { theOnlyOne }
    private static let theOnlyOne = WKApplication()

    /// Stands for `WKApplication.applicationState`.
    open var applicationState: WKApplicationState { .active }

    /// Stands for `WKApplication.didBecomeActiveNotification`.
    public nonisolated class var didBecomeActiveNotification: Notification.Name {
        Notification.Name("WKApplicationDidBecomeActiveNotification")
    }

    /// Stands for `WKApplication.didEnterBackgroundNotification`.
    public nonisolated class var didEnterBackgroundNotification: Notification.Name {
        Notification.Name("WKApplicationDidEnterBackgroundNotification")
    }

    /// Stands for `WKApplication.willEnterForegroundNotification`.
    public nonisolated class var willEnterForegroundNotification: Notification.Name {
        Notification.Name("WKApplicationWillEnterForegroundNotification")
    }
}

/// Stands for `WatchKit.WKApplicationState`.
public enum WKApplicationState: Int, Sendable {
    /// Stands for `WKApplicationState.active`.
    case active
    /// Stands for `WKApplicationState.inactive`.
    case inactive
    /// Stands for `WKApplicationState.background`.
    case background
}
