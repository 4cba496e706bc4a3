#if canImport(SwiftUI)
    public import Pigeon
    public import PigeonCore
    public import SwiftUI

    extension View {
        /// Loads the next page of a paginated query when this row, of one of its items, comes in sight near the end.
        ///
        /// ```swift
        /// List(posts.items) { post in
        ///     PostRow(post).infiniteScroll(posts, at: post)
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - query: The list. A page that failed is not asked for again by scrolling: see ``NextPageView``.
        ///   - item: What the row shows.
        ///   - distance: How many items from the end "near" is; at least 1.
        public func infiniteScroll<Request, PageIdentifier, Response>(
            _ query: PaginatedQuery<Request, PageIdentifier, Response>, at item: Response.Element,
            within distance: Int = 5
        ) -> some View where Response.Element: Identifiable {
            onAppear {
                guard query.items.suffix(max(distance, 1)).contains(where: { $0.id == item.id }) else { return }
                PageSource(query).loadUnlessFailed()
            }
        }

        /// Loads the next page that a view fetches when this row, of one of the items, comes in sight near the end.
        ///
        /// - Parameters:
        ///   - pages: The list: `$posts`. A page that failed is not asked for again by scrolling: see ``NextPageView``.
        ///   - item: What the row shows.
        ///   - distance: How many items from the end "near" is; at least 1. Only the last page is looked at.
        public func infiniteScroll<Page: BidirectionalCollection, PageID>(
            _ pages: UseQuery<Pages<Page, PageID>>, at item: Page.Element, within distance: Int = 5
        ) -> some View where Page.Element: Identifiable {
            onAppear {
                guard let last = pages.wrappedValue.value?.last,
                    last.suffix(max(distance, 1)).contains(where: { $0.id == item.id })
                else { return }
                PageSource(pages).loadUnlessFailed()
            }
        }

        /// Fetches a query again when the list is pulled down, and shows that until it has ended.
        public func refreshable(_ query: some ShownQuery) -> some View {
            refreshable(action: { await query.refresh() })
        }

        /// Fetches a property of a view again when the list is pulled down: `refreshable($user)`.
        public func refreshable<Value>(_ fetched: UseQuery<Value>) -> some View {
            refreshable(action: { await fetched.refresh() })
        }
    }
#endif
