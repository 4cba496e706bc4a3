/// Stands for `SwiftUI.EmptyView`.
public struct EmptyView: View {
    /// Stands for `EmptyView.Body`.
    public typealias Body = Never

    /// Stands for `EmptyView.init()`.
    nonisolated public init() {}
}

extension EmptyView: Drawn {
    func plan(_ plan: inout Plan, in node: Node) {}
}

/// Stands for `SwiftUI.TupleView`.
public struct TupleView<T> {
    /// Stands for `TupleView.value`.
    public var value: T

    /// Stands for `TupleView.init(_:)`.
    public init(_ value: T) {
        self.value = value
    }
}

extension TupleView: View {
    /// Stands for `TupleView.Body`.
    public typealias Body = Never
}

extension TupleView: Drawn, RowParent, Choosable {
    var choices: [any View] { Mirror(reflecting: value).children.compactMap { $0.value as? any View } }

    func plan(_ plan: inout Plan, in node: Node) {
        for (position, child) in Mirror(reflecting: value).children.enumerated() {
            guard let view = child.value as? any View else { continue }
            plan.add(view, id: position)
        }
    }
}

/// Stands for `SwiftUI._ConditionalContent`.
public struct _ConditionalContent<TrueContent, FalseContent> {
    enum Storage {
        case trueContent(TrueContent)
        case falseContent(FalseContent)
    }

    let storage: Storage
}

extension _ConditionalContent: View where TrueContent: View, FalseContent: View {
    /// Stands for `_ConditionalContent.Body`.
    public typealias Body = Never
}

extension _ConditionalContent: _BuiltIn where TrueContent: View, FalseContent: View {}

extension _ConditionalContent: Drawn where TrueContent: View, FalseContent: View {
    func plan(_ plan: inout Plan, in node: Node) {
        switch storage {
        case .trueContent(let content): plan.add(content, id: true)
        case .falseContent(let content): plan.add(content, id: false)
        }
    }
}

/// What stands in the tree for an optional view, since a cast of an optional would look through it to the view inside.
struct Possible<Content: View>: Drawn {
    let content: Content?

    func plan(_ plan: inout Plan, in node: Node) {
        if let content { plan.add(content) }
    }
}

/// A type of optional views.
@MainActor
protocol OptionalView {
    /// Puts a view of this type into one that the tree can hold.
    static func possible(_ view: any View) -> any View
}

extension Optional: OptionalView where Wrapped: View {
    static func possible(_ view: any View) -> any View {
        Possible(content: (view as? Self).flatMap { $0 })
    }
}

/// Stands for `SwiftUI.AnyView`.
public struct AnyView {
    private let view: any View

    /// Stands for `AnyView.init(_:)`.
    public init<V: View>(_ view: V) {
        self.view = view
    }

    /// Stands for `AnyView.init(erasing:)`.
    public init<V: View>(erasing view: V) {
        self.view = view
    }
}

extension AnyView: View {
    /// Stands for `AnyView.Body`.
    public typealias Body = Never
}

extension AnyView: Drawn {
    func plan(_ plan: inout Plan, in node: Node) {
        plan.add((view as? AnyView)?.view ?? view)
    }
}

/// Stands for `SwiftUI.Group`.
public struct Group<Content> {
    let content: Content
}

extension Group: View where Content: View {
    /// Stands for `Group.Body`.
    public typealias Body = Never

    /// Stands for `Group.init(content:)`.
    public init(@ViewBuilder content: () -> Content) {
        self.content = content()
    }
}

extension Group: _BuiltIn where Content: View {}

extension Group: Drawn where Content: View {
    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(content)
    }
}
