extension UIView {
    /// Stands for `UIView.ContentMode`.
    public enum ContentMode: Int, Sendable {
        /// Stands for `ContentMode.scaleToFill`.
        case scaleToFill
        /// Stands for `ContentMode.scaleAspectFit`.
        case scaleAspectFit
        /// Stands for `ContentMode.scaleAspectFill`.
        case scaleAspectFill
        /// Stands for `ContentMode.redraw`.
        case redraw
        /// Stands for `ContentMode.center`.
        case center
    }

    /// Stands for `UIView.AutoresizingMask`.
    public struct AutoresizingMask: OptionSet, Sendable {
        /// Stands for `AutoresizingMask.rawValue`.
        public let rawValue: UInt

        /// Stands for `init(rawValue:)`.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Stands for `AutoresizingMask.flexibleLeftMargin`.
        public static let flexibleLeftMargin = AutoresizingMask(rawValue: 1)
        /// Stands for `AutoresizingMask.flexibleWidth`.
        public static let flexibleWidth = AutoresizingMask(rawValue: 2)
        /// Stands for `AutoresizingMask.flexibleRightMargin`.
        public static let flexibleRightMargin = AutoresizingMask(rawValue: 4)
        /// Stands for `AutoresizingMask.flexibleTopMargin`.
        public static let flexibleTopMargin = AutoresizingMask(rawValue: 8)
        /// Stands for `AutoresizingMask.flexibleHeight`.
        public static let flexibleHeight = AutoresizingMask(rawValue: 16)
        /// Stands for `AutoresizingMask.flexibleBottomMargin`.
        public static let flexibleBottomMargin = AutoresizingMask(rawValue: 32)
    }
}

/// Stands for `UIKit.UIAccessibilityTraits`.
public struct UIAccessibilityTraits: OptionSet, Sendable {
    /// Stands for `UIAccessibilityTraits.rawValue`.
    public let rawValue: UInt64

    /// Stands for `init(rawValue:)`.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Stands for `UIAccessibilityTraits.none`.
    public static let none = UIAccessibilityTraits([])
    /// Stands for `UIAccessibilityTraits.button`.
    public static let button = UIAccessibilityTraits(rawValue: 1)
    /// Stands for `UIAccessibilityTraits.image`.
    public static let image = UIAccessibilityTraits(rawValue: 4)
    /// Stands for `UIAccessibilityTraits.header`.
    public static let header = UIAccessibilityTraits(rawValue: 65536)
    /// Stands for `UIAccessibilityTraits.updatesFrequently`.
    public static let updatesFrequently = UIAccessibilityTraits(rawValue: 512)
}

/// Stands for `UIKit.UITraitCollection`.
open class UITraitCollection: NSObject, @unchecked Sendable {  // has nothing that changes
    /// Stands for `UITraitCollection.userInterfaceStyle`.
    open var userInterfaceStyle: UIUserInterfaceStyle { .light }
    /// Stands for `UITraitCollection.displayScale`.
    open var displayScale: CGFloat { 2 }
}

/// Stands for `UIKit.UIUserInterfaceStyle`.
public enum UIUserInterfaceStyle: Int, Sendable {
    /// Stands for `UIUserInterfaceStyle.unspecified`.
    case unspecified
    /// Stands for `UIUserInterfaceStyle.light`.
    case light
    /// Stands for `UIUserInterfaceStyle.dark`.
    case dark
}

/// Stands for `UIKit.UIWindow`.
@MainActor
open class UIWindow: UIView {
    /// Stands for `UIWindow.rootViewController`. Setting it shows its view, as the window being key does.
    open var rootViewController: UIViewController? {
        didSet {
            oldValue?.disappear()
            guard let rootViewController else { return }
            rootViewController.view.frame = bounds
            addSubview(rootViewController.view)
            rootViewController.appear()
        }
    }

    /// Stands for `UIView.window`.
    open override var window: UIWindow? { self }

    /// Stands for `makeKeyAndVisible()`.
    open func makeKeyAndVisible() {
        layoutIfNeeded()
    }
}
