/// Stands for `UIKit.UILabel`.
@MainActor
open class UILabel: UIView {
    /// Stands for `UILabel.text`.
    open var text: String?
    /// Stands for `UILabel.font`. The real one is implicitly unwrapped too.
    open var font: UIFont! = UIFont()
    /// Stands for `UILabel.textColor`. The real one is implicitly unwrapped too.
    open var textColor: UIColor! = UIColor.label
    /// Stands for `UILabel.textAlignment`.
    open var textAlignment = NSTextAlignment.natural
    /// Stands for `UILabel.numberOfLines`.
    open var numberOfLines = 1
    /// Stands for `UILabel.adjustsFontForContentSizeCategory`.
    open var adjustsFontForContentSizeCategory = false
}

/// Stands for `UIKit.NSTextAlignment`.
public enum NSTextAlignment: Int, Sendable {
    /// Stands for `NSTextAlignment.left`.
    case left
    /// Stands for `NSTextAlignment.center`.
    case center
    /// Stands for `NSTextAlignment.right`.
    case right
    /// Stands for `NSTextAlignment.natural`.
    case natural
}

/// Stands for `UIKit.UIActivityIndicatorView`.
@MainActor
open class UIActivityIndicatorView: UIView {
    /// Stands for `UIActivityIndicatorView.Style`.
    public enum Style: Int, Sendable {
        /// Stands for `Style.medium`.
        case medium = 100
        /// Stands for `Style.large`.
        case large
    }

    /// Stands for `init(frame:)`.
    public override init(frame: CGRect) {
        super.init(frame: frame)
        isHidden = true
    }

    /// Stands for `init(coder:)`.
    public required init(coder: NSCoder) {
        super.init(frame: .zero)
    }

    /// Stands for `init(style:)`.
    public init(style: Style) {
        self.style = style
        super.init(frame: .zero)
        isHidden = true
    }

    /// Stands for `UIActivityIndicatorView.style`.
    open var style = Style.medium
    /// Stands for `UIActivityIndicatorView.isAnimating`.
    open private(set) var isAnimating = false
    /// Stands for `UIActivityIndicatorView.hidesWhenStopped`.
    open var hidesWhenStopped = true

    /// Stands for `startAnimating()`.
    open func startAnimating() {
        isAnimating = true
        isHidden = false
    }

    /// Stands for `stopAnimating()`.
    open func stopAnimating() {
        isAnimating = false
        if hidesWhenStopped { isHidden = true }
    }
}

/// Stands for `UIKit.UIImageView`.
@MainActor
open class UIImageView: UIView {
    /// Stands for `init(frame:)`.
    public override init(frame: CGRect) {
        super.init(frame: frame)
    }

    /// Stands for `init(image:)`.
    public init(image: UIImage?) {
        super.init(frame: .zero)
        self.image = image
    }

    /// Stands for `init(image:highlightedImage:)`.
    public init(image: UIImage?, highlightedImage: UIImage?) {
        super.init(frame: .zero)
        self.image = image
    }

    /// Stands for `init?(coder:)`.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// Stands for `UIImageView.image`.
    open var image: UIImage?
}

/// Stands for `UIKit.UIStackView`.
@MainActor
open class UIStackView: UIView {
    /// Stands for `UIStackView.Alignment`.
    public enum Alignment: Int, Sendable {
        /// Stands for `Alignment.fill`.
        case fill
        /// Stands for `Alignment.leading`.
        case leading
        /// Stands for `Alignment.center`.
        case center = 3
        /// Stands for `Alignment.trailing`.
        case trailing
    }

    /// Stands for `init(frame:)`.
    public override init(frame: CGRect) {
        super.init(frame: frame)
    }

    /// Stands for `init(coder:)`.
    public required init(coder: NSCoder) {
        super.init(frame: .zero)
    }

    /// Stands for `init(arrangedSubviews:)`.
    public convenience init(arrangedSubviews views: [UIView]) {
        self.init(frame: .zero)
        for view in views { addArrangedSubview(view) }
    }

    /// Stands for `UIStackView.arrangedSubviews`.
    open private(set) var arrangedSubviews: [UIView] = []
    /// Stands for `UIStackView.axis`.
    open var axis = NSLayoutConstraint.Axis.horizontal
    /// Stands for `UIStackView.alignment`.
    open var alignment = Alignment.fill
    /// Stands for `UIStackView.spacing`.
    open var spacing: CGFloat = 0

    /// Stands for `addArrangedSubview(_:)`.
    open func addArrangedSubview(_ view: UIView) {
        arrangedSubviews.append(view)
        addSubview(view)
    }

    /// Stands for `insertArrangedSubview(_:at:)`.
    open func insertArrangedSubview(_ view: UIView, at stackIndex: Int) {
        arrangedSubviews.insert(view, at: stackIndex)
        insertSubview(view, at: stackIndex)
    }

    /// Stands for `removeArrangedSubview(_:)`.
    open func removeArrangedSubview(_ view: UIView) {
        arrangedSubviews.removeAll { $0 === view }
    }
}

extension NSLayoutConstraint {
    /// Stands for `NSLayoutConstraint.Axis`.
    public enum Axis: Int, Sendable {
        /// Stands for `Axis.horizontal`.
        case horizontal
        /// Stands for `Axis.vertical`.
        case vertical
    }
}

/// Stands for `UIKit.UIScrollView`.
@MainActor
open class UIScrollView: UIView {
    /// Stands for `UIScrollView.contentOffset`.
    open var contentOffset = CGPoint.zero {
        didSet { bounds.origin = contentOffset }
    }

    /// Stands for `UIScrollView.contentSize`.
    open var contentSize = CGSize.zero
    /// Stands for `UIScrollView.refreshControl`. Not on tvOS.
    open var refreshControl: UIRefreshControl?
    /// Stands for `UIScrollView.alwaysBounceVertical`.
    open var alwaysBounceVertical = false
}
