/// Stands for `SwiftUI.Section`.
public struct Section<Parent, Content, Footer> {
    let header: Parent
    let content: Content
    let footer: Footer
}

extension Section: View where Parent: View, Content: View, Footer: View {
    /// Stands for `Section.Body`.
    public typealias Body = Never

    /// Stands for `Section.init(content:header:footer:)`.
    public init(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent, @ViewBuilder footer: () -> Footer
    ) {
        self.init(header: header(), content: content(), footer: footer())
    }
}

extension Section where Parent == EmptyView, Content: View, Footer: View {
    /// Stands for `Section.init(content:footer:)`.
    public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) {
        self.init(header: EmptyView(), content: content(), footer: footer())
    }

    /// Stands for `Section.init(footer:content:)`.
    public init(footer: Footer, @ViewBuilder content: () -> Content) {
        self.init(header: EmptyView(), content: content(), footer: footer)
    }
}

extension Section where Parent: View, Content: View, Footer == EmptyView {
    /// Stands for `Section.init(content:header:)`.
    public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent) {
        self.init(header: header(), content: content(), footer: EmptyView())
    }

    /// Stands for `Section.init(header:content:)`.
    public init(header: Parent, @ViewBuilder content: () -> Content) {
        self.init(header: header, content: content(), footer: EmptyView())
    }
}

extension Section where Parent: View, Content: View, Footer: View {
    /// Stands for `Section.init(header:footer:content:)`.
    public init(header: Parent, footer: Footer, @ViewBuilder content: () -> Content) {
        self.init(header: header, content: content(), footer: footer)
    }
}

extension Section where Parent == EmptyView, Content: View, Footer == EmptyView {
    /// Stands for `Section.init(content:)`.
    public init(@ViewBuilder content: () -> Content) {
        self.init(header: EmptyView(), content: content(), footer: EmptyView())
    }
}

extension Section where Parent == Text, Content: View, Footer == EmptyView {
    /// Stands for `Section.init(_:content:)` with a localized title.
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        self.init(header: Text(titleKey), content: content(), footer: EmptyView())
    }

    /// Stands for `Section.init(_:content:)`.
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
        self.init(header: Text(title), content: content(), footer: EmptyView())
    }
}

extension Section: _BuiltIn where Parent: View, Content: View, Footer: View {}

extension Section: Drawn where Parent: View, Content: View, Footer: View {
    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(header, .header, adjust: { $0.isLazy = false })
        plan.add(content)
        plan.add(footer, .footer, adjust: { $0.isLazy = false })
    }

    func blocks(of node: Node) -> [Block] {
        let header = node.lines(.header)
        let rows = node.blocks(.content)
        let footer = node.oneBlock(.footer)
        return header.isEmpty ? rows + footer : [header] + rows.map(\.indented) + footer
    }
}
