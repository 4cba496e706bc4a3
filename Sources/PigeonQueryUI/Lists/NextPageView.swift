#if canImport(SwiftUI)
    public import Pigeon
    public import PigeonCore
    public import SwiftUI

    /// The last row of a list of pages. It loads the next page when it becomes visible, shows the progress, and offers
    /// a retry after a failure. At the end of the list, it is empty.
    ///
    /// ```swift
    /// List {
    ///     ForEach(posts.items) { PostRow($0) }
    ///     NextPageView(posts)
    /// }
    /// ```
    public struct NextPageView: View {
        private let source: PageSource
        @State private var memory = WaitMemory()
        @Environment(\.announce) private var announce

        /// Creates the row of a paginated query.
        public init<Request, PageIdentifier, Response>(_ query: PaginatedQuery<Request, PageIdentifier, Response>) {
            source = PageSource(query)
        }

        /// Creates the row of pages that a view fetches: `NextPageView($posts)`.
        public init<Page, PageID>(_ pages: UseQuery<Pages<Page, PageID>>) {
            source = PageSource(pages)
        }

        /// Creates the row of any list.
        public init(_ source: PageSource) {
            self.source = source
        }

        /// A progress view, or the error with a button to retry.
        public var body: some View {
            let state = source.state
            let _ = memory.note(Wait(state), announce)
            if let error = state.error, !state.isLoading {
                VStack {
                    Text(error.userMessage)
                        .font(.footnote)
                    Button(UserText.retry.text, action: source.load)
                }
                .frame(maxWidth: .infinity)
                // Read at once, with the button's action.
                .accessibilityElement(children: .combine)
            } else if state.hasNextPage {
                LoadingView()
                    .frame(maxWidth: .infinity)
                    .onAppear(perform: source.loadUnlessFailed)
                    // The row changes its identity with the end of the list, because a row that stays visible would
                    // not appear again.
                    .id(state.end)
            }
        }
    }

    /// The interface of ``NextPageView`` and `infiniteScroll` to a list: its current state, and the load of its next
    /// page.
    @MainActor
    public struct PageSource {
        /// The state of the end of a list.
        public struct State {
            /// The size of the list. Must change each time that the list has grown.
            public var count: Int
            /// True if there is a next page.
            public var hasNextPage: Bool
            /// True if the next page is being loaded.
            public var isLoading: Bool
            /// The error of loading the next page. `nil` once another load starts.
            public var error: (any Error)?
            /// Identifies the last page, for a list that has pages. Changes with the end of the list, even if the size
            /// does not.
            fileprivate var lastStamp: UInt64?

            /// Identifies the end of the list: by the size, if there is nothing better.
            var end: UInt64 { lastStamp ?? UInt64(truncatingIfNeeded: count) }

            /// Creates a state.
            public init(count: Int, hasNextPage: Bool, isLoading: Bool = false, error: (any Error)? = nil) {
                self.count = count
                self.hasNextPage = hasNextPage
                self.isLoading = isLoading
                self.error = error
            }

            fileprivate init<Page, PageID>(
                _ pages: Pages<Page, PageID>?, hasNextPage: Bool, isLoading: Bool, error: (any Error)?
            ) {
                self.init(count: pages?.count ?? 0, hasNextPage: hasNextPage, isLoading: isLoading, error: error)
                lastStamp = pages?.lastStamp
            }
        }

        private let read: @MainActor () -> State
        private let start: @MainActor () -> Void

        /// Creates a source.
        ///
        /// - Parameters:
        ///   - state: Returns the state of the end of the list.
        ///   - load: Loads the next page.
        public init(state: @escaping @MainActor () -> State, load: @escaping @MainActor () -> Void) {
            read = state
            start = load
        }

        init<Request, PageIdentifier, Response>(_ query: PaginatedQuery<Request, PageIdentifier, Response>) {
            self.init {
                State(
                    query.snapshot.value, hasNextPage: query.hasNextPage, isLoading: query.isFetchingNextPage,
                    error: query.nextPageError)
            } load: {
                query.fetchNextPage()
            }
        }

        init<Page, PageID>(_ pages: UseQuery<Pages<Page, PageID>>) {
            self.init {
                let snapshot = pages.wrappedValue
                return State(
                    snapshot.value, hasNextPage: snapshot.value?.hasNext ?? false,
                    isLoading: snapshot.nextPage.isFetching, error: snapshot.nextPage.error)
            } load: {
                pages.fetchNextPage()
            }
        }

        /// The current state of the end of the list.
        var state: State { read() }

        /// Loads the next page, even if it failed before. Does nothing while it is being loaded, and at the end of the
        /// list.
        func load() {
            let state = state
            if state.hasNextPage, !state.isLoading { start() }
        }

        /// Loads the next page, unless it failed before. Then only the user retries it.
        func loadUnlessFailed() {
            if state.error == nil { load() }
        }
    }
#endif
