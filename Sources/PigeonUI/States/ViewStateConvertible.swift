#if canImport(SwiftUI)
    public import PigeonCore
    public import PigeonREST
    public import PigeonStore
    public import Pigeon

    /// A state of server data that a view can show: each face has one of its own.
    public protocol ViewStateConvertible<ShownContent> {
        /// What there is to show when there is something.
        associatedtype ShownContent
        /// The state as a view shows it.
        var viewState: ViewState<ShownContent> { get }
    }

    extension ViewState: ViewStateConvertible {
        /// Itself.
        public var viewState: ViewState<Content> { self }
    }

    extension Snapshot: ViewStateConvertible {
        /// The value, whatever goes on with it.
        public var viewState: ViewState<Value> {
            ViewState(content: value, isLoading: isFetching || isPaused, isWaiting: isPaused, error: error)
        }
    }

    extension QueryState: ViewStateConvertible {
        /// The value of `succeed` alone: a state that is `loading` has none. What keeps it in sight is the query itself, or
        /// its snapshot.
        public var viewState: ViewState<Response> {
            ViewState(content: value, isLoading: isLoading, error: error)
        }
    }

    extension LoadingState: ViewStateConvertible {
        /// The data, complete or cached. A state whose `hasNoData` is true is empty, and no failure.
        public var viewState: ViewState<T> {
            guard !hasNoData else { return .empty }
            return ViewState(content: content, isLoading: isLoading, error: error)
        }
    }

    extension ResourceState: ViewStateConvertible {
        /// The content, whatever goes on with it.
        public var viewState: ViewState<T> {
            ViewState(content: content, isLoading: isLoading, error: latestError)
        }
    }
#endif
