#if canImport(SwiftUI)
    public import Pigeon
    public import PigeonCore

    /// A list that loads its next page when asked: what ``NextPageView`` and `infiniteScroll` need to know of one.
    @MainActor
    public struct PageSource {
        /// Whether there is a next page.
        public var hasNextPage: Bool
        /// Whether it is being loaded.
        public var isLoading: Bool
        /// Why loading it failed. `nil` once it is loaded again.
        public var error: (any Error)?
        /// Loads it. Does nothing while it is being loaded, and at the end of the list.
        public var load: @MainActor () -> Void

        /// Creates a source.
        public init(
            hasNextPage: Bool, isLoading: Bool, error: (any Error)?, load: @escaping @MainActor () -> Void
        ) {
            self.hasNextPage = hasNextPage
            self.isLoading = isLoading
            self.error = error
            self.load = load
        }

        /// The next page of a paginated query.
        public init<Request, PageIdentifier, Response>(_ query: PaginatedQuery<Request, PageIdentifier, Response>) {
            self.init(
                hasNextPage: query.hasNextPage, isLoading: query.isFetchingNextPage, error: query.nextPageError
            ) {
                query.fetchNextPage()
            }
        }

        /// The next page of pages that a view fetches.
        public init<Page, PageID>(_ pages: Fetched<Pages<Page, PageID>>) {
            let snapshot = pages.wrappedValue
            let (client, definition) = (pages.client, pages.definition)
            self.init(
                hasNextPage: snapshot.value?.hasNext ?? false, isLoading: snapshot.nextPage.isFetching,
                error: snapshot.nextPage.error
            ) {
                Task { try? await client.fetchNextPage(of: definition) }
            }
        }
    }
#endif
