final class PageLoader<Page: Sendable, PageID: Sendable>: Pager {
    typealias List = Pages<Page, PageID>

    let firstPage: PageID
    let maxPages: Int?
    let fetch: @Sendable (PageID, PageContext<Page>) async throws -> Page
    let next: @Sendable (Page, PageID) -> PageID?
    let previous: @Sendable (Page, PageID) -> PageID?

    init(
        firstPage: PageID, maxPages: Int?, fetch: @escaping @Sendable (PageID, PageContext<Page>) async throws -> Page,
        next: @escaping @Sendable (Page, PageID) -> PageID?, previous: @escaping @Sendable (Page, PageID) -> PageID?
    ) {
        self.firstPage = firstPage
        self.maxPages = maxPages
        self.fetch = fetch
        self.next = next
        self.previous = previous
    }

    // MARK: Refreshing

    /// The pages that a refresh has loaded so far. A retry continues with them (T107).
    private struct Refreshed: Sendable {
        var list = List()
        /// The shortest time for which an answer said that its page is fresh, in nanoseconds (A51).
        var freshFor: Int64?
    }

    /// Reloads the loaded pages, starting with the first one. The identifier of each page comes from the reloaded page
    /// before it, so the list may shrink (T105).
    func refresh(_ run: FetchRun) async throws -> FetchOutcome {
        // Without a request, the cast of `nil` to an optional identifier would succeed.
        if let one = run.onePage, let page = one.id as? PageID { return try await refreshOne(page, run) }
        let stored = (run.previous as? PayloadOf<List>)?.value
        let old = run.fromStart ? nil : stored
        let wanted = max(1, old?.count ?? 1)
        var fresh = run.scratch as? Refreshed ?? Refreshed()
        var id: PageID? = fresh.list.isEmpty ? old?.firstID ?? firstPage : fresh.list.nextID
        while let asked = id, fresh.list.count < wanted {
            try Task.checkCancellation()
            let replaced = Self.page(replacedBy: asked, at: fresh.list.count, of: stored)
            let loaded = try await request(asked, replacing: replaced, run)
            fresh.freshFor = [fresh.freshFor, run.answerDetails.freshFor].compactMap { $0 }.min()
            if fresh.list.isEmpty { fresh.list.previousID = previous(loaded.page, asked) }
            fresh.list.append(loaded)
            fresh.list.nextID = next(loaded.page, asked)
            run.scratch = fresh
            id = fresh.list.nextID
        }
        // The validators belong to the pages, and not to the list.
        run.resetAnswer(freshFor: fresh.freshFor)
        if let old, Self.isUnchanged(fresh.list, from: old) { return .notModified }
        return .value(PayloadOf(fresh.list))
    }

    /// Returns the page that a requested one replaces: only a page with the same identifier, because validators belong to
    /// one page (A50).
    private static func page(replacedBy asked: PageID, at position: Int, of old: List?) -> List.Loaded? {
        guard let old, position < old.count else { return nil }
        let loaded = old.loaded(at: position)
        return areEqual(loaded.id, asked) ? loaded : nil
    }

    /// True if no page of a refreshed list was modified, and the list continues as before.
    static func isUnchanged(_ list: List, from old: List) -> Bool {
        list.hasSameLoads(as: old) && areEqual(list.nextID, old.nextID) && areEqual(list.previousID, old.previousID)
    }

    /// Requests a page. Returns the old page if the server says that it is not modified.
    func request(_ id: PageID, replacing old: List.Loaded?, _ run: FetchRun) async throws -> List.Loaded {
        run.resetAnswer(validators: old?.validators ?? FetchValidators())
        let asked = run.nextItemOrder()
        let page = try await fetch(id, PageContext(run: run, previous: old?.page))
        let order = asked?.lowered(by: run.answerDetails.age)
        if let old, run.isNotModified {
            if order != nil { old.renew(old.validators, order) }
            return old
        }
        let validators = run.validators
        // A list whose pages are all equal stays as it is (A3), and is requested with the newer validators.
        if let old, old.validators != validators || order != nil, areEqual(old.page, page) {
            old.renew(validators, order)
        }
        return List.Loaded(id: id, page: page, stamp: PageStamp.next(), validators: validators, order: order)
    }

    // MARK: Adding pages

    func canLoad(_ direction: PageDirection, from pages: Payload) -> Bool {
        guard let pages = (pages as? PayloadOf<List>)?.value else { return false }
        return direction == .next ? pages.hasNext : pages.hasPrevious
    }

    func hasNoPages(_ pages: Payload) -> Bool { (pages as? PayloadOf<List>)?.value.isEmpty ?? false }

    func load(_ direction: PageDirection, from pages: Payload, run: FetchRun) async throws -> (any LoadedPage)? {
        guard let pages = (pages as? PayloadOf<List>)?.value else { throw QueryError.notPaged(key: run.key) }
        guard let id = direction == .next ? pages.nextID : pages.previousID else { return nil }
        let loaded = try await request(id, replacing: nil, run)
        return Addition(
            loader: self, direction: direction, loaded: loaded,
            onward: direction == .next ? next(loaded.page, id) : previous(loaded.page, id),
            end: pages.end(in: direction))
    }

    final class Addition: LoadedPage {
        private let loader: PageLoader
        private let direction: PageDirection
        private let loaded: List.Loaded
        private let onward: PageID?
        /// The end of the list for which the page was requested.
        private let end: UInt64

        init(loader: PageLoader, direction: PageDirection, loaded: List.Loaded, onward: PageID?, end: UInt64) {
            (self.loader, self.direction, self.loaded) = (loader, direction, loaded)
            (self.onward, self.end) = (onward, end)
        }

        func added(to pages: Payload) -> Payload? {
            guard var list = (pages as? PayloadOf<List>)?.value, list.end(in: direction) == end else { return nil }
            if direction == .next {
                list.append(loaded)
                list.nextID = onward
            } else {
                list.prepend(loaded)
                list.previousID = onward
            }
            if let limit = loader.maxPages {
                list.trim(to: limit, addedIn: direction, previous: loader.previous, next: loader.next)
            }
            return PayloadOf(list)
        }
    }
}

/// True if two values are known to be equal. Calls user code, so it must not be called under a lock.
func areEqual<Value>(_ one: Value?, _ other: Value?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return (one as? any Equatable)?.equals(other) ?? false
}
