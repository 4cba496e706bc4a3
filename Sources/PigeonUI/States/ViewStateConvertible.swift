#if canImport(SwiftUI)
    public import PigeonCore
    public import PigeonREST
    public import PigeonStore
    public import Pigeon

    /// A state of server data that can be converted to a ``ViewState``. Each module's state type conforms.
    public protocol ViewStateConvertible<ShownContent> {
        /// The type of the content.
        associatedtype ShownContent
        /// The state in the form that views show.
        var viewState: ViewState<ShownContent> { get }
    }

    extension ViewState: ViewStateConvertible {
        /// The state itself.
        public var viewState: ViewState<Content> { self }
    }

    extension Snapshot: ViewStateConvertible {
        /// The value in any activity.
        public var viewState: ViewState<Value> {
            ViewState(content: value, isLoading: isFetching || isPaused, isWaiting: isPaused, error: error)
        }
    }

    extension QueryState: ViewStateConvertible {
        /// The value of a `succeed` state. A `loading` state has none. To show the last value during a refetch, use the
        /// query itself or its snapshot.
        public var viewState: ViewState<Response> {
            ViewState(content: value, isLoading: isLoading, error: error)
        }
    }

    extension LoadingState: ViewStateConvertible {
        /// The loaded or cached data. A state whose `hasNoData` is true counts as empty, and not as a failure.
        public var viewState: ViewState<T> {
            guard !hasNoData else { return .empty }
            return ViewState(content: content, isLoading: isLoading, error: error)
        }
    }

    extension ResourceState: ViewStateConvertible {
        /// The content in any activity.
        public var viewState: ViewState<T> {
            ViewState(content: content, isLoading: isLoading, error: latestError)
        }
    }
#endif
