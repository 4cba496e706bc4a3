public import PigeonCore

/// Names a page of a list.
///
/// Both stock ones count: ``NumericPaginatedQueryKey`` pages, ``LimitOffsetPaginatedQueryKey`` items. One of your own says
/// what comes first and what comes next; a list that can tell its end from the page alone says so by ``nextPage``.
public protocol PaginatedQueryKey: QueryKeyType, QueryKeyComponent, Codable, Sendable, Equatable {
    /// The first page there can be.
    var first: Self { get }
    /// The page after this one.
    var next: Self { get }
    /// The page after this one, or `nil` at the end. By default ``next``.
    var nextPage: Self? { get }
}

extension PaginatedQueryKey {
    /// The page after this one.
    public var nextPage: Self? { next }
    /// A query key of one component.
    public var asQueryKey: QueryKey { QueryKey(value: queryKeyValue) }
    /// The text of the page.
    public var queryKeyComponent: String { queryKeyValue }
}

extension QueryKey {
    /// A key one component longer: the text of the page.
    public func appending(_ page: any PaginatedQueryKey) -> QueryKey {
        appending(page.queryKeyValue)
    }
}

/// A page by its number.
public struct NumericPaginatedQueryKey: PaginatedQueryKey {
    /// The number.
    public let current: Int

    /// Names a page.
    public init(current: Int) {
        self.current = current
    }

    /// The number as text.
    public var queryKeyValue: String { String(current) }
    /// Page 0.
    public var first: NumericPaginatedQueryKey { NumericPaginatedQueryKey(current: 0) }
    /// The page with the next number.
    public var next: NumericPaginatedQueryKey { NumericPaginatedQueryKey(current: current + 1) }
}

/// A page by how many items it has at most and how many come before it.
public struct LimitOffsetPaginatedQueryKey: PaginatedQueryKey {
    /// The most items on the page.
    public let limit: Int
    /// How many items come before the page.
    public let offset: Int

    /// Names a page.
    public init(limit: Int, offset: Int) {
        self.limit = limit
        self.offset = offset
    }

    /// The limit and the offset, so joined that no two pages have the same text.
    public var queryKeyValue: String { "\(limit)_\(offset)" }
    /// The page at offset 0.
    public var first: LimitOffsetPaginatedQueryKey { LimitOffsetPaginatedQueryKey(limit: limit, offset: 0) }
    /// The page that begins where this one ends.
    public var next: LimitOffsetPaginatedQueryKey { LimitOffsetPaginatedQueryKey(limit: limit, offset: offset + limit) }
}
