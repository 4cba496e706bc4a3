/// Stands for `SwiftUI.LabeledContent`.
@available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *)
public struct LabeledContent<Label: View, Content: View>: View {
    /// Stands for `LabeledContent.Body`.
    public typealias Body = Never
    private let label: Label
    private let content: Content

    /// Stands for `LabeledContent.init(content:label:)`.
    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
        self.content = content()
        self.label = label()
    }
}

@available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *)
extension LabeledContent where Label == Text, Content == Text {
    /// Stands for `LabeledContent.init(_:value:)` with a localized title.
    public init<S: StringProtocol>(_ titleKey: LocalizedStringKey, value: S) {
        self.init {
            Text(value)
        } label: {
            Text(titleKey)
        }
    }
}

@available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *)
extension LabeledContent: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(label, .label)
        plan.add(content)
    }

    func blocks(of node: Node) -> [Block] { [["\(node.line(.label)): \(node.line(.content))"]] }

    func spoken(_ node: Node) -> [String] { [node.spokenChildren.joined(separator: ", ")] }
}
