public import PigeonCore

/// Identifies a page of a list.
///
/// ``NumericPaginatedQueryKey`` counts pages, and ``LimitOffsetPaginatedQueryKey`` counts items. Your own type defines
/// the first and the next page. If the page alone determines the end of the list, it also implements ``nextPage``.
public protocol PaginatedQueryKey: QueryKeyType, QueryKeyComponent, Codable, Sendable, Equatable {
    /// The first possible page.
    var first: Self { get }
    /// The page after this one.
    var next: Self { get }
    /// The page after this one, or `nil` at the end. The default is ``next``.
    var nextPage: Self? { get }
}

extension PaginatedQueryKey {
    /// The default is ``next``.
    public var nextPage: Self? { next }
    /// The page as a query key of one component.
    public var asQueryKey: QueryKey { QueryKey(value: queryKeyValue) }
    /// The text of the page.
    public var queryKeyComponent: String { queryKeyValue }
}

extension QueryKey {
    /// Returns a key with one more component, which is the text of the page.
    public func appending(_ page: any PaginatedQueryKey) -> QueryKey {
        appending(page.queryKeyValue)
    }
}

/// Identifies a page by its number.
public struct NumericPaginatedQueryKey: PaginatedQueryKey {
    /// The number of the page.
    public let current: Int

    /// Creates the key of a page.
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

/// Identifies a page by its maximum number of items and the number of items before it.
public struct LimitOffsetPaginatedQueryKey: PaginatedQueryKey {
    /// The maximum number of items on the page.
    public let limit: Int
    /// The number of items before the page.
    public let offset: Int

    /// Creates the key of a page.
    public init(limit: Int, offset: Int) {
        self.limit = limit
        self.offset = offset
    }

    /// The limit and the offset as text, separated so that no two pages have the same text.
    public var queryKeyValue: String { "\(limit)_\(offset)" }
    /// The page at offset 0.
    public var first: LimitOffsetPaginatedQueryKey { LimitOffsetPaginatedQueryKey(limit: limit, offset: 0) }
    /// The page that begins where this one ends.
    public var next: LimitOffsetPaginatedQueryKey { LimitOffsetPaginatedQueryKey(limit: limit, offset: offset + limit) }
}
