/// Stands for `SwiftUI.NavigationLink`.
public struct NavigationLink<Label: View, Destination: View>: View {
    /// Stands for `NavigationLink.Body`.
    public typealias Body = Never

    private enum Target {
        case view(Destination)
        case value(AnyHashable?)
    }

    private let target: Target
    private let label: Label

    private init(target: Target, label: Label) {
        self.target = target
        self.label = label
    }

    /// Stands for `NavigationLink.init(destination:label:)`.
    public init(@ViewBuilder destination: () -> Destination, @ViewBuilder label: () -> Label) {
        self.init(target: .view(destination()), label: label())
    }

    /// Stands for `NavigationLink.init(destination:label:)` with a view.
    public init(destination: Destination, @ViewBuilder label: () -> Label) {
        self.init(target: .view(destination), label: label())
    }
}

extension NavigationLink where Label == Text {
    /// Stands for `NavigationLink.init(_:destination:)` with a localized title.
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder destination: () -> Destination) {
        self.init(target: .view(destination()), label: Text(titleKey))
    }

    /// Stands for `NavigationLink.init(_:destination:)`.
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, @ViewBuilder destination: () -> Destination) {
        self.init(target: .view(destination()), label: Text(title))
    }

    /// Stands for `NavigationLink.init(_:destination:)` with a localized title and a view.
    public init(_ titleKey: LocalizedStringKey, destination: Destination) {
        self.init(target: .view(destination), label: Text(titleKey))
    }

    /// Stands for `NavigationLink.init(_:destination:)` with a view.
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, destination: Destination) {
        self.init(target: .view(destination), label: Text(title))
    }
}

@available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *)
extension NavigationLink where Destination == Never {
    /// Stands for `NavigationLink.init(value:label:)`.
    public init<P: Hashable>(value: P?, @ViewBuilder label: () -> Label) {
        self.init(target: .value(value.map { AnyHashable($0) }), label: label())
    }

    /// Stands for `NavigationLink.init(_:value:)` with a localized title.
    public init<P: Hashable>(_ titleKey: LocalizedStringKey, value: P?) where Label == Text {
        self.init(target: .value(value.map { AnyHashable($0) }), label: Text(titleKey))
    }

    /// Stands for `NavigationLink.init(_:value:)`.
    @_disfavoredOverload
    public init<S: StringProtocol, P: Hashable>(_ title: S, value: P?) where Label == Text {
        self.init(target: .value(value.map { AnyHashable($0) }), label: Text(title))
    }
}

extension NavigationLink: Drawn, Tapped {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(label, .label)
        guard case .view(let destination) = target else { return }
        node.surroundings.pages?.update(from: node.handle.identifier) { destination }
    }

    func blocks(of node: Node) -> [Block] { [["\(node.line(.label)) >"]] }

    func label(_ node: Node) -> String { node.line(.label) }

    func tapped(_ node: Node) {
        switch target {
        case .view(let destination): node.surroundings.pages?.push(from: node.handle.identifier) { destination }
        case .value(let value?): node.surroundings.pages?.push(value)
        case .value(nil): break
        }
    }
}
