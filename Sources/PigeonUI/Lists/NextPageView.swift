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
            if let error = state.error, !state.isLoading {
                VStack {
                    Text(error.userMessage)
                        .font(.footnote)
                    Button("Try Again", action: source.load)
                }
                .frame(maxWidth: .infinity)
            } else if state.hasNextPage {
                ProgressView()
                    .frame(maxWidth: .infinity)
                    .onAppear(perform: source.loadUnlessFailed)
                    // The row changes its identity after each page, because a row that stays visible would not appear
                    // again.
                    .id(state.count)
            }
        }
    }
#endif
