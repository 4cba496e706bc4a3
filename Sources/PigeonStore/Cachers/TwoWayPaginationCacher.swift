/// Keeps lists that grow at both sides. `DATA` is the type of one item.
open class TwoWayPaginationCacher<PARAM: Hashable & Sendable, DATA: Sendable>: PaginationCacher<PARAM, DATA>,
    @unchecked Sendable  // it adds no property
{
    override var isPlain: Bool { type(of: self) == TwoWayPaginationCacher.self }

    /// Writes the previous page before what is cached. An item whose `id` is there already is replaced where it stands.
    open func savePrevData(cachedData: [DATA], newData: [DATA], param: PARAM) async throws {
        try await saveData(data: cachedData.merging(newData, .previous), param: param)
    }

    /// Reads what the previous page is asked by. `nil` or empty at the start of the list.
    open func loadPrevRequestKey(param: PARAM) async throws -> String? {
        shelf[param]?.facts.keys.prev
    }

    /// Writes what the previous page is asked by. `nil` or empty at the start of the list.
    open func savePrevRequestKey(requestKey: String?, param: PARAM) async throws {
        keep(param) { $0.keys.prev = requestKey }
    }
}

/// Brings a list that grows at both sides, page by page. `DATA` is the type of one item.
public protocol TwoWayPaginationFetcher<PARAM, DATA>: Sendable {
    /// What tells one list from another.
    associatedtype PARAM: Hashable & Sendable
    /// One item.
    associatedtype DATA: Sendable

    /// What is fetched.
    typealias Result = TwoWayPaginationFetcherResult

    /// Fetches the page that the list begins with.
    func fetch(param: PARAM) async throws -> TwoWayPaginationFetcherResultInitial<DATA>

    /// Fetches the page of a key at the end.
    func fetchNext(nextKey: String, param: PARAM) async throws -> TwoWayPaginationFetcherResultNext<DATA>

    /// Fetches the page of a key at the start.
    func fetchPrev(prevKey: String, param: PARAM) async throws -> TwoWayPaginationFetcherResultPrev<DATA>
}

/// A page of a list that grows at both sides.
public protocol TwoWayPaginationFetcherResult<DATA>: Sendable {
    /// One item.
    associatedtype DATA: Sendable

    /// The page that a list begins with.
    typealias Initial = TwoWayPaginationFetcherResultInitial
    /// A page at the end.
    typealias Next = TwoWayPaginationFetcherResultNext
    /// A page at the start.
    typealias Prev = TwoWayPaginationFetcherResultPrev

    /// The items of the page.
    var data: [DATA] { get }
}

/// The page that a list begins with.
public struct TwoWayPaginationFetcherResultInitial<DATA: Sendable>: TwoWayPaginationFetcherResult {
    /// The items of the page.
    public let data: [DATA]
    /// What the next page is asked by. `nil` or empty at the end of the list.
    public let nextRequestKey: String?
    /// What the previous page is asked by. `nil` or empty at the start of the list.
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
    /// What the next page is asked by. `nil` or empty at the end of the list.
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
    /// What the previous page is asked by. `nil` or empty at the start of the list.
    public let prevRequestKey: String?

    /// Creates a page.
    public init(data: [DATA], prevRequestKey: String?) {
        self.data = data
        self.prevRequestKey = prevRequestKey
    }
}
