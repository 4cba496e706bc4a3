@_exported public import Foundation

/// Stands for `WatchKit.WKApplication`.
@MainActor
open class WKApplication: NSObject {
    /// Stands for `WKApplication.didEnterBackgroundNotification`.
    public nonisolated class var didEnterBackgroundNotification: Notification.Name {
        Notification.Name("WKApplicationDidEnterBackgroundNotification")
    }

    /// Stands for `WKApplication.willEnterForegroundNotification`.
    public nonisolated class var willEnterForegroundNotification: Notification.Name {
        Notification.Name("WKApplicationWillEnterForegroundNotification")
    }
}
