public import Foundation

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

extension NSApplication {
    /// Stands for `NSApplication.shared`.
    public class var shared: NSApplication { theOnlyOne }
    private static let theOnlyOne = NSApplication()

    /// Stands for `NSApplication.mainWindow`, which is an `NSWindow`.
    public var mainWindow: AnyObject? { nil }
}

extension NSApplication {
    /// Stands for `NSApplication.ActivationPolicy`.
    public enum ActivationPolicy: Int, Sendable {
        case regular = 0
        case accessory = 1
        case prohibited = 2
    }

    /// Stands for `setActivationPolicy(_:)`. There is no application, so it changes nothing.
    @discardableResult
    public func setActivationPolicy(_ activationPolicy: ActivationPolicy) -> Bool { true }

    /// Stands for `activate(ignoringOtherApps:)`. Does nothing.
    public func activate(ignoringOtherApps flag: Bool) {}
}
