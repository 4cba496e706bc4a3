/// Stands for `SwiftUI.SearchFieldPlacement`.
public struct SearchFieldPlacement: Sendable {
    /// Stands for `SearchFieldPlacement.automatic`.
    public static let automatic = SearchFieldPlacement()
    /// Stands for `SearchFieldPlacement.toolbar`.
    public static let toolbar = SearchFieldPlacement()
}

extension View {
    /// Stands for `View.searchable(text:placement:prompt:)`.
    public func searchable(
        text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: Text? = nil
    ) -> some View {
        Accompanied(
            content: self, before: TextField(text: text) { prompt ?? Text("Search") }, after: EmptyView())
    }

    /// Stands for `View.searchable(text:placement:prompt:)` with a localized prompt.
    public func searchable(
        text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: LocalizedStringKey
    ) -> some View {
        searchable(text: text, placement: placement, prompt: Text(prompt))
    }

    /// Stands for `View.searchable(text:placement:prompt:)` with a string.
    @_disfavoredOverload
    public func searchable<S: StringProtocol>(
        text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: S
    ) -> some View {
        searchable(text: text, placement: placement, prompt: Text(prompt))
    }
}
