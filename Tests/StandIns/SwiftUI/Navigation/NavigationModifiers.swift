/// A view that says what shows values of a type.
struct Leading<Content: View, Value: Hashable, Destination: View>: Drawn {
    let content: Content
    let destination: (Value) -> Destination

    func plan(_ plan: inout Plan, in node: Node) {
        node.surroundings.pages?.register(Value.self, at: node) { destination($0) }
        plan.add(content)
    }
}

/// A view with a title for the container around it.
struct Titled<Content: View>: Drawn, HasTitle {
    let content: Content
    let title: String

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }
}

/// Tells the title of a view without its type.
@MainActor
protocol HasTitle {
    var title: String { get }
}

/// Stands for `SwiftUI.NavigationBarItem`.
@available(macOS, unavailable)
public struct NavigationBarItem: Sendable {
    /// Stands for `NavigationBarItem.TitleDisplayMode`.
    public enum TitleDisplayMode: Sendable {
        /// Stands for the cases of `TitleDisplayMode`.
        case automatic, inline, large
    }
}

extension View {
    /// Stands for `View.navigationTitle(_:)`.
    @_disfavoredOverload
    public func navigationTitle<S: StringProtocol>(_ title: S) -> some View {
        Titled(content: self, title: String(title))
    }

    /// Stands for `View.navigationTitle(_:)` with a localized title.
    public func navigationTitle(_ titleKey: LocalizedStringKey) -> some View {
        Titled(content: self, title: titleKey.text)
    }

    /// Stands for `View.navigationTitle(_:)` with a text.
    public func navigationTitle(_ title: Text) -> some View { Titled(content: self, title: title.string) }

    /// Stands for `View.navigationDestination(for:destination:)`.
    @available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *)
    public func navigationDestination<D: Hashable, C: View>(
        for data: D.Type, @ViewBuilder destination: @escaping (D) -> C
    ) -> some View {
        Leading(content: self, destination: destination)
    }
}

@available(macOS, unavailable)
extension View {
    /// Stands for `View.navigationBarTitle(_:)`.
    @_disfavoredOverload
    public func navigationBarTitle<S: StringProtocol>(_ title: S) -> some View {
        Titled(content: self, title: String(title))
    }

    /// Stands for `View.navigationBarTitle(_:)` with a localized title.
    public func navigationBarTitle(_ titleKey: LocalizedStringKey) -> some View {
        Titled(content: self, title: titleKey.text)
    }

    /// Stands for `View.navigationBarTitle(_:)` with a text.
    public func navigationBarTitle(_ title: Text) -> some View { Titled(content: self, title: title.string) }

    /// Stands for `View.navigationBarTitle(_:displayMode:)`.
    @_disfavoredOverload
    public func navigationBarTitle<S: StringProtocol>(
        _ title: S, displayMode: NavigationBarItem.TitleDisplayMode
    ) -> some View {
        Titled(content: self, title: String(title))
    }

    /// Stands for `View.navigationBarTitle(_:displayMode:)` with a localized title.
    public func navigationBarTitle(
        _ titleKey: LocalizedStringKey, displayMode: NavigationBarItem.TitleDisplayMode
    ) -> some View {
        Titled(content: self, title: titleKey.text)
    }

    /// Stands for `View.navigationBarTitle(_:displayMode:)` with a text.
    public func navigationBarTitle(_ title: Text, displayMode: NavigationBarItem.TitleDisplayMode) -> some View {
        Titled(content: self, title: title.string)
    }

    /// Stands for `View.navigationBarTitleDisplayMode(_:)`.
    public func navigationBarTitleDisplayMode(_ displayMode: NavigationBarItem.TitleDisplayMode) -> some View { self }

    /// Stands for `View.navigationBarItems(trailing:)`.
    public func navigationBarItems<T: View>(trailing: T) -> some View {
        Barred(content: self, items: [trailing])
    }

    /// Stands for `View.navigationBarItems(leading:)`.
    public func navigationBarItems<L: View>(leading: L) -> some View {
        Barred(content: self, items: [leading])
    }
}
