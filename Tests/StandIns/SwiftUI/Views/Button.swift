/// Stands for `SwiftUI.ButtonRole`.
public struct ButtonRole: Equatable, Sendable {
    private let name: String
    /// Stands for `ButtonRole.destructive`.
    public static let destructive = ButtonRole(name: "destructive")
    /// Stands for `ButtonRole.cancel`.
    public static let cancel = ButtonRole(name: "cancel")
}

/// Stands for `SwiftUI.Button`.
public struct Button<Label: View>: View {
    /// Stands for `Button.Body`.
    public typealias Body = Never
    private let action: @MainActor () -> Void
    private let label: Label

    /// Stands for `Button.init(action:label:)`.
    @preconcurrency
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }

    /// Stands for `Button.init(role:action:label:)`.
    @preconcurrency
    public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.init(action: action, label: label)
    }
}

extension Button where Label == Text {
    /// Stands for `Button.init(_:action:)` with a localized title.
    @preconcurrency
    public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(titleKey) }
    }

    /// Stands for `Button.init(_:action:)`.
    @preconcurrency
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(title) }
    }

    /// Stands for `Button.init(_:role:action:)` with a localized title.
    @preconcurrency
    public init(_ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(titleKey) }
    }

    /// Stands for `Button.init(_:role:action:)`.
    @preconcurrency
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(title) }
    }
}

extension Button where Label == SwiftUI.Label<Text, Image> {
    /// Stands for `Button.init(_:systemImage:action:)` with a localized title.
    @preconcurrency
    public init(_ titleKey: LocalizedStringKey, systemImage: String, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { SwiftUI.Label(titleKey, systemImage: systemImage) }
    }
}

extension Button: Drawn, Tapped {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) { plan.add(label, .label) }

    func blocks(of node: Node) -> [Block] {
        let isEnabled = node.surroundings.environment.isEnabled
        return [["[\(node.line(.label))]\(isEnabled ? "" : " (disabled)")"]]
    }

    func label(_ node: Node) -> String { node.line(.label) }

    func spoken(_ node: Node) -> [String] { ["\(node.spokenChildren.joined(separator: ", ")), button"] }

    func tapped(_ node: Node) {
        action()
        node.surroundings.closesAlert?()
    }
}
