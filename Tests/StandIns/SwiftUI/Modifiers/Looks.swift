/// A view that is there, but not to be seen.
struct Faded<Content: View>: Drawn {
    let content: Content
    let opacity: Double

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }

    func blocks(of node: Node) -> [Block] { opacity > 0 ? node.blocks(.content) : [] }
}

/// A view with others before, behind or after it.
struct Accompanied<Content: View, Before: View, After: View>: Drawn {
    let content: Content
    let before: Before
    let after: After

    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(before, .header, adjust: { $0.isLazy = false })
        plan.add(content)
        plan.add(after, .footer, adjust: { $0.isLazy = false })
    }

    func blocks(of node: Node) -> [Block] { node.blocks(.header) + node.blocks(.content) + node.blocks(.footer) }
}

extension View {
    /// Stands for `View.opacity(_:)`.
    public func opacity(_ opacity: Double) -> some View { Faded(content: self, opacity: opacity) }

    /// Stands for `View.hidden()`.
    public func hidden() -> some View { Faded(content: self, opacity: 0) }

    /// Stands for `View.overlay(alignment:content:)`.
    public func overlay<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View {
        Accompanied(content: self, before: EmptyView(), after: content())
    }

    /// Stands for `View.overlay(_:alignment:)`.
    public func overlay<Overlay: View>(_ overlay: Overlay, alignment: Alignment = .center) -> some View {
        Accompanied(content: self, before: EmptyView(), after: overlay)
    }

    /// Stands for `View.background(alignment:content:)`.
    public func background<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View {
        Accompanied(content: self, before: content(), after: EmptyView())
    }

    /// Stands for `View.background(_:alignment:)`.
    public func background<Background: View>(_ background: Background, alignment: Alignment = .center) -> some View {
        Accompanied(content: self, before: background, after: EmptyView())
    }

    /// Stands for `View.background(_:ignoresSafeAreaEdges:)`.
    @_disfavoredOverload
    public func background<S: ShapeStyle>(_ style: S, ignoresSafeAreaEdges edges: Edge.Set = .all) -> some View {
        self
    }

    /// Stands for `View.safeAreaInset(edge:alignment:spacing:content:)`.
    @ViewBuilder
    public func safeAreaInset<V: View>(
        edge: VerticalEdge, alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> V
    ) -> some View {
        switch edge {
        case .top: Accompanied(content: self, before: content(), after: EmptyView())
        case .bottom: Accompanied(content: self, before: EmptyView(), after: content())
        }
    }
}
