#if canImport(SwiftUI)
    public import Pigeon
    public import PigeonCore
    public import SwiftUI

    /// The last row of a list that goes on: loads the next page when it comes in sight, shows that it does, and offers to try
    /// again when that failed. Nothing at the end of the list.
    ///
    /// ```swift
    /// List {
    ///     ForEach(posts.items) { PostRow($0) }
    ///     NextPageView(posts)
    /// }
    /// ```
    public struct NextPageView: View {
        private let source: PageSource

        /// The row of a paginated query.
        public init<Request, PageIdentifier, Response>(_ query: PaginatedQuery<Request, PageIdentifier, Response>) {
            source = PageSource(query)
        }

        /// The row of pages that a view fetches: `NextPageView($posts)`.
        public init<Page, PageID>(_ pages: UseQuery<Pages<Page, PageID>>) {
            source = PageSource(pages)
        }

        /// The row of any list.
        public init(_ source: PageSource) {
            self.source = source
        }

        /// A sign of the load, or the error.
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
                    // Another row after each page: one that stays in sight would not appear again.
                    .id(state.count)
            }
        }
    }
#endif
