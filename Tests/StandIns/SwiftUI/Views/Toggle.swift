/// Stands for `SwiftUI.Toggle`.
public struct Toggle<Label: View>: View {
    /// Stands for `Toggle.Body`.
    public typealias Body = Never
    private let isOn: Binding<Bool>
    private let label: Label

    /// Stands for `Toggle.init(isOn:label:)`.
    public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) {
        self.isOn = isOn
        self.label = label()
    }
}

extension Toggle where Label == Text {
    /// Stands for `Toggle.init(_:isOn:)` with a localized title.
    public init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) {
        self.init(isOn: isOn) { Text(titleKey) }
    }

    /// Stands for `Toggle.init(_:isOn:)`.
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) {
        self.init(isOn: isOn) { Text(title) }
    }
}

extension Toggle: Drawn, Toggled {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {
        node.memory = NSNumber(value: isOn.wrappedValue)
        plan.add(label, .label)
    }

    func blocks(of node: Node) -> [Block] {
        let isOn = (node.memory as? NSNumber)?.boolValue ?? false
        return [["[\(isOn ? "x" : " ")] \(node.line(.label))"]]
    }

    func toggled(_ node: Node) { isOn.wrappedValue.toggle() }
}
