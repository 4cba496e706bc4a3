import Synchronization

/// Stands for `Accessibility.AccessibilityNotification`.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public enum AccessibilityNotification {
    /// Stands for `AccessibilityNotification.Announcement`.
    public struct Announcement {
        private let text: String

        /// Stands for `Announcement.init(_:)`.
        public init(_ announcement: String) {
            text = announcement
        }

        /// Stands for `post()`. Nobody speaks; a test looks what there would have been to hear.
        public func post() {
            AccessibilityNotification.log.withLock { $0.append(text) }
        }
    }

    private static let log = Mutex<[String]>([])

    /// All announcements since the program began.
    package static var announced: [String] { log.withLock { $0 } }
}
