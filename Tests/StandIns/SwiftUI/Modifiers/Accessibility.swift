/// A view that tests and screen readers know by another name.
struct Named<Content: View>: Drawn {
    let content: Content
    let name: String
    /// True if a screen reader reads the name too.
    let isSpoken: Bool

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }

    func spoken(_ node: Node) -> [String] {
        let inner = node.spokenChildren
        guard isSpoken else { return inner }
        let isButton = inner.count == 1 && inner[0].hasSuffix(", button")
        return [isButton ? "\(name), button" : name]
    }
}

/// Tells the name of a view without its type.
@MainActor
protocol HasName {
    var name: String { get }
}

extension Named: HasName {}

/// A view whose parts a screen reader reads in another way than one after the other.
struct Grouped<Content: View>: Drawn {
    let content: Content
    let behavior: AccessibilityChildBehavior

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }

    func spoken(_ node: Node) -> [String] {
        let inner = node.spokenChildren
        return switch behavior {
        case .combine: inner.isEmpty ? [] : [inner.joined(separator: ", ")]
        case .ignore: []
        default: inner
        }
    }
}

extension View {
    /// Stands for `View.accessibilityLabel(_:)`.
    @_disfavoredOverload
    public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View {
        Named(content: self, name: String(label), isSpoken: true)
    }

    /// Stands for `View.accessibilityLabel(_:)` with a localized text.
    public func accessibilityLabel(_ labelKey: LocalizedStringKey) -> some View {
        Named(content: self, name: labelKey.text, isSpoken: true)
    }

    /// Stands for `View.accessibilityLabel(_:)` with a text.
    public func accessibilityLabel(_ label: Text) -> some View {
        Named(content: self, name: label.string, isSpoken: true)
    }

    /// Stands for `View.accessibilityIdentifier(_:)`.
    public func accessibilityIdentifier(_ identifier: String) -> some View {
        Named(content: self, name: identifier, isSpoken: false)
    }

    /// Stands for `View.accessibilityHidden(_:)`.
    public func accessibilityHidden(_ hidden: Bool) -> some View {
        Grouped(content: self, behavior: hidden ? .ignore : .contain)
    }

    /// Stands for `View.accessibilityElement(children:)`. An element that ignores its children needs a label, or is not
    /// read.
    public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View {
        Grouped(content: self, behavior: children)
    }
}

extension Screen {
    /// What a screen reader reads, one text for each element, in order: the label, and `, button` for what can be pressed.
    package var spoken: [String] { nodes.first?.spoken ?? [] }
}

extension Node {
    /// What a screen reader reads of the view.
    var spoken: [String] {
        guard isShown, let view else { return [] }
        return (view as? any Drawn)?.spoken(self) ?? spokenChildren
    }

    /// What a screen reader reads of what is below the view.
    var spokenChildren: [String] { children.flatMap(\.spoken) }
}

extension Screen {
    /// True if there is a scroll view.
    package var scrolls: Bool { nodes.contains { $0.view is any Refreshed } }
}
