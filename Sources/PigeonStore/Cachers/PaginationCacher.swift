/// Caches lists that grow at their end. `DATA` is the type of one item.
open class PaginationCacher<PARAM: Hashable & Sendable, DATA: Sendable>: Cacher<PARAM, [DATA]>,
    @unchecked Sendable  // it adds no property
{
    /// True if this class caches the data in memory, so that the cost of adding a page depends only on the page.
    ///
    /// `true` for this class and ``TwoWayPaginationCacher``, `false` for their subclasses. A subclass that overrides
    /// only the expiry should return `true`. A subclass that overrides how data is read or written must not.
    open var keepsDataInMemory: Bool {
        isPlain
    }

    override var isPlain: Bool { type(of: self) == PaginationCacher.self }

    /// Writes the next page after the cached data. An item whose `id` the list already has replaces the old item in its
    /// place.
    ///
    /// Not called if ``keepsDataInMemory`` is true.
    open func saveNextData(cachedData: [DATA], newData: [DATA], param: PARAM) async throws {
        try await saveData(data: cachedData.merging(newData, .next), param: param)
    }

    /// Reads the key of the next page. `nil` or empty at the end of the list.
    open func loadNextRequestKey(param: PARAM) async throws -> String? {
        entries[param]?.facts.keys.next
    }

    /// Writes the key of the next page. `nil` or empty at the end of the list.
    open func saveNextRequestKey(requestKey: String?, param: PARAM) async throws {
        keep(param) { $0.keys.next = requestKey }
    }
}

extension PaginationCacher {
    /// Returns the cache of a list. If the data is stored elsewhere, `add` adds its pages.
    func cache(
        _ param: PARAM, loadKeys: @escaping @Sendable () async throws -> PageKeys,
        saveKeys: @escaping @Sendable (PageKeys) async throws -> Void,
        add: @escaping @Sendable (_ cached: [DATA], _ new: [DATA], PageDirection) async throws -> Void
    ) -> StoreCache<[DATA]> {
        guard keepsDataInMemory else {
            return cache(
                param,
                StoreCache.PageOperations(loadKeys: loadKeys, saveKeys: saveKeys) { try await add($0.value, $1, $2) })
        }
        let pages = StoreCache<[DATA]>.PageOperations(loadKeys: loadKeys, saveKeys: saveKeys) { _, new, direction in
            self.keep(param) { cached in
                guard let data = cached.data else { return }
                cached.data = .lazy(data.view().adding(new, direction))
            }
        }
        var cache = cache(param, pages)
        cache.load = { self.entries[param]?.facts.data }
        return cache
    }
}

extension StoreData {
    /// Returns the list in a form to which pages can be added.
    fileprivate func view<Item: Sendable>() -> ListView<Item> where DATA == [Item] {
        if case .lazy(let lazy) = self, let view = lazy as? ListView<Item> { return view }
        return GrowingList(value).view
    }
}

/// Fetches a list that grows at its end, page by page. `DATA` is the type of one item.
public protocol PaginationFetcher<PARAM, DATA>: Sendable {
    /// The type of the parameter, which identifies a list.
    associatedtype PARAM: Hashable & Sendable
    /// The type of one item.
    associatedtype DATA: Sendable

    /// The type of a fetched page.
    typealias Result = PaginationFetcherResult

    /// Fetches the first page.
    func fetch(param: PARAM) async throws -> PaginationFetcherResult<DATA>

    /// Fetches the page of a key.
    func fetchNext(nextKey: String, param: PARAM) async throws -> PaginationFetcherResult<DATA>
}

/// A page of a list that grows at its end.
public struct PaginationFetcherResult<DATA: Sendable>: Sendable {
    /// The items of the page.
    public let data: [DATA]
    /// The key of the next page. `nil` or empty at the end of the list.
    public let nextRequestKey: String?

    /// Creates a page.
    public init(data: [DATA], nextRequestKey: String?) {
        self.data = data
        self.nextRequestKey = nextRequestKey
    }
}
