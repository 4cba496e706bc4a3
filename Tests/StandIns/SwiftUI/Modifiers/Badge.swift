/// A view with a number beside its label.
struct Badged<Content: View>: Drawn, HasBadge {
    let content: Content
    let count: Int

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }
}

/// Tells the number of a view without its type.
@MainActor
protocol HasBadge {
    var count: Int { get }
}

@available(iOS 15.0, macOS 12.0, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
extension View {
    /// Stands for `View.badge(_:)`. Only tabs show it.
    public func badge(_ count: Int) -> some View { Badged(content: self, count: count) }
}
