/// Stands for `UIKit.UIView`.
@MainActor
open class UIView: UIResponder {
    /// Stands for `init(frame:)`.
    public init(frame: CGRect) {
        self.frame = frame
        bounds = CGRect(origin: .zero, size: frame.size)
        super.init()
    }

    /// Stands for `init?(coder:)`.
    public required init?(coder: NSCoder) {
        super.init()
    }

    /// Stands for `init()`.
    public override convenience init() {
        self.init(frame: .zero)
    }

    // MARK: Place

    /// Stands for `UIView.frame`.
    open var frame = CGRect.zero {
        didSet {
            guard frame.size != bounds.size else { return }
            let old = bounds.size
            bounds.size = frame.size
            resizeSubviews(from: old)
            setNeedsLayout()
        }
    }

    /// Stands for `UIView.bounds`. Its size is that of ``frame``.
    open var bounds = CGRect.zero {
        didSet {
            if frame.size != bounds.size { frame.size = bounds.size }
        }
    }

    /// Stands for `UIView.center`.
    open var center: CGPoint {
        get { CGPoint(x: frame.midX, y: frame.midY) }
        set {
            frame.origin = CGPoint(x: newValue.x - frame.width / 2, y: newValue.y - frame.height / 2)
        }
    }

    /// Stands for `UIView.autoresizingMask`.
    open var autoresizingMask: AutoresizingMask = []
    /// Stands for `UIView.translatesAutoresizingMaskIntoConstraints`.
    open var translatesAutoresizingMaskIntoConstraints = true
    /// Stands for `UIView.constraints`.
    open internal(set) var constraints: [NSLayoutConstraint] = []
    /// Stands for `UIView.preservesSuperviewLayoutMargins`.
    open var preservesSuperviewLayoutMargins = false

    /// Stands for `convert(_:to:)`.
    open func convert(_ rect: CGRect, to view: UIView?) -> CGRect {
        let (from, to) = (originOnScreen, view?.originOnScreen ?? .zero)
        return rect.offsetBy(dx: from.x - to.x, dy: from.y - to.y)
    }

    /// Stands for `convert(_:from:)`.
    open func convert(_ rect: CGRect, from view: UIView?) -> CGRect {
        let (from, to) = (view?.originOnScreen ?? .zero, originOnScreen)
        return rect.offsetBy(dx: from.x - to.x, dy: from.y - to.y)
    }

    /// Stands for `sizeThatFits(_:)`.
    open func sizeThatFits(_ size: CGSize) -> CGSize { bounds.size }

    private var originOnScreen: CGPoint {
        let outer = superview?.originOnScreen ?? .zero
        return CGPoint(
            x: outer.x + frame.origin.x - bounds.origin.x, y: outer.y + frame.origin.y - bounds.origin.y)
    }

    private func resizeSubviews(from old: CGSize) {
        for view in subviews {
            if view.autoresizingMask.contains(.flexibleWidth) { view.frame.size.width += bounds.width - old.width }
            if view.autoresizingMask.contains(.flexibleHeight) { view.frame.size.height += bounds.height - old.height }
        }
    }

    // MARK: Look

    /// Stands for `UIView.isHidden`.
    open var isHidden = false
    /// Stands for `UIView.alpha`.
    open var alpha: CGFloat = 1
    /// Stands for `UIView.isOpaque`.
    open var isOpaque = true
    /// Stands for `UIView.clipsToBounds`.
    open var clipsToBounds = false
    /// Stands for `UIView.backgroundColor`.
    open var backgroundColor: UIColor?
    /// Stands for `UIView.tintColor`. The real one is implicitly unwrapped too.
    open var tintColor: UIColor! = UIColor.systemBlue
    /// Stands for `UIView.contentMode`.
    open var contentMode = ContentMode.scaleToFill
    /// Stands for `UIView.isUserInteractionEnabled`.
    open var isUserInteractionEnabled = true
    /// Stands for `UIView.tag`.
    open var tag = 0
    /// Stands for `UIView.traitCollection`.
    open var traitCollection: UITraitCollection { UITraitCollection() }

    // MARK: Accessibility

    /// Stands for `isAccessibilityElement`.
    open var isAccessibilityElement = false
    /// Stands for `accessibilityLabel`.
    open var accessibilityLabel: String?
    /// Stands for `accessibilityIdentifier`.
    open var accessibilityIdentifier: String?
    /// Stands for `accessibilityTraits`.
    open var accessibilityTraits: UIAccessibilityTraits = .none
    /// Stands for `accessibilityViewIsModal`.
    open var accessibilityViewIsModal = false

    // MARK: Tree

    /// Stands for `UIView.superview`.
    open private(set) weak var superview: UIView?
    /// Stands for `UIView.subviews`, back to front.
    open private(set) var subviews: [UIView] = []
    /// Stands for `UIView.window`.
    open var window: UIWindow? { superview?.window }
    weak var controller: UIViewController?
    var associated: [UnsafeRawPointer: Any] = [:]

    /// Stands for `UIResponder.next`.
    open override var next: UIResponder? { controller ?? superview }

    /// Stands for `addSubview(_:)`.
    open func addSubview(_ view: UIView) {
        insert(view, at: subviews.count)
    }

    /// Stands for `insertSubview(_:at:)`.
    open func insertSubview(_ view: UIView, at index: Int) {
        insert(view, at: index)
    }

    /// Stands for `insertSubview(_:belowSubview:)`.
    open func insertSubview(_ view: UIView, belowSubview sibling: UIView) {
        insert(view, at: subviews.firstIndex(of: sibling) ?? 0)
    }

    /// Stands for `insertSubview(_:aboveSubview:)`.
    open func insertSubview(_ view: UIView, aboveSubview sibling: UIView) {
        insert(view, at: (subviews.firstIndex(of: sibling) ?? subviews.count - 1) + 1)
    }

    /// Stands for `bringSubviewToFront(_:)`.
    open func bringSubviewToFront(_ view: UIView) {
        guard let index = subviews.firstIndex(of: view) else { return }
        subviews.append(subviews.remove(at: index))
    }

    /// Stands for `sendSubviewToBack(_:)`.
    open func sendSubviewToBack(_ view: UIView) {
        guard let index = subviews.firstIndex(of: view) else { return }
        subviews.insert(subviews.remove(at: index), at: 0)
    }

    /// Stands for `removeFromSuperview()`.
    open func removeFromSuperview() {
        guard let superview else { return }
        willMove(toSuperview: nil)
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
        didMoveToSuperview()
        tellMovedToWindow()
    }

    /// Stands for `isDescendant(of:)`.
    open func isDescendant(of view: UIView) -> Bool {
        self === view || (superview?.isDescendant(of: view) ?? false)
    }

    /// Stands for `viewWithTag(_:)`.
    open func viewWithTag(_ tag: Int) -> UIView? {
        self.tag == tag ? self : subviews.lazy.compactMap { $0.viewWithTag(tag) }.first
    }

    /// Stands for `willMove(toSuperview:)`.
    open func willMove(toSuperview newSuperview: UIView?) {}
    /// Stands for `didMoveToSuperview()`.
    open func didMoveToSuperview() {}
    /// Stands for `didMoveToWindow()`.
    open func didMoveToWindow() {}

    private func insert(_ view: UIView, at index: Int) {
        view.removeFromSuperview()
        view.willMove(toSuperview: self)
        subviews.insert(view, at: min(max(index, 0), subviews.count))
        view.superview = self
        view.didMoveToSuperview()
        setNeedsLayout()
        if window != nil { view.tellMovedToWindow() }
    }

    private func tellMovedToWindow() {
        didMoveToWindow()
        for view in subviews { view.tellMovedToWindow() }
    }

    // MARK: Layout

    private var needsLayout = true

    /// Stands for `setNeedsLayout()`.
    open func setNeedsLayout() {
        needsLayout = true
    }

    /// Stands for `layoutIfNeeded()`.
    open func layoutIfNeeded() {
        if needsLayout {
            needsLayout = false
            controller?.viewWillLayoutSubviews()
            layoutSubviews()
            controller?.viewDidLayoutSubviews()
        }
        for view in subviews { view.layoutIfNeeded() }
    }

    /// Stands for `layoutSubviews()`.
    open func layoutSubviews() {}
    /// Stands for `setNeedsDisplay()`.
    open func setNeedsDisplay() {}
    /// Stands for `updateConstraints()`.
    open func updateConstraints() {}

    // MARK: Animation

    /// Stands for `animate(withDuration:animations:)`: what it animates is done at once.
    open class func animate(withDuration duration: TimeInterval, animations: @escaping () -> Void) {
        animations()
    }

    /// Stands for `animate(withDuration:animations:completion:)`: what it animates is done at once.
    open class func animate(
        withDuration duration: TimeInterval, animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
    ) {
        animations()
        completion?(true)
    }

    /// Stands for `performWithoutAnimation(_:)`.
    open class func performWithoutAnimation(_ actionsWithoutAnimation: () -> Void) {
        actionsWithoutAnimation()
    }
}
