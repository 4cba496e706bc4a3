extension NSApplication {
    /// Stands for `NSApplication.ActivationPolicy`.
    public enum ActivationPolicy: Int, Sendable {
        case regular = 0
        case accessory = 1
        case prohibited = 2
    }

    /// Stands for `NSApplication.shared`.
    public class var shared: NSApplication { NSApplication() }

    /// Stands for `setActivationPolicy(_:)`. There is no application, so it changes nothing.
    @discardableResult
    public func setActivationPolicy(_ activationPolicy: ActivationPolicy) -> Bool { true }

    /// Stands for `activate(ignoringOtherApps:)`. Does nothing.
    public func activate(ignoringOtherApps flag: Bool) {}
}
