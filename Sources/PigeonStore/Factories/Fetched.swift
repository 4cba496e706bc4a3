/// A page of a list that grows at its end, with the key of the next page.
public struct Fetched<DATA> {
    /// The page.
    public let data: DATA
    /// The key of the next page. `nil` or empty at the end of the list.
    public let nextKey: String?

    /// Creates a page.
    public init(data: DATA, nextKey: String?) {
        self.data = data
        self.nextKey = nextKey
    }
}

extension Fetched: Sendable where DATA: Sendable {}

/// The first page to show of a list that grows at both sides.
public struct FetchedInitial<DATA> {
    /// The page.
    public let data: DATA
    /// The key of the next page. `nil` or empty at the end of the list.
    public let nextKey: String?
    /// The key of the previous page. `nil` or empty at the start of the list.
    public let prevKey: String?

    /// Creates a page.
    public init(data: DATA, nextKey: String?, prevKey: String?) {
        self.data = data
        self.nextKey = nextKey
        self.prevKey = prevKey
    }
}

extension FetchedInitial: Sendable where DATA: Sendable {}

/// A page at the end of a list that grows at both sides.
public struct FetchedNext<DATA> {
    /// The page.
    public let data: DATA
    /// The key of the next page. `nil` or empty at the end of the list.
    public let nextKey: String?

    /// Creates a page.
    public init(data: DATA, nextKey: String?) {
        self.data = data
        self.nextKey = nextKey
    }
}

extension FetchedNext: Sendable where DATA: Sendable {}

/// A page at the start of a list that grows at both sides.
public struct FetchedPrev<DATA> {
    /// The page.
    public let data: DATA
    /// The key of the previous page. `nil` or empty at the start of the list.
    public let prevKey: String?

    /// Creates a page.
    public init(data: DATA, prevKey: String?) {
        self.data = data
        self.prevKey = prevKey
    }
}

extension FetchedPrev: Sendable where DATA: Sendable {}
