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
