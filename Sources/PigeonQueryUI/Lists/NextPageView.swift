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

        /// Creates the row of any list, from the state of the list's end.
        ///
        /// The state is read whenever it is needed, so that the next page is not loaded twice.
        ///
        /// - Parameters:
        ///   - count: The size of the list. Must change each time that the list has grown.
        ///   - hasNextPage: True if there is a next page.
        ///   - isLoading: True if the next page is being loaded.
        ///   - error: The error of loading the next page. `nil` once another load starts.
        ///   - load: Loads the next page. Called when the row becomes visible and there was no error, and by the button
        ///     that retries.
        public init(
            count: @autoclosure @escaping @MainActor () -> Int,
            hasNextPage: @autoclosure @escaping @MainActor () -> Bool,
            isLoading: @autoclosure @escaping @MainActor () -> Bool = false,
            error: @autoclosure @escaping @MainActor () -> (any Error)? = nil, load: @escaping @MainActor () -> Void
        ) {
            source = PageSource(
                state: {
                    PageSource.State(
                        end: UInt64(truncatingIfNeeded: count()), hasNextPage: hasNextPage(), isLoading: isLoading(),
                        error: error())
                }, load: load)
        }

        /// A progress view, or the error with a button to retry.
        public var body: some View {
            let state = source.state
            let _ = memory.note(Wait(state), announce)
            part(state).isSeen(by: memory)
        }

        @ViewBuilder
        private func part(_ state: PageSource.State) -> some View {
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

    /// The interface of ``NextPageView`` and `infiniteScroll` to a list.
    @MainActor
    struct PageSource {
        /// The state of the end of a list.
        struct State {
            /// Identifies the end of the list. Changes each time that the list has grown.
            let end: UInt64
            let hasNextPage: Bool
            let isLoading: Bool
            /// The error of loading the next page. `nil` once another load starts.
            let error: (any Error)?
        }

        private let read: @MainActor () -> State
        private let start: @MainActor () -> Void

        init(state: @escaping @MainActor () -> State, load: @escaping @MainActor () -> Void) {
            read = state
            start = load
        }

        init<Request, PageIdentifier, Response>(_ query: PaginatedQuery<Request, PageIdentifier, Response>) {
            self.init {
                State(
                    end: query.snapshot.value?.lastStamp ?? 0, hasNextPage: query.hasNextPage,
                    isLoading: query.isFetchingNextPage, error: query.nextPageError)
            } load: {
                query.fetchNextPage()
            }
        }

        init<Page, PageID>(_ pages: UseQuery<Pages<Page, PageID>>) {
            self.init {
                let snapshot = pages.wrappedValue
                return State(
                    end: snapshot.value?.lastStamp ?? 0, hasNextPage: snapshot.value?.hasNext ?? false,
                    isLoading: snapshot.nextPage.isFetching, error: snapshot.nextPage.error)
            } load: {
                pages.fetchNextPage()
            }
        }

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
