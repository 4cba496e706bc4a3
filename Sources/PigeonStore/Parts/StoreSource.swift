internal import Foundation

/// Adapts the program's cache and fetcher to the engine, as a source of truth and its fetcher.
final class StoreSource<DATA: Sendable>: AnySource, Pager {
    let identity: StoreIdentity
    let cache: StoreCache<DATA>
    let origin: StoreOrigin<DATA>

    init(_ identity: StoreIdentity, _ cache: StoreCache<DATA>, _ origin: StoreOrigin<DATA>) {
        self.identity = identity
        self.cache = cache
        self.origin = origin
    }

    var queue: JobQueue { identity.queue }

    // MARK: The cache

    var readsAtOnce: Bool { cache.now != nil }

    func readNow() -> SourceContent? { cache.now?() }

    func read() async throws -> SourceContent? {
        if let now = cache.now { return now().map { SourceContent($0.payload) } }
        guard let data = try await cache.load() else { return nil }
        guard let pages = cache.pages else { return SourceContent(PayloadOf(StoreContent<DATA>(data: data))) }
        return SourceContent(PayloadOf(StoreContent<DATA>(data: data, keys: try await pages.loadKeys())))
    }

    func isStale(_ payload: Payload) async throws -> Bool {
        guard let content = Self.content(of: payload) else { return true }
        return try await cache.needsRefresh(content.data.value)
    }

    /// Returns the content. `nil` if it must be fetched again.
    func validData() async throws -> DATA? {
        guard let payload = try await read()?.payload, try await !isStale(payload) else { return nil }
        return Self.content(of: payload)?.data.value
    }

    func save(_ payload: Payload, at date: Date) async throws {
        guard let content = Self.content(of: payload) else { return }
        guard let pages = cache.pages else { return try await cache.save(content.data.value) }
        try await cache.saveList(content.data.value, content.keys, in: pages)
    }

    func clear() async throws {
        try await cache.save(nil)
        try await cache.pages?.saveKeys(PageKeys())
    }

    func markStale() async throws { try await cache.markStale() }

    var notifies: Bool { cache.onChange != nil }

    func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription? { cache.onChange?(handler) }

    // MARK: Pages

    /// A page that is about to be added to the cache.
    private final class Page: LoadedPage {
        let data: DATA
        let askedBy: String
        let onward: String?

        init(data: DATA, askedBy: String, onward: String?) {
            (self.data, self.askedBy, self.onward) = (data, askedBy, onward)
        }

        /// Returns `nil`, because the cache adds the page.
        func added(to pages: Payload) -> Payload? { nil }
    }

    func canLoad(_ direction: PageDirection, from payload: Payload) -> Bool {
        Self.content(of: payload)?.keys[direction] != nil
    }

    func load(_ direction: PageDirection, from payload: Payload, run: FetchRun) async throws -> (any LoadedPage)? {
        guard let fetch = origin.fetchPage else { throw QueryError.notPaged(key: run.key) }
        guard let key = Self.content(of: payload)?.keys[direction] else { return nil }
        let answer = try await fetch(key, direction)
        if answer.key == key {
            // An origin that stores the cursor itself returns the same key for all pages, so the list continues.
            run.client.client?.reportMisuse(
                "a page gives its own key as the key of the page after it: the same key is requested again",
                key: run.key)
        }
        return Page(data: answer.data, askedBy: key, onward: answer.key)
    }

    func add(_ page: any LoadedPage, _ direction: PageDirection) async throws -> Bool {
        guard let page = page as? Page, let pages = cache.pages, let cached = try await cache.load() else {
            return false
        }
        let oldKeys = try await pages.loadKeys()
        guard oldKeys[direction] == page.askedBy else { return false }
        var keys = oldKeys
        keys[direction] = page.onward
        try await cache.addPage(page.data, direction, to: cached, oldKeys, keys, in: pages)
        return true
    }

    // MARK: The engine

    func definition(key: QueryKey) -> QueryDefinition<StoreContent<DATA>> {
        let origin = origin
        let fetcher = AnyFetcher(pager: self, source: self) { _ in
            do {
                guard let content = try await origin.fetch() else { return .finished }
                return .value(PayloadOf(content))
            } catch {
                return .failure(error)
            }
        }
        return QueryDefinition(key: key, fetcher: fetcher).staleAfter(.never)
            .readable(as: DATA.self) { content, _ in content.data.value }
    }

    private static func content(of payload: Payload) -> StoreContent<DATA>? {
        (payload as? PayloadOf<StoreContent<DATA>>)?.value
    }
}
