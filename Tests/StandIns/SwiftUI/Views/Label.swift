/// Stands for `SwiftUI.Label`.
public struct Label<Title: View, Icon: View>: View {
    /// Stands for `Label.Body`.
    public typealias Body = Never
    private let title: Title

    /// Stands for `Label.init(title:icon:)`.
    public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {
        self.title = title()
    }
}

extension Label where Title == Text, Icon == Image {
    /// Stands for `Label.init(_:systemImage:)` with a localized title.
    public init(_ titleKey: LocalizedStringKey, systemImage name: String) {
        self.init(title: { Text(titleKey) }, icon: { Image(systemName: name) })
    }

    /// Stands for `Label.init(_:systemImage:)`.
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, systemImage name: String) {
        self.init(title: { Text(title) }, icon: { Image(systemName: name) })
    }
}

extension Label: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) { plan.add(title) }

    func blocks(of node: Node) -> [Block] { node.oneBlock(.content) }
}
