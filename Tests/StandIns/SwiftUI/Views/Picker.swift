/// Stands for `SwiftUI.Picker`.
public struct Picker<Label: View, SelectionValue: Hashable, Content: View>: View {
    /// Stands for `Picker.Body`.
    public typealias Body = Never
    private let selection: Binding<SelectionValue>
    private let content: Content
    private let label: Label

    /// Stands for `Picker.init(selection:content:label:)`.
    public init(
        selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label
    ) {
        self.selection = selection
        self.content = content()
        self.label = label()
    }
}

extension Picker where Label == Text {
    /// Stands for `Picker.init(_:selection:content:)` with a localized title.
    public init(
        _ titleKey: LocalizedStringKey, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
    ) {
        self.init(selection: selection, content: content) { Text(titleKey) }
    }

    /// Stands for `Picker.init(_:selection:content:)`.
    @_disfavoredOverload
    public init<S: StringProtocol>(
        _ title: S, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
    ) {
        self.init(selection: selection, content: content) { Text(title) }
    }
}

extension Picker: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {
        let selected = AnyHashable(selection.wrappedValue)
        plan.add(content, adjust: { $0.choice = Choice(selected: selected, select: select) })
        plan.add(label, .label)
    }

    private func select(_ value: AnyHashable) {
        if let value = value.base as? SelectionValue { selection.wrappedValue = value }
    }

    func blocks(of node: Node) -> [Block] { [[node.line(.label)] + node.lines(.content).indented] }
}

/// What the rows of a picker choose from.
struct Choice {
    let selected: AnyHashable
    let select: @MainActor (AnyHashable) -> Void
}
