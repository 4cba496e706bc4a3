public import Foundation

/// Stands for `UIKit.UIAccessibility`.
public enum UIAccessibility {
    /// Stands for `UIAccessibility.Notification`.
    public struct Notification: Hashable, RawRepresentable, Sendable {
        /// Stands for `Notification.rawValue`.
        public var rawValue: UInt32

        /// Stands for `init(rawValue:)`.
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Stands for `Notification.announcement`.
        public static let announcement = Notification(rawValue: 1008)
    }

    /// Stands for `UIAccessibility.post(notification:argument:)`. Nothing calls it here, where all newer APIs are available.
    @MainActor
    public static func post(notification: Notification, argument: Any?) {}

    /// Stands for `UIAccessibility.isReduceMotionEnabled`.
    @MainActor
    public package(set) static var isReduceMotionEnabled = false
}

extension NSAttributedString.Key {
    /// Stands for `NSAttributedString.Key.accessibilitySpeechQueueAnnouncement`.
    public static let accessibilitySpeechQueueAnnouncement = Self(
        rawValue: "UIAccessibilitySpeechAttributeQueueAnnouncement")
}
