#if canImport(SwiftUI)
    public import SwiftUI

    /// What a ``QueryView`` shows: something that is observed for the life of the view, and can be asked again.
    ///
    /// Each kind is made by an initialiser of ``QueryView``; there is no need to name one.
    @MainActor
    public protocol ViewSource<ShownContent>: DynamicProperty {
        /// What there is to show when there is something.
        associatedtype ShownContent

        /// The present state. Reading it is what has the view follow it.
        var viewState: ViewState<ShownContent> { get }

        /// What asks again, where that is possible.
        var retry: RetryAction? { get }

        /// Loads again, and waits until that has ended, well or not.
        func refresh() async
    }
#endif
