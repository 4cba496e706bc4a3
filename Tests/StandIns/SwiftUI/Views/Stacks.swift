/// Stands for `SwiftUI.VStack`.
public struct VStack<Content: View>: View {
    /// Stands for `VStack.Body`.
    public typealias Body = Never
    private let content: Content

    /// Stands for `VStack.init(alignment:spacing:content:)`.
    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {
        self.content = content()
    }
}

extension VStack: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }

    func blocks(of node: Node) -> [Block] { node.oneBlock(.content) }
}

/// Stands for `SwiftUI.HStack`.
public struct HStack<Content: View>: View {
    /// Stands for `HStack.Body`.
    public typealias Body = Never
    private let content: Content

    /// Stands for `HStack.init(alignment:spacing:content:)`.
    public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {
        self.content = content()
    }
}

extension HStack: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }

    func blocks(of node: Node) -> [Block] { node.besideEachOther(.content) }
}

/// Stands for `SwiftUI.ZStack`.
public struct ZStack<Content: View>: View {
    /// Stands for `ZStack.Body`.
    public typealias Body = Never
    private let content: Content

    /// Stands for `ZStack.init(alignment:content:)`.
    public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {
        self.content = content()
    }
}

extension ZStack: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }

    func blocks(of node: Node) -> [Block] { node.oneBlock(.content) }
}

/// Stands for `SwiftUI.LazyVStack`.
public struct LazyVStack<Content: View>: View {
    /// Stands for `LazyVStack.Body`.
    public typealias Body = Never
    private let content: Content

    /// Stands for `LazyVStack.init(alignment:spacing:pinnedViews:content:)`.
    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, pinnedViews: PinnedScrollableViews = .init(),
        @ViewBuilder content: () -> Content
    ) {
        self.content = content()
    }
}

extension LazyVStack: Drawn, RowContainer {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content, adjust: { $0.isLazy = true }) }

    func blocks(of node: Node) -> [Block] { node.oneBlock(.content) }
}

/// Stands for `SwiftUI.LazyHStack`.
public struct LazyHStack<Content: View>: View {
    /// Stands for `LazyHStack.Body`.
    public typealias Body = Never
    private let content: Content

    /// Stands for `LazyHStack.init(alignment:spacing:pinnedViews:content:)`.
    public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, pinnedViews: PinnedScrollableViews = .init(),
        @ViewBuilder content: () -> Content
    ) {
        self.content = content()
    }
}

extension LazyHStack: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }

    func blocks(of node: Node) -> [Block] { node.besideEachOther(.content) }
}

/// Stands for `SwiftUI.ScrollView`.
public struct ScrollView<Content: View>: View {
    /// Stands for `ScrollView.Body`.
    public typealias Body = Never
    /// Stands for `ScrollView.content`.
    public var content: Content

    /// Stands for `ScrollView.init(_:showsIndicators:content:)`.
    public init(_ axes: Axis.Set = .vertical, showsIndicators: Bool = true, @ViewBuilder content: () -> Content) {
        self.content = content()
    }
}

extension ScrollView: Drawn, Refreshed {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }

    func blocks(of node: Node) -> [Block] { node.oneBlock(.content) }
}
