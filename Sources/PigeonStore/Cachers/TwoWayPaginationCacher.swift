/// Caches lists that grow at both sides. `DATA` is the type of one item.
open class TwoWayPaginationCacher<PARAM: Hashable & Sendable, DATA: Sendable>: PaginationCacher<PARAM, DATA>,
    @unchecked Sendable  // it adds no property
{
    override var isPlain: Bool { type(of: self) == TwoWayPaginationCacher.self }

    /// Writes the previous page before the cached data. An item whose `id` the list already has replaces the old item
    /// in its place.
    open func savePrevData(cachedData: [DATA], newData: [DATA], param: PARAM) async throws {
        try await saveData(data: cachedData.merging(newData, .previous), param: param)
    }

    /// Reads the key of the previous page. `nil` or empty at the start of the list.
    open func loadPrevRequestKey(param: PARAM) async throws -> String? {
        entries[param]?.facts.keys.prev
    }

    /// Writes the key of the previous page. `nil` or empty at the start of the list.
    open func savePrevRequestKey(requestKey: String?, param: PARAM) async throws {
        keep(param) { $0.keys.prev = requestKey }
    }
}

/// Fetches a list that grows at both sides, page by page. `DATA` is the type of one item.
public protocol TwoWayPaginationFetcher<PARAM, DATA>: Sendable {
    /// The type of the parameter, which identifies a list.
    associatedtype PARAM: Hashable & Sendable
    /// The type of one item.
    associatedtype DATA: Sendable

    /// The type of a fetched page.
    typealias Result = TwoWayPaginationFetcherResult

    /// Fetches the first page to show.
    func fetch(param: PARAM) async throws -> TwoWayPaginationFetcherResultInitial<DATA>

    /// Fetches the page of a key at the end.
    func fetchNext(nextKey: String, param: PARAM) async throws -> TwoWayPaginationFetcherResultNext<DATA>

    /// Fetches the page of a key at the start.
    func fetchPrev(prevKey: String, param: PARAM) async throws -> TwoWayPaginationFetcherResultPrev<DATA>
}

/// A page of a list that grows at both sides.
public protocol TwoWayPaginationFetcherResult<DATA>: Sendable {
    /// The type of one item.
    associatedtype DATA: Sendable

    /// The type of the first page to show.
    typealias Initial = TwoWayPaginationFetcherResultInitial
    /// The type of a page at the end.
    typealias Next = TwoWayPaginationFetcherResultNext
    /// The type of a page at the start.
    typealias Prev = TwoWayPaginationFetcherResultPrev

    /// The items of the page.
    var data: [DATA] { get }
}

/// The first page to show.
public struct TwoWayPaginationFetcherResultInitial<DATA: Sendable>: TwoWayPaginationFetcherResult {
    /// The items of the page.
    public let data: [DATA]
    /// The key of the next page. `nil` or empty at the end of the list.
    public let nextRequestKey: String?
    /// The key of the previous page. `nil` or empty at the start of the list.
    public let prevRequestKey: String?

    /// Creates a page.
    public init(data: [DATA], nextRequestKey: String?, prevRequestKey: String?) {
        self.data = data
        self.nextRequestKey = nextRequestKey
        self.prevRequestKey = prevRequestKey
    }
}

/// A page at the end of a list.
public struct TwoWayPaginationFetcherResultNext<DATA: Sendable>: TwoWayPaginationFetcherResult {
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

/// A page at the start of a list.
public struct TwoWayPaginationFetcherResultPrev<DATA: Sendable>: TwoWayPaginationFetcherResult {
    /// The items of the page.
    public let data: [DATA]
    /// The key of the previous page. `nil` or empty at the start of the list.
    public let prevRequestKey: String?

    /// Creates a page.
    public init(data: [DATA], prevRequestKey: String?) {
        self.data = data
        self.prevRequestKey = prevRequestKey
    }
}
