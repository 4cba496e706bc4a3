#if canImport(SwiftUI)
    public import Pigeon
    public import PigeonCore
    public import SwiftUI

    extension View {
        /// Loads the next page of a paginated query while this row is visible and its item is near the end of the list.
        ///
        /// ```swift
        /// List(posts.items) { post in
        ///     PostRow(post).infiniteScroll(posts, at: post)
        /// }
        /// ```
        ///
        /// A page that leaves the item near the end, such as one without items, is followed by the next one.
        ///
        /// - Parameters:
        ///   - query: The list. Scrolling does not retry a page that failed: see ``NextPageView``.
        ///   - item: The item that the row shows.
        ///   - distance: The number of items from the end that counts as near. At least 1.
        public func infiniteScroll<Request, PageIdentifier, Response>(
            _ query: PaginatedQuery<Request, PageIdentifier, Response>, at item: Response.Element,
            within distance: Int = 5
        ) -> some View where Response.Element: Identifiable {
            loadingPages(of: PageSource(query)) {
                [query.items].hasNearEnd(item, within: distance)
            }
        }

        /// Loads the next page that a view fetches while this row is visible and its item is near the end of the list.
        ///
        /// A page that leaves the item near the end, such as one without items, is followed by the next one.
        ///
        /// - Parameters:
        ///   - pages: The list: `$posts`. Scrolling does not retry a page that failed: see ``NextPageView``.
        ///   - item: The item that the row shows.
        ///   - distance: The number of items from the end that counts as near. At least 1.
        public func infiniteScroll<Page: BidirectionalCollection, PageID>(
            _ pages: UseQuery<Pages<Page, PageID>>, at item: Page.Element, within distance: Int = 5
        ) -> some View where Page.Element: Identifiable {
            loadingPages(of: PageSource(pages)) {
                pages.wrappedValue.value?.hasNearEnd(item, within: distance) ?? false
            }
        }

        /// Loads the next page of a list while this row is visible and near its end.
        ///
        /// - Parameter isNear: Returns true if this row is near the current end of the list.
        private func loadingPages(of source: PageSource, whileNear isNear: @escaping () -> Bool) -> some View {
            modifier(PageLoading(end: ListEnd(of: source, isNear: isNear)))
        }

        /// Refetches a query when the user pulls the list down, and shows the progress until the fetch has ended.
        /// Without a network, the progress ends at once, and the fetch waits.
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

        /// Refetches a property of a view when the user pulls the list down: `refreshable($user)`. The progress is
        /// shown until the fetch has ended. Without a network, it stays until the network is back.
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

    /// Loads the next page while a row is visible that is near the end of its list.
    private struct PageLoading: ViewModifier {
        let end: ListEnd

        @State private var isVisible = false

        func body(content: Content) -> some View {
            content
                .onAppear {
                    isVisible = true
                    end.loadIfNear()
                }
                .onDisappear { isVisible = false }
                // A page without items adds no row that could appear.
                .whenChanged(end) { new in
                    if isVisible { new.loadIfNear() }
                }
        }
    }

    /// The end of a list, as one of its rows sees it. Compared by its place alone.
    private struct ListEnd: Equatable {
        private let place: UInt64
        private let source: PageSource
        private let isNear: () -> Bool

        @MainActor
        init(of source: PageSource, isNear: @escaping () -> Bool) {
            place = source.state.end
            self.source = source
            self.isNear = isNear
        }

        @MainActor
        func loadIfNear() {
            if isNear() { source.loadUnlessFailed() }
        }

        static func == (one: ListEnd, other: ListEnd) -> Bool { one.place == other.place }
    }

    extension BidirectionalCollection where Element: BidirectionalCollection, Element.Element: Identifiable {
        /// Returns true if an item is one of the last `distance` items of all pages.
        fileprivate func hasNearEnd(_ item: Element.Element, within distance: Int) -> Bool {
            var rest = Swift.max(distance, 1)
            for page in reversed() {
                let last = page.suffix(rest)
                if last.contains(where: { $0.id == item.id }) { return true }
                rest -= last.count
                if rest == 0 { break }
            }
            return false
        }
    }
#endif
