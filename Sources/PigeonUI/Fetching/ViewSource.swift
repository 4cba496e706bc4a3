#if canImport(SwiftUI)
    public import SwiftUI

    /// A source of data for a ``QueryView``, which observes it for its lifetime and can load it again.
    ///
    /// The initializers of ``QueryView`` create the sources, so there is no need to name their types.
    @MainActor
    public protocol ViewSource<ShownContent>: DynamicProperty {
        /// The type of the content.
        associatedtype ShownContent

        /// The current state. Reading it makes the view observe the source.
        var viewState: ViewState<ShownContent> { get }

        /// Loads the data again. `nil` if that is not possible.
        var retry: RetryAction? { get }

        /// Loads the data again, and waits until the fetch has succeeded or failed.
        func refresh() async
    }
#endif
