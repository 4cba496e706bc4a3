/// Stands for `SwiftUI.ContentUnavailableView`.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct ContentUnavailableView<Label: View, Description: View, Actions: View>: View {
    /// Stands for `ContentUnavailableView.Body`.
    public typealias Body = Never
    private let label: Label
    private let description: Description
    private let actions: Actions

    /// Stands for `ContentUnavailableView.init(label:description:actions:)`.
    public init(
        @ViewBuilder label: () -> Label, @ViewBuilder description: () -> Description = { EmptyView() },
        @ViewBuilder actions: () -> Actions = { EmptyView() }
    ) {
        self.label = label()
        self.description = description()
        self.actions = actions()
    }
}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
extension ContentUnavailableView where Label == SwiftUI.Label<Text, Image>, Description == Text?, Actions == EmptyView {
    /// Stands for `ContentUnavailableView.init(_:systemImage:description:)` with a localized title.
    public init(_ title: LocalizedStringKey, systemImage name: String, description: Text? = nil) {
        self.init {
            SwiftUI.Label(title, systemImage: name)
        } description: {
            description
        }
    }

    /// Stands for `ContentUnavailableView.init(_:systemImage:description:)`.
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, systemImage name: String, description: Text? = nil) {
        self.init {
            SwiftUI.Label(title, systemImage: name)
        } description: {
            description
        }
    }
}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
extension ContentUnavailableView: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(label, .label)
        plan.add(description)
        plan.add(actions, .actions)
    }

    func blocks(of node: Node) -> [Block] {
        [node.lines(.label) + node.lines(.content) + node.lines(.actions)].filter { !$0.isEmpty }
    }
}
