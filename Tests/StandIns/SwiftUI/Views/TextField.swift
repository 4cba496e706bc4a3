/// Stands for `SwiftUI.TextField`.
public struct TextField<Label: View>: View {
    /// Stands for `TextField.Body`.
    public typealias Body = Never
    private let text: Binding<String>
    private let label: Label

    /// Stands for `TextField.init(text:prompt:label:)`.
    public init(text: Binding<String>, prompt: Text? = nil, @ViewBuilder label: () -> Label) {
        self.text = text
        self.label = label()
    }
}

extension TextField where Label == Text {
    /// Stands for `TextField.init(_:text:)` with a localized title.
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
        self.init(text: text) { Text(titleKey) }
    }

    /// Stands for `TextField.init(_:text:)`.
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        self.init(text: text) { Text(title) }
    }

    /// Stands for `TextField.init(_:text:prompt:)`.
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>, prompt: Text?) {
        self.init(text: text) { Text(titleKey) }
    }
}

extension TextField: Drawn, Typed {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {
        node.memory = NSString(string: text.wrappedValue)
        plan.add(label, .label)
    }

    func blocks(of node: Node) -> [Block] { [["\(name(node)): |\(node.memory as? NSString ?? "")|"]] }

    func name(_ node: Node) -> String { node.line(.label) }

    func typed(_ text: String, _ node: Node) { self.text.wrappedValue = text }
}

/// Stands for `SwiftUI.SecureField`.
public struct SecureField<Label: View>: View {
    /// Stands for `SecureField.Body`.
    public typealias Body = Never
    private let text: Binding<String>
    private let label: Label

    /// Stands for `SecureField.init(text:prompt:label:)`.
    public init(text: Binding<String>, prompt: Text? = nil, @ViewBuilder label: () -> Label) {
        self.text = text
        self.label = label()
    }
}

extension SecureField where Label == Text {
    /// Stands for `SecureField.init(_:text:)` with a localized title.
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
        self.init(text: text) { Text(titleKey) }
    }

    /// Stands for `SecureField.init(_:text:)`.
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        self.init(text: text) { Text(title) }
    }
}

extension SecureField: Drawn, Typed {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {
        node.memory = NSNumber(value: text.wrappedValue.count)
        plan.add(label, .label)
    }

    func blocks(of node: Node) -> [Block] {
        let count = (node.memory as? NSNumber)?.intValue ?? 0
        return [["\(name(node)): |\(String(repeating: "•", count: count))|"]]
    }

    func name(_ node: Node) -> String { node.line(.label) }

    func typed(_ text: String, _ node: Node) { self.text.wrappedValue = text }
}
