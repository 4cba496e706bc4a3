#if canImport(SwiftUI)
    public import PigeonCore

    extension UseQuery {
        /// Starts to load the next page of a list, and does not wait for it. Does nothing while the page is being loaded, and
        /// at the end of the list. If the page failed before, it is tried again.
        ///
        /// A list that is loaded page by page is a query like any other, so there is no `UsePages`:
        ///
        /// ```swift
        /// struct PostList: View {
        ///     @UseQuery(.posts) var posts: Snapshot<Pages<[Post], Int>>
        ///
        ///     var body: some View {
        ///         StateView(posts, retry: $posts.retry) { pages in
        ///             List {
        ///                 ForEach(Array(pages.items)) { PostRow($0) }
        ///                 Button("More") { $posts.fetchNextPage() }
        ///                     .disabled(!pages.hasNext || posts.nextPage.isFetching)
        ///                 if let error = posts.nextPage.error { Text(error.userMessage) }
        ///             }
        ///         }
        ///     }
        /// }
        /// ```
        ///
        /// The loaded pages stay while the next one loads, and if it fails. To load it while the user scrolls, see
        /// ``NextPageView`` and `View.infiniteScroll(_:at:within:)`. To wait for it, use
        /// ``/PigeonCore/QueryClient/fetchNextPage(of:)``.
        public func fetchNextPage<Page, PageID>() where Value == Pages<Page, PageID> {
            let snapshot = wrappedValue
            guard snapshot.value?.hasNext == true, !snapshot.nextPage.isFetching else { return }
            client.startPage(.next, of: definition)
        }

        /// Starts to load the previous page of a list, and does not wait for it. Does nothing while the page is being loaded,
        /// and at the start of the list. If the page failed before, it is tried again.
        public func fetchPreviousPage<Page, PageID>() where Value == Pages<Page, PageID> {
            let snapshot = wrappedValue
            guard snapshot.value?.hasPrevious == true, !snapshot.previousPage.isFetching else { return }
            client.startPage(.previous, of: definition)
        }
    }
#endif
