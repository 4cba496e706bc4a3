/// Stands for `UIKit.UIControl`.
@MainActor
open class UIControl: UIView {
    /// Stands for `UIControl.Event`.
    public struct Event: OptionSet, Sendable {
        /// Stands for `Event.rawValue`.
        public let rawValue: UInt

        /// Stands for `init(rawValue:)`.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Stands for `Event.touchUpInside`.
        public static let touchUpInside = Event(rawValue: 1 << 6)
        /// Stands for `Event.valueChanged`.
        public static let valueChanged = Event(rawValue: 1 << 12)
        /// Stands for `Event.primaryActionTriggered`.
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
        /// Stands for `Event.editingChanged`.
        public static let editingChanged = Event(rawValue: 1 << 17)
        /// Stands for `Event.editingDidEndOnExit`.
        public static let editingDidEndOnExit = Event(rawValue: 1 << 19)
    }

    /// Stands for `UIControl.State`.
    public struct State: OptionSet, Hashable, Sendable {
        /// Stands for `State.rawValue`.
        public let rawValue: UInt

        /// Stands for `init(rawValue:)`.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Stands for `State.normal`.
        public static let normal = State([])
        /// Stands for `State.highlighted`.
        public static let highlighted = State(rawValue: 1)
        /// Stands for `State.disabled`.
        public static let disabled = State(rawValue: 2)
        /// Stands for `State.selected`.
        public static let selected = State(rawValue: 4)
    }

    /// Stands for `init(frame:)`.
    public override init(frame: CGRect) {
        super.init(frame: frame)
    }

    /// Stands for `init?(coder:)`.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// Stands for `init(frame:primaryAction:)`.
    public convenience init(frame: CGRect, primaryAction: UIAction?) {
        self.init(frame: frame)
        if let primaryAction { addAction(primaryAction, for: .primaryActionTriggered) }
    }

    /// Stands for `UIControl.isEnabled`.
    open var isEnabled = true
    /// Stands for `UIControl.isSelected`.
    open var isSelected = false
    /// Stands for `UIControl.isHighlighted`.
    open var isHighlighted = false

    private var actions: [(action: UIAction, events: Event)] = []

    /// Stands for `addAction(_:for:)`.
    open func addAction(_ action: UIAction, for controlEvents: Event) {
        removeAction(identifiedBy: action.identifier, for: controlEvents)
        actions.append((action, controlEvents))
    }

    /// Stands for `removeAction(_:for:)`.
    open func removeAction(_ action: UIAction, for controlEvents: Event) {
        removeAction(identifiedBy: action.identifier, for: controlEvents)
    }

    /// Stands for `removeAction(identifiedBy:for:)`.
    open func removeAction(identifiedBy actionIdentifier: UIAction.Identifier, for controlEvents: Event) {
        actions.removeAll { $0.action.identifier == actionIdentifier && $0.events == controlEvents }
    }

    /// Stands for `sendActions(for:)`.
    open func sendActions(for controlEvents: Event) {
        for (action, events) in actions where !events.isDisjoint(with: controlEvents) {
            action.run(by: self)
        }
    }

    /// What a finger does: nothing where the control cannot be touched.
    package func tap() {
        guard isEnabled, isUserInteractionEnabled, !isHiddenOnScreen else { return }
        sendActions(for: [.touchUpInside, .primaryActionTriggered])
    }
}

extension UIView {
    /// True if this or anything around it is hidden.
    package var isHiddenOnScreen: Bool {
        isHidden || alpha == 0 || (superview?.isHiddenOnScreen ?? false)
    }

    /// All text that can be seen, in order.
    package var visibleText: [String] {
        guard !isHidden, alpha > 0 else { return [] }
        let own =
            switch self {
            case let label as UILabel: [label.text].compactMap { $0 }
            case let button as UIButton: [button.currentTitle].compactMap { $0 }
            case let spinner as UIActivityIndicatorView: spinner.isAnimating ? ["…"] : []
            default: [String]()
            }
        return own + subviews.flatMap(\.visibleText)
    }
}

/// Stands for `UIKit.UIAction`.
@MainActor
open class UIAction: NSObject {
    /// Stands for `UIAction.Identifier`.
    public struct Identifier: Hashable, RawRepresentable, Sendable {
        /// Stands for `Identifier.rawValue`.
        public var rawValue: String

        /// Stands for `init(rawValue:)`.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Stands for `init(_:)`.
        public init(_ rawValue: String) {
            self.init(rawValue: rawValue)
        }
    }

    /// Stands for `UIAction.title`.
    open var title: String
    /// Stands for `UIAction.identifier`.
    public let identifier: Identifier
    /// Stands for `UIAction.sender`.
    open private(set) weak var sender: AnyObject?
    private let handler: UIActionHandler

    /// Stands for `init(title:image:identifier:handler:)`, which has more, and is a convenience.
    public init(
        title: String = "", image: UIImage? = nil, identifier: Identifier? = nil, handler: @escaping UIActionHandler
    ) {
        self.title = title
        self.identifier = identifier ?? Identifier(UUID().uuidString)
        self.handler = handler
    }

    fileprivate func run(by sender: UIControl) {
        self.sender = sender
        handler(self)
    }
}

/// Stands for `UIKit.UIActionHandler`.
public typealias UIActionHandler = (_ action: UIAction) -> Void

/// Stands for `UIKit.UIButton`.
@MainActor
open class UIButton: UIControl {
    /// Stands for `UIButton.ButtonType`.
    public enum ButtonType: Int, Sendable {
        /// Stands for `ButtonType.custom`.
        case custom
        /// Stands for `ButtonType.system`.
        case system
    }

    /// Stands for `init(type:)`.
    public convenience init(type buttonType: ButtonType) {
        self.init(frame: .zero)
    }

    private var titles: [State: String] = [:]
    /// Stands for `UIButton.titleLabel`.
    open private(set) var titleLabel: UILabel? = UILabel()

    /// Stands for `setTitle(_:for:)`.
    open func setTitle(_ title: String?, for state: State) {
        titles[state] = title
        titleLabel?.text = currentTitle
    }

    /// Stands for `title(for:)`.
    open func title(for state: State) -> String? { titles[state] ?? titles[.normal] }
    /// Stands for `UIButton.currentTitle`.
    open var currentTitle: String? { title(for: isEnabled ? .normal : .disabled) }
}

/// Stands for `UIKit.UITextField`.
@MainActor
open class UITextField: UIControl {
    /// Stands for `UITextField.text`.
    open var text: String? = ""
    /// Stands for `UITextField.placeholder`.
    open var placeholder: String?

    /// What a keyboard does.
    package func type(_ text: String) {
        self.text = text
        sendActions(for: .editingChanged)
    }
}

/// Stands for `UIKit.UIRefreshControl`. Not on tvOS.
@MainActor
open class UIRefreshControl: UIControl {
    /// Stands for `UIRefreshControl.isRefreshing`.
    open private(set) var isRefreshing = false

    /// Stands for `beginRefreshing()`.
    open func beginRefreshing() {
        isRefreshing = true
    }

    /// Stands for `endRefreshing()`.
    open func endRefreshing() {
        isRefreshing = false
    }

    /// What a finger does that pulls the content down.
    package func pull() {
        guard !isRefreshing else { return }
        isRefreshing = true
        sendActions(for: .valueChanged)
    }
}
