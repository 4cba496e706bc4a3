/// Stands for `SwiftUI.ContentMode`.
public enum ContentMode: Hashable, CaseIterable, Sendable {
    /// Stands for the cases of `ContentMode`.
    case fit, fill
}

/// A view with a size of its own.
struct Sized<Content: View>: Drawn {
    let content: Content
    let width: CGFloat?
    let height: CGFloat?

    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(content) { surroundings in
            if let width { surroundings.size.width = width }
            if let height { surroundings.size.height = height }
        }
    }
}

extension View {
    /// Stands for `View.frame(width:height:alignment:)`.
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View {
        Sized(content: self, width: width, height: height)
    }
}

/// Stands for `SwiftUI.GeometryProxy`.
public struct GeometryProxy {
    /// Stands for `GeometryProxy.size`.
    public let size: CGSize
}

/// Stands for `SwiftUI.GeometryReader`. Its size is that of the next frame around it, or else of the screen.
public struct GeometryReader<Content: View>: View {
    /// Stands for `GeometryReader.Body`.
    public typealias Body = Never
    private let content: (GeometryProxy) -> Content

    /// Stands for `GeometryReader.init(content:)`.
    public init(@ViewBuilder content: @escaping (GeometryProxy) -> Content) {
        self.content = content
    }
}

extension GeometryReader: Drawn {
    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(content(GeometryProxy(size: node.surroundings.size)))
    }
}

/// Views of which one is chosen.
@MainActor
protocol Choosable {
    var choices: [any View] { get }
}

/// Stands for `SwiftUI.ViewThatFits`. There is no layout: the first view fits, but for the text sizes of accessibility only
/// the last.
public struct ViewThatFits<Content: View>: View {
    /// Stands for `ViewThatFits.Body`.
    public typealias Body = Never
    private let content: Content

    /// Stands for `ViewThatFits.init(in:content:)`.
    public init(in axes: Axis.Set = [.horizontal, .vertical], @ViewBuilder content: () -> Content) {
        self.content = content()
    }
}

extension ViewThatFits: Drawn {
    func plan(_ plan: inout Plan, in node: Node) {
        let choices = (content as? any Choosable)?.choices ?? [content]
        let isLarge = node.surroundings.environment.dynamicTypeSize.isAccessibilitySize
        guard let chosen = isLarge ? choices.last : choices.first else { return }
        plan.add(chosen, id: isLarge)
    }
}

/// Stands for `SwiftUI.Layout`. Nothing calls its functions: there is no layout.
public protocol Layout: Sendable {
    /// Stands for `Layout.Cache`.
    associatedtype Cache = Void
    /// Stands for `Layout.makeCache(subviews:)`.
    func makeCache(subviews: Subviews) -> Cache
    /// Stands for `Layout.sizeThatFits(proposal:subviews:cache:)`.
    func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout Cache) -> CGSize
    /// Stands for `Layout.placeSubviews(in:proposal:subviews:cache:)`.
    func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout Cache)
    /// Stands for `Layout.Subviews`.
    typealias Subviews = LayoutSubviews
}

extension Layout where Cache == Void {
    /// Stands for the `makeCache(subviews:)` of a layout without a cache.
    public func makeCache(subviews: Subviews) {}
}

extension Layout where Self: _BuiltIn {
    /// Stands for the size of a layout of SwiftUI.
    public func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout Void) -> CGSize { .zero }
    /// Stands for the work of a layout of SwiftUI.
    public func placeSubviews(
        in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout Void
    ) {}
}

/// Stands for `SwiftUI.ProposedViewSize`.
public struct ProposedViewSize: Equatable, Sendable {
    /// Stands for `ProposedViewSize.width`.
    public var width: CGFloat?
    /// Stands for `ProposedViewSize.height`.
    public var height: CGFloat?
}

/// Stands for `SwiftUI.LayoutSubviews`, without its elements.
public struct LayoutSubviews: Sendable {}

/// Stands for `SwiftUI.VStackLayout`.
public struct VStackLayout: Layout, _BuiltIn {
    /// Stands for `VStackLayout.init(alignment:spacing:)`.
    public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil) {}
}

/// Stands for `SwiftUI.HStackLayout`.
public struct HStackLayout: Layout, _BuiltIn {
    /// Stands for `HStackLayout.init(alignment:spacing:)`.
    public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil) {}
}

/// Stands for `SwiftUI.AnyLayout`.
public struct AnyLayout: Layout, _BuiltIn {
    private let isHorizontal: Bool

    /// Stands for `AnyLayout.init(_:)`.
    public init<L: Layout>(_ layout: L) {
        isHorizontal = layout is HStackLayout
    }

    /// Stands for `AnyLayout.callAsFunction(_:)`.
    @MainActor
    public func callAsFunction<V: View>(@ViewBuilder _ content: () -> V) -> some View {
        Arranged(content: content(), isHorizontal: isHorizontal)
    }
}

/// A view whose parts are beside or below each other.
struct Arranged<Content: View>: Drawn {
    let content: Content
    let isHorizontal: Bool

    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }

    func blocks(of node: Node) -> [Block] {
        isHorizontal ? node.besideEachOther(.content) : node.oneBlock(.content)
    }
}
