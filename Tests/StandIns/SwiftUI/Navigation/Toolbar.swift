/// Stands for `SwiftUI.ToolbarContent`.
@MainActor
@preconcurrency
public protocol ToolbarContent {
    /// Stands for `ToolbarContent.Body`.
    associatedtype Body: ToolbarContent
    /// Stands for `ToolbarContent.body`.
    @ToolbarContentBuilder @MainActor @preconcurrency var body: Body { get }
}

/// Content that the screen knows.
@MainActor
protocol ToolbarViews: _BuiltIn {
    var views: [any View] { get }
}

extension Never: ToolbarContent {}

extension ToolbarContent where Self: _BuiltIn, Body == Never {
    /// Stands for the body of what SwiftUI draws itself.
    public var body: Never { fatalError("\(Self.self) is drawn by the screen and has no body") }
}

/// Stands for `SwiftUI.ToolbarItemPlacement`.
public struct ToolbarItemPlacement: Sendable {
    /// Stands for `ToolbarItemPlacement.automatic`.
    public static let automatic = ToolbarItemPlacement()
    /// Stands for `ToolbarItemPlacement.principal`.
    public static let principal = ToolbarItemPlacement()
    /// Stands for `ToolbarItemPlacement.primaryAction`.
    public static let primaryAction = ToolbarItemPlacement()
    /// Stands for `ToolbarItemPlacement.confirmationAction`.
    public static let confirmationAction = ToolbarItemPlacement()
    /// Stands for `ToolbarItemPlacement.cancellationAction`.
    public static let cancellationAction = ToolbarItemPlacement()
    /// Stands for `ToolbarItemPlacement.status`.
    public static let status = ToolbarItemPlacement()
    /// Stands for `ToolbarItemPlacement.bottomBar`.
    @available(macOS, unavailable)
    public static let bottomBar = ToolbarItemPlacement()
    /// Stands for `ToolbarItemPlacement.navigationBarLeading`.
    @available(macOS, unavailable)
    public static let navigationBarLeading = ToolbarItemPlacement()
    /// Stands for `ToolbarItemPlacement.navigationBarTrailing`.
    @available(macOS, unavailable)
    public static let navigationBarTrailing = ToolbarItemPlacement()
    /// Stands for `ToolbarItemPlacement.topBarLeading`.
    @available(macOS, unavailable)
    public static let topBarLeading = ToolbarItemPlacement()
    /// Stands for `ToolbarItemPlacement.topBarTrailing`.
    @available(macOS, unavailable)
    public static let topBarTrailing = ToolbarItemPlacement()
}

/// Stands for `SwiftUI.ToolbarItem`.
public struct ToolbarItem<ID, Content: View>: ToolbarContent {
    private let content: Content

    /// Stands for `ToolbarItem.init(placement:content:)`.
    public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) where ID == () {
        self.content = content()
    }

    /// Stands for the body of what SwiftUI draws itself.
    public typealias Body = Never
}

extension ToolbarItem: ToolbarViews {
    var views: [any View] { [content] }
}

/// Stands for `SwiftUI.ToolbarItemGroup`.
public struct ToolbarItemGroup<Content: View>: ToolbarContent {
    private let content: Content

    /// Stands for `ToolbarItemGroup.init(placement:content:)`.
    public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
        self.content = content()
    }

    /// Stands for the body of what SwiftUI draws itself.
    public typealias Body = Never
}

extension ToolbarItemGroup: ToolbarViews {
    var views: [any View] { [content] }
}

/// Stands for what `SwiftUI.ToolbarContentBuilder` makes of several items.
public struct TupleToolbarContent: ToolbarContent {
    let views: [any View]

    /// Stands for the body of what SwiftUI draws itself.
    public typealias Body = Never
}

extension TupleToolbarContent: ToolbarViews {}

/// Stands for `SwiftUI.ToolbarContentBuilder`.
@MainActor
@resultBuilder
public enum ToolbarContentBuilder {
    /// Stands for `ToolbarContentBuilder.buildExpression(_:)`.
    public static func buildExpression<Content: ToolbarContent>(_ content: Content) -> Content { content }

    /// Stands for `ToolbarContentBuilder.buildBlock(_:)` of one item.
    public static func buildBlock<Content: ToolbarContent>(_ content: Content) -> some ToolbarContent { content }

    /// Stands for `ToolbarContentBuilder.buildBlock(_:)` of several items.
    @_disfavoredOverload
    public static func buildBlock<each Content: ToolbarContent>(
        _ content: repeat each Content
    ) -> some ToolbarContent {
        var views: [any View] = []
        repeat views += Self.views(of: each content)
        return TupleToolbarContent(views: views)
    }

    /// Stands for `ToolbarContentBuilder.buildIf(_:)`.
    public static func buildIf<Content: ToolbarContent>(_ content: Content?) -> some ToolbarContent {
        TupleToolbarContent(views: content.map { Self.views(of: $0) } ?? [])
    }

    static func views<Content: ToolbarContent>(of content: Content) -> [any View] {
        (content as? any ToolbarViews)?.views ?? views(of: content.body)
    }
}

/// A view with items for the bar above it.
struct Barred<Content: View>: Drawn {
    let content: Content
    let items: [any View]

    func plan(_ plan: inout Plan, in node: Node) {
        for (position, item) in items.enumerated() {
            plan.add(item, .toolbar, id: position, adjust: { $0.isLazy = false })
        }
        plan.add(content)
    }

    func blocks(of node: Node) -> [Block] { node.besideEachOther(.toolbar) + node.blocks(.content) }
}

extension View {
    /// Stands for `View.toolbar(content:)` with views.
    public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View {
        Barred(content: self, items: [content()])
    }

    /// Stands for `View.toolbar(content:)` with items.
    public func toolbar<Content: ToolbarContent>(@ToolbarContentBuilder content: () -> Content) -> some View {
        Barred(content: self, items: ToolbarContentBuilder.views(of: content()))
    }
}
