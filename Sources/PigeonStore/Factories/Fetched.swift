/// A page of a list that grows at its end, and what the one after it is asked by.
public struct Fetched<DATA> {
    /// The page.
    public let data: DATA
    /// What the next page is asked by. `nil` or empty at the end of the list.
    public let nextKey: String?

    /// Creates a page.
    public init(data: DATA, nextKey: String?) {
        self.data = data
        self.nextKey = nextKey
    }
}

extension Fetched: Sendable where DATA: Sendable {}

/// The page that a list begins with that grows at both sides.
public struct FetchedInitial<DATA> {
    /// The page.
    public let data: DATA
    /// What the next page is asked by. `nil` or empty at the end of the list.
    public let nextKey: String?
    /// What the previous page is asked by. `nil` or empty at the start of the list.
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
    /// What the next page is asked by. `nil` or empty at the end of the list.
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
    /// What the previous page is asked by. `nil` or empty at the start of the list.
    public let prevKey: String?

    /// Creates a page.
    public init(data: DATA, prevKey: String?) {
        self.data = data
        self.prevKey = prevKey
    }
}

extension FetchedPrev: Sendable where DATA: Sendable {}
