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

        /// Refetches a query when the user pulls the list down, and shows the progress until the fetch has ended. Without a
        /// network, the progress ends at once, and the fetch waits.
        ///
        /// The result is announced to users of VoiceOver (see `View.announcesLoads(_:)`).
        ///
        /// - Parameter query: The query, with whose last request it is fetched.
        public func refreshable(_ query: some ShownQuery) -> some View {
            refreshable(announcing: {
                await query.refresh()
                return query.viewState.refetchResult
            })
        }

        /// Refetches a property of a view when the user pulls the list down: `refreshable($user)`. The progress is shown
        /// until the fetch has ended, for which it may have to wait for the network.
        ///
        /// The result is announced to users of VoiceOver (see `View.announcesLoads(_:)`).
        ///
        /// - Parameter fetched: The property.
        public func refreshable<Value>(_ fetched: UseQuery<Value>) -> some View {
            let (client, definition) = (fetched.client, fetched.definition)
            return refreshable(announcing: {
                do {
                    _ = try await client.refetch(definition)
                    return client.snapshot(of: definition).viewState.refetchResult
                } catch {
                    return error.userMessage
                }
            })
        }
    }
#endif
