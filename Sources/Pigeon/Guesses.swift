public import PigeonCore

/// Members that other libraries have under these names. The compiler names those of Pigeon.
extension Query {
    /// The error of the last fetch. It is part of the snapshot.
    @available(*, unavailable, message: "read snapshot.error")
    public var error: (any Error)? { snapshot.error }

    /// True while a first load runs. It is part of the snapshot.
    @available(*, unavailable, message: "read snapshot.isLoading, or snapshot.isFetching for any fetch")
    public var isLoading: Bool { snapshot.isLoading }

    /// True while a fetch runs. It is part of the snapshot.
    @available(*, unavailable, message: "read snapshot.isFetching")
    public var isFetching: Bool { snapshot.isFetching }

    /// The last value.
    @available(*, unavailable, renamed: "value")
    public var data: Response? { value }
}

extension SelectedQuery {
    /// The error of the last fetch. It is part of the snapshot.
    @available(*, unavailable, message: "read snapshot.error")
    public var error: (any Error)? { snapshot.error }

    /// True while a first load runs. It is part of the snapshot.
    @available(*, unavailable, message: "read snapshot.isLoading, or snapshot.isFetching for any fetch")
    public var isLoading: Bool { snapshot.isLoading }

    /// The last value.
    @available(*, unavailable, renamed: "value")
    public var data: Output? { value }
}

extension PaginatedQuery {
    /// The error of the last fetch. It is part of the snapshot.
    @available(*, unavailable, message: "read snapshot.error, or nextPageError for the next page")
    public var error: (any Error)? { snapshot.error }

    /// True while a first load runs. It is part of the snapshot.
    @available(*, unavailable, message: "read snapshot.isLoading, or isFetchingNextPage for the next page")
    public var isLoading: Bool { snapshot.isLoading }

    /// All pages, joined.
    @available(*, unavailable, message: "read items, or value for all pages, joined")
    public var data: Response? { value }

    /// A list whose pages are no collections.
    @available(
        *, unavailable,
        message: "name the property of a page that has its items, as in PaginatedQuery(.issues(), items: \\.issues)"
    )
    public convenience init<Page: Sendable>(
        _ definition: QueryDefinition<Pages<Page, PageIdentifier>>, client: QueryClient = .shared
    ) where Request == Void, Response == [Page] {
        fatalError("unavailable")
    }
}

extension Mutation {
    /// The error of the newest execution. It is part of the state.
    @available(*, unavailable, message: "read state.error")
    public var error: (any Error)? { state.error }

    /// True while the newest execution runs. It is part of the state.
    @available(*, unavailable, message: "read state.isLoading")
    public var isLoading: Bool { state.isLoading }

    /// The response to the newest execution. It is part of the state.
    @available(*, unavailable, message: "read state.value")
    public var data: Response? { state.value }
}

extension QueryDefinition {
    /// The time for which a value is fresh.
    @available(*, unavailable, renamed: "staleAfter(_:)")
    public func staleTime(_ time: StaleTime) -> Self { staleAfter(time) }

    /// The time for which an unused value is kept in memory.
    @available(*, unavailable, renamed: "keepFor(_:)")
    public func gcTime(_ time: Duration) -> Self { keepFor(time) }
}
