public import Foundation
import Synchronization

/// Stands for `Accessibility.AccessibilityNotification`.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public enum AccessibilityNotification {
    /// Stands for `AccessibilityNotification.Announcement`.
    public struct Announcement {
        private let text: String
        private let priority: AnnouncementPriority

        /// Stands for `Announcement.init(_:)`.
        public init(_ announcement: String) {
            (text, priority) = (announcement, .default)
        }

        /// Stands for `Announcement.init(_:)` of an attributed string.
        public init(_ announcement: AttributedString) {
            text = String(announcement.characters)
            priority = announcement.accessibilitySpeechAnnouncementPriority ?? .default
        }

        /// Stands for `post()`. Nobody speaks; a test looks what there would have been to hear.
        public func post() {
            AccessibilityNotification.log.withLock { $0.append((text, priority)) }
        }
    }

    private static let log = Mutex<[(text: String, priority: AnnouncementPriority)]>([])

    /// All announcements since the program began.
    package static var announced: [String] { log.withLock { $0.map(\.text) } }

    /// Those that would have cut off the announcement before them.
    package static var interrupting: [String] {
        log.withLock { $0.filter { $0.priority != .low }.map(\.text) }
    }
}

/// Stands for `AttributeScopes.AccessibilityAttributes.AnnouncementPriorityAttribute.AnnouncementPriority`.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public enum AnnouncementPriority: Hashable, Sendable {
    /// Stands for `AnnouncementPriority.low`: spoken when the speech before it is complete.
    case low
    /// Stands for `AnnouncementPriority.default`: interrupts other speech.
    case `default`
    /// Stands for `AnnouncementPriority.high`: interrupts other speech, and is not interrupted.
    case high
}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
extension AttributedString {
    private enum PriorityKey: AttributedStringKey {
        typealias Value = AnnouncementPriority
        static let name = "AnnouncementPriority"
    }

    /// Stands for the attribute `accessibilitySpeechAnnouncementPriority` of `AttributeScopes.AccessibilityAttributes`.
    public var accessibilitySpeechAnnouncementPriority: AnnouncementPriority? {
        get { self[PriorityKey.self] }
        set { self[PriorityKey.self] = newValue }
    }
}
