/// Stands for `UIKit.NSLayoutConstraint`. Nothing is laid out by it here.
@MainActor
open class NSLayoutConstraint: NSObject {
    /// Stands for `NSLayoutConstraint.isActive`.
    open var isActive = false {
        didSet {
            guard isActive != oldValue else { return }
            if isActive { owner?.constraints.append(self) } else { owner?.constraints.removeAll { $0 === self } }
        }
    }

    /// Stands for `NSLayoutConstraint.constant`.
    open var constant: CGFloat
    /// Stands for `NSLayoutConstraint.priority`.
    open var priority = UILayoutPriority.required
    private weak var owner: UIView?

    init(owner: UIView?, constant: CGFloat) {
        self.owner = owner
        self.constant = constant
    }

    /// Stands for `activate(_:)`.
    open class func activate(_ constraints: [NSLayoutConstraint]) {
        for constraint in constraints { constraint.isActive = true }
    }

    /// Stands for `deactivate(_:)`.
    open class func deactivate(_ constraints: [NSLayoutConstraint]) {
        for constraint in constraints { constraint.isActive = false }
    }
}

/// Stands for `UIKit.UILayoutPriority`.
public struct UILayoutPriority: Hashable, RawRepresentable, Sendable {
    /// Stands for `UILayoutPriority.rawValue`.
    public var rawValue: Float

    /// Stands for `init(rawValue:)`.
    public init(rawValue: Float) {
        self.rawValue = rawValue
    }

    /// Stands for `init(_:)`.
    public init(_ rawValue: Float) {
        self.init(rawValue: rawValue)
    }

    /// Stands for `UILayoutPriority.required`.
    public static let required = UILayoutPriority(1000)
    /// Stands for `UILayoutPriority.defaultHigh`.
    public static let defaultHigh = UILayoutPriority(750)
    /// Stands for `UILayoutPriority.defaultLow`.
    public static let defaultLow = UILayoutPriority(250)
}

/// Stands for `UIKit.NSLayoutAnchor`.
@MainActor
open class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    weak var owner: UIView?

    init(owner: UIView?) {
        self.owner = owner
    }

    /// Stands for `constraint(equalTo:)`.
    open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>) -> NSLayoutConstraint {
        constraint(equalTo: anchor, constant: 0)
    }

    /// Stands for `constraint(equalTo:constant:)`.
    open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint(owner: owner, constant: constant)
    }

    /// Stands for `constraint(greaterThanOrEqualTo:constant:)`.
    open func constraint(
        greaterThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0
    ) -> NSLayoutConstraint {
        NSLayoutConstraint(owner: owner, constant: constant)
    }

    /// Stands for `constraint(lessThanOrEqualTo:constant:)`.
    open func constraint(
        lessThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0
    ) -> NSLayoutConstraint {
        NSLayoutConstraint(owner: owner, constant: constant)
    }
}

/// Stands for `UIKit.NSLayoutXAxisAnchor`.
@MainActor
open class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}

/// Stands for `UIKit.NSLayoutYAxisAnchor`.
@MainActor
open class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}

/// Stands for `UIKit.NSLayoutDimension`.
@MainActor
open class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
    /// Stands for `constraint(equalToConstant:)`.
    open func constraint(equalToConstant constant: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint(owner: owner, constant: constant)
    }
}

/// Stands for `UIKit.UILayoutGuide`.
@MainActor
open class UILayoutGuide: NSObject {
    private weak var view: UIView?

    init(view: UIView) {
        self.view = view
    }

    /// Stands for `UILayoutGuide.leadingAnchor`.
    open var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(owner: view) }
    /// Stands for `UILayoutGuide.trailingAnchor`.
    open var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(owner: view) }
    /// Stands for `UILayoutGuide.topAnchor`.
    open var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(owner: view) }
    /// Stands for `UILayoutGuide.bottomAnchor`.
    open var bottomAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(owner: view) }
    /// Stands for `UILayoutGuide.widthAnchor`.
    open var widthAnchor: NSLayoutDimension { NSLayoutDimension(owner: view) }
}

extension UIView {
    /// Stands for `UIView.leadingAnchor`.
    public var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(owner: self) }
    /// Stands for `UIView.trailingAnchor`.
    public var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(owner: self) }
    /// Stands for `UIView.centerXAnchor`.
    public var centerXAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(owner: self) }
    /// Stands for `UIView.topAnchor`.
    public var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(owner: self) }
    /// Stands for `UIView.bottomAnchor`.
    public var bottomAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(owner: self) }
    /// Stands for `UIView.centerYAnchor`.
    public var centerYAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(owner: self) }
    /// Stands for `UIView.widthAnchor`.
    public var widthAnchor: NSLayoutDimension { NSLayoutDimension(owner: self) }
    /// Stands for `UIView.heightAnchor`.
    public var heightAnchor: NSLayoutDimension { NSLayoutDimension(owner: self) }
    /// Stands for `UIView.layoutMarginsGuide`.
    public var layoutMarginsGuide: UILayoutGuide { UILayoutGuide(view: self) }
    /// Stands for `UIView.safeAreaLayoutGuide`.
    public var safeAreaLayoutGuide: UILayoutGuide { UILayoutGuide(view: self) }
}
