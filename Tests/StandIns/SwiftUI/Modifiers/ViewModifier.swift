/// Stands for `SwiftUI.ViewModifier`.
@MainActor
@preconcurrency
public protocol ViewModifier {
    /// Stands for `ViewModifier.Body`.
    associatedtype Body: View
    /// Stands for `ViewModifier.body(content:)`.
    @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
    /// Stands for `ViewModifier.Content`.
    typealias Content = _ViewModifier_Content<Self>
}

/// Stands for `SwiftUI._ViewModifier_Content`.
public struct _ViewModifier_Content<Modifier: ViewModifier>: View {
    /// Stands for `_ViewModifier_Content.Body`.
    public typealias Body = Never
    let view: any View
    /// Stays the same while the view that is modified is the same value.
    let version: Int
}

extension _ViewModifier_Content: Drawn {
    func plan(_ plan: inout Plan, in node: Node) { plan.add(view, version: version) }
}

/// Stands for `SwiftUI.ModifiedContent`.
public struct ModifiedContent<Content, Modifier> {
    /// Stands for `ModifiedContent.content`.
    public var content: Content
    /// Stands for `ModifiedContent.modifier`.
    public var modifier: Modifier

    /// Stands for `ModifiedContent.init(content:modifier:)`.
    public init(content: Content, modifier: Modifier) {
        self.content = content
        self.modifier = modifier
    }
}

extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
    /// Stands for `ModifiedContent.Body`.
    public typealias Body = Never
}

extension ModifiedContent: _BuiltIn where Content: View, Modifier: ViewModifier {}

extension ModifiedContent: Drawn where Content: View, Modifier: ViewModifier {
    func plan(_ plan: inout Plan, in node: Node) {
        var installed = modifier
        Installation(node: node).install(&installed)
        plan.add(installed.body(content: _ViewModifier_Content(view: content, version: node.version)))
    }
}

extension View {
    /// Stands for `View.modifier(_:)`.
    public func modifier<T: ViewModifier>(_ modifier: T) -> ModifiedContent<Self, T> {
        ModifiedContent(content: self, modifier: modifier)
    }
}
