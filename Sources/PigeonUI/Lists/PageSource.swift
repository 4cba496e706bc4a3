#if canImport(SwiftUI)
    public import Pigeon
    public import PigeonCore

    /// A list that loads its next page when asked: what ``NextPageView`` and `infiniteScroll` need to know of one, always as
    /// it is at that moment.
    @MainActor
    public struct PageSource {
        /// How the end of a list stands.
        public struct State {
            /// How much is there: another number each time the list has grown.
            public var count: Int
            /// Whether there is a next page.
            public var hasNextPage: Bool
            /// Whether it is being loaded.
            public var isLoading: Bool
            /// Why loading it failed. `nil` once it is loaded again.
            public var error: (any Error)?

            /// Creates a state.
            public init(count: Int, hasNextPage: Bool, isLoading: Bool = false, error: (any Error)? = nil) {
                self.count = count
                self.hasNextPage = hasNextPage
                self.isLoading = isLoading
                self.error = error
            }
        }

        private let read: @MainActor () -> State
        private let start: @MainActor () -> Void

        /// Creates a source.
        ///
        /// - Parameters:
        ///   - state: How the end of the list stands.
        ///   - load: Loads the next page.
        public init(state: @escaping @MainActor () -> State, load: @escaping @MainActor () -> Void) {
            read = state
            start = load
        }

        /// The next page of a paginated query.
        public init<Request, PageIdentifier, Response>(_ query: PaginatedQuery<Request, PageIdentifier, Response>) {
            self.init {
                State(
                    count: query.snapshot.value?.count ?? 0, hasNextPage: query.hasNextPage,
                    isLoading: query.isFetchingNextPage, error: query.nextPageError)
            } load: {
                query.fetchNextPage()
            }
        }

        /// The next page of pages that a view fetches.
        public init<Page, PageID>(_ pages: UseQuery<Pages<Page, PageID>>) {
            let (client, definition) = (pages.client, pages.definition)
            self.init {
                let snapshot = pages.wrappedValue
                return State(
                    count: snapshot.value?.count ?? 0, hasNextPage: snapshot.value?.hasNext ?? false,
                    isLoading: snapshot.nextPage.isFetching, error: snapshot.nextPage.error)
            } load: {
                Task { try? await client.fetchNextPage(of: definition) }
            }
        }

        /// How the end of the list stands now.
        public var state: State { read() }

        /// Loads the next page, also when that failed before. Does nothing while it is being loaded, and at the end.
        public func load() {
            let state = state
            if state.hasNextPage, !state.isLoading { start() }
        }

        /// Loads the next page, unless that failed: then a person is to ask.
        func loadUnlessFailed() {
            if state.error == nil { load() }
        }
    }
#endif
