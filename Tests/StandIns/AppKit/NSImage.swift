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

/// Stands for `AppKit.NSApplication`.
@MainActor
open class NSApplication: NSObject {
    /// Stands for `NSApplication.didBecomeActiveNotification`.
    public nonisolated class var didBecomeActiveNotification: Notification.Name {
        Notification.Name("NSApplicationDidBecomeActiveNotification")
    }

    /// Stands for `NSApplication.didResignActiveNotification`.
    public nonisolated class var didResignActiveNotification: Notification.Name {
        Notification.Name("NSApplicationDidResignActiveNotification")
    }
}
