@_exported public import Foundation

/// Stands for `AppKit.NSImage`. The real one is `@unchecked Sendable` too.
open class NSImage: NSObject, @unchecked Sendable {  // has nothing that changes
    /// The bytes that it was made of.
    package let source: Data

    /// Stands for `init?(data:)`. Any bytes but none will do.
    public init?(data: Data) {
        guard !data.isEmpty else { return nil }
        source = data
    }
}

/// Stands for `AppKit.NSAccessibility`.
public struct NSAccessibility {
    /// Stands for `NSAccessibility.Notification`.
    public struct Notification: Hashable, RawRepresentable, Sendable {
        /// Stands for `Notification.rawValue`.
        public var rawValue: String

        /// Stands for `init(rawValue:)`.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Stands for `Notification.announcementRequested`.
        public static let announcementRequested = Notification(rawValue: "AXAnnouncementRequested")
    }

    /// Stands for `NSAccessibility.NotificationUserInfoKey`.
    public struct NotificationUserInfoKey: Hashable, RawRepresentable, Sendable {
        /// Stands for `NotificationUserInfoKey.rawValue`.
        public var rawValue: String

        /// Stands for `init(rawValue:)`.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Stands for `NotificationUserInfoKey.announcement`.
        public static let announcement = NotificationUserInfoKey(rawValue: "AXAnnouncementKey")
    }

    /// Stands for `NSAccessibility.post(element:notification:userInfo:)`. Nothing calls it here, where all newer APIs are
    /// available.
    @MainActor
    public static func post(
        element: Any, notification: Notification, userInfo: [NotificationUserInfoKey: Any]? = nil
    ) {}
}
