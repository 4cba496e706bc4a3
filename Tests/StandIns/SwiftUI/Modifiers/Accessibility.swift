/// A view that tests and screen readers know by another name.
struct Named<Content: View>: Drawn {
    let content: Content
    let name: String

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }
}

/// Tells the name of a view without its type.
@MainActor
protocol HasName {
    var name: String { get }
}

extension Named: HasName {}

extension View {
    /// Stands for `View.accessibilityLabel(_:)`.
    @_disfavoredOverload
    public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View {
        Named(content: self, name: String(label))
    }

    /// Stands for `View.accessibilityLabel(_:)` with a localized text.
    public func accessibilityLabel(_ labelKey: LocalizedStringKey) -> some View {
        Named(content: self, name: labelKey.text)
    }

    /// Stands for `View.accessibilityLabel(_:)` with a text.
    public func accessibilityLabel(_ label: Text) -> some View { Named(content: self, name: label.string) }

    /// Stands for `View.accessibilityIdentifier(_:)`.
    public func accessibilityIdentifier(_ identifier: String) -> some View { Named(content: self, name: identifier) }
}
