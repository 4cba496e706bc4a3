/// Keeps lists that grow at their end. `DATA` is the type of one item.
open class PaginationCacher<PARAM: Hashable & Sendable, DATA: Sendable>: Cacher<PARAM, [DATA]>,
    @unchecked Sendable  // it adds no property
{
    /// Whether this class keeps the data, so that adding a page costs the page and not the list.
    ///
    /// `true` for the class itself and ``TwoWayPaginationCacher``. A subclass says so that overrides only when data expires; one
    /// that overrides how data is read or written leaves it.
    open var keepsDataInMemory: Bool {
        isPlain
    }

    override var isPlain: Bool { type(of: self) == PaginationCacher.self }

    /// Writes the next page after what is cached. An item whose `id` is there already is replaced where it stands.
    ///
    /// Not called where ``keepsDataInMemory`` says that it does the same.
    open func saveNextData(cachedData: [DATA], newData: [DATA], param: PARAM) async throws {
        try await saveData(data: cachedData.merging(newData, .next), param: param)
    }

    /// Reads what the next page is asked by. `nil` or empty at the end of the list.
    open func loadNextRequestKey(param: PARAM) async throws -> String? {
        shelf[param]?.facts.keys.next
    }

    /// Writes what the next page is asked by. `nil` or empty at the end of the list.
    open func saveNextRequestKey(requestKey: String?, param: PARAM) async throws {
        keep(param) { $0.keys.next = requestKey }
    }
}

extension PaginationCacher {
    /// What is cached of a list, whose pages are added as `add` does it where data is kept elsewhere.
    func cache(
        _ param: PARAM, loadKeys: @escaping @Sendable () async throws -> PageKeys,
        saveKeys: @escaping @Sendable (PageKeys) async throws -> Void,
        add: @escaping @Sendable (_ cached: [DATA], _ new: [DATA], PageDirection) async throws -> Void
    ) -> StoreCache<[DATA]> {
        guard keepsDataInMemory else {
            return cache(
                param, StoreCache.Pages(loadKeys: loadKeys, saveKeys: saveKeys) { try await add($0.value, $1, $2) })
        }
        let pages = StoreCache<[DATA]>.Pages(loadKeys: loadKeys, saveKeys: saveKeys) { _, new, direction in
            self.keep(param) { kept in
                guard let data = kept.data else { return }
                kept.data = .lazy(data.view().adding(new, direction))
            }
        }
        var cache = cache(param, pages)
        cache.load = { self.shelf[param]?.facts.data }
        return cache
    }
}

extension StoreData {
    /// The list, so that it can grow.
    fileprivate func view<Item: Sendable>() -> ListView<Item> where DATA == [Item] {
        if case .lazy(let lazy) = self, let view = lazy as? ListView<Item> { return view }
        return GrowingList(value).view
    }
}

/// Brings a list that grows at its end, page by page. `DATA` is the type of one item.
public protocol PaginationFetcher<PARAM, DATA>: Sendable {
    /// What tells one list from another.
    associatedtype PARAM: Hashable & Sendable
    /// One item.
    associatedtype DATA: Sendable

    /// What is fetched.
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
    /// What the next page is asked by. `nil` or empty at the end of the list.
    public let nextRequestKey: String?

    /// Creates a page.
    public init(data: [DATA], nextRequestKey: String?) {
        self.data = data
        self.nextRequestKey = nextRequestKey
    }
}
