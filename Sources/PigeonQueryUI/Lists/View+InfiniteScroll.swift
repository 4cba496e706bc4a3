#if canImport(SwiftUI)
    public import Pigeon
    public import PigeonCore
    public import SwiftUI

    extension View {
        /// Loads the next page of a paginated query when this row becomes visible and its item is near the end of the
        /// list.
        ///
        /// ```swift
        /// List(posts.items) { post in
        ///     PostRow(post).infiniteScroll(posts, at: post)
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - query: The list. Scrolling does not retry a page that failed: see ``NextPageView``.
        ///   - item: The item that the row shows.
        ///   - distance: The number of items from the end that counts as near. At least 1.
        public func infiniteScroll<Request, PageIdentifier, Response>(
            _ query: PaginatedQuery<Request, PageIdentifier, Response>, at item: Response.Element,
            within distance: Int = 5
        ) -> some View where Response.Element: Identifiable {
            onAppear {
                guard query.items.suffix(max(distance, 1)).contains(where: { $0.id == item.id }) else { return }
                PageSource(query).loadUnlessFailed()
            }
        }

        /// Loads the next page that a view fetches when this row becomes visible and its item is near the end of the
        /// list.
        ///
        /// - Parameters:
        ///   - pages: The list: `$posts`. Scrolling does not retry a page that failed: see ``NextPageView``.
        ///   - item: The item that the row shows.
        ///   - distance: The number of items from the end that counts as near. At least 1. Only items of the last page
        ///     are considered.
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

        /// Refetches a query when the user pulls the list down, and shows the progress until the fetch has ended.
        public func refreshable(_ query: some ShownQuery) -> some View {
            refreshable(announcing: {
                await query.refresh()
                return query.viewState.error
            })
        }

        /// Refetches a property of a view when the user pulls the list down: `refreshable($user)`.
        public func refreshable<Value>(_ fetched: UseQuery<Value>) -> some View {
            let (client, definition) = (fetched.client, fetched.definition)
            return refreshable(announcing: {
                do {
                    _ = try await client.refetch(definition)
                    return nil
                } catch { return error }
            })
        }
    }
#endif
