import Foundation
import Testing

/// The public declarations of Pigeon 0.1.17, each of which stands in a `// uses:` comment beside the code that uses it.
enum Inventory {
    static let types = """
        QueryState
        QueryState.idle
        QueryState.loading
        QueryState.succeed
        QueryState.failed
        QueryState.value
        QueryKeyType
        QueryKeyType.queryKeyValue
        QueryKey
        QueryKey.init(value:)
        QueryKey.queryKeyValue
        QueryKey.==
        QueryKey.hash(into:)
        QueryKey.appending(_: String)
        QueryKey.appending(_: QueryKeyType)
        PaginatedQueryKey
        PaginatedQueryKey.first
        PaginatedQueryKey.next
        PaginatedQueryKey.asQueryKey
        NumericPaginatedQueryKey
        NumericPaginatedQueryKey.init(current:)
        NumericPaginatedQueryKey.current
        NumericPaginatedQueryKey.queryKeyValue
        NumericPaginatedQueryKey.first
        NumericPaginatedQueryKey.next
        LimitOffsetPaginatedQueryKey
        LimitOffsetPaginatedQueryKey.init(limit:offset:)
        LimitOffsetPaginatedQueryKey.limit
        LimitOffsetPaginatedQueryKey.offset
        LimitOffsetPaginatedQueryKey.queryKeyValue
        LimitOffsetPaginatedQueryKey.first
        LimitOffsetPaginatedQueryKey.next
        """

    static let queries = """
        QueryType
        QueryType.Request
        QueryType.Response
        QueryType.state
        QueryType.statePublisher
        QueryType.eraseToAnyQuery()
        AnyQuery
        AnyQuery.init(stateGetter:statePublisherGetter:)
        AnyQuery.state
        AnyQuery.statePublisher
        Query
        Query.FetchingBehavior
        Query.FetchingBehavior.startWhenRequested
        Query.FetchingBehavior.startImmediately
        Query.PollingBehavior
        Query.PollingBehavior.noPolling
        Query.PollingBehavior.pollEvery
        Query.State
        Query.QueryFetcher
        Query.init(key:fetcher:)
        Query.init(key:keyAdapter:behavior:pollingBehavior:cache:cacheConfig:fetcher:)
        Query.state
        Query.$state
        Query.statePublisher
        Query.valuePublisher
        Query.objectWillChange
        Query.refetch(request:)
        Query.listenQueryInvalidation(for:)
        Query.eraseToAnyQuery()
        Query.Consumer
        Query.Consumer.State
        Query.Consumer.init(key:)
        Query.Consumer.state
        Query.Consumer.statePublisher
        Query.Consumer.valuePublisher
        Query.Consumer.objectWillChange
        Query.Consumer.refetch(for:)
        Query.Consumer.eraseToAnyQuery()
        PaginatedQuery
        PaginatedQuery.FetchingBehavior
        PaginatedQuery.FetchingBehavior.startWhenRequested
        PaginatedQuery.FetchingBehavior.startImmediately
        PaginatedQuery.State
        PaginatedQuery.QueryFetcher
        PaginatedQuery.init(key:firstPage:fetcher:)
        PaginatedQuery.init(key:firstPage:keyAdapter:behavior:cache:cacheConfig:fetcher:)
        PaginatedQuery.items
        PaginatedQuery.$items
        PaginatedQuery.currentPage
        PaginatedQuery.$currentPage
        PaginatedQuery.state
        PaginatedQuery.statePublisher
        PaginatedQuery.valuePublisher
        PaginatedQuery.objectWillChange
        PaginatedQuery.fetchNextPage()
        PaginatedQuery.refetch(request:)
        PaginatedQuery.listenQueryInvalidation(for:)
        PaginatedQuery.eraseToAnyQuery()
        """

    static let changes = """
        Mutation
        Mutation.State
        Mutation.QueryFetcher
        Mutation.init(fetcher:)
        Mutation.state
        Mutation.state (set)
        Mutation.$state
        Mutation.objectWillChange
        Mutation.execute(with:)
        Mutation.execute(with:onSuccess:)
        QueryInvalidator
        QueryInvalidator.init()
        QueryInvalidator.Parameters
        QueryInvalidator.Parameters.lastData
        QueryInvalidator.Parameters.newData
        QueryInvalidator.TypedParameters
        QueryInvalidator.TypedParameters.lastData
        QueryInvalidator.TypedParameters.newData
        QueryInvalidator.invalidateQuery(for:with: Parameters)
        QueryInvalidator.invalidateQuery(for:with: TypedParameters)
        QueryInvalidationListener
        QueryInvalidationListener.Request
        QueryInvalidationListener.listenQueryInvalidation(for:)
        """

    static let caches = """
        QueryCacheConfig
        QueryCacheConfig.InvalidationPolicy
        QueryCacheConfig.InvalidationPolicy.notExpires
        QueryCacheConfig.InvalidationPolicy.expiresAfter
        QueryCacheConfig.UsagePolicy
        QueryCacheConfig.UsagePolicy.useInsteadOfFetching
        QueryCacheConfig.UsagePolicy.useIfFetchFails
        QueryCacheConfig.UsagePolicy.useAndThenFetch
        QueryCacheConfig.init()
        QueryCacheConfig.init(invalidationPolicy:)
        QueryCacheConfig.init(usagePolicy:)
        QueryCacheConfig.init(invalidationPolicy:usagePolicy:)
        QueryCacheConfig.global
        QueryCacheConfig.setGlobal(_:)
        QueryCacheType
        QueryCacheType.save(_:for:andTimestamp:)
        QueryCacheType.invalidate(for:)
        QueryCacheType.isValueValid(forKey:timestamp:andInvalidationPolicy:)
        QueryCacheType.get(for:)
        QueryCache
        QueryCache.init(wrappedCache:)
        QueryCache.global
        QueryCache.setGlobal(_:)
        QueryCache.inMemory
        QueryCache.userDefaults
        InMemoryQueryCache
        InMemoryQueryCache.shared
        InMemoryQueryCache.save(_:for:andTimestamp:)
        InMemoryQueryCache.invalidate(for:)
        InMemoryQueryCache.isValueValid(forKey:timestamp:andInvalidationPolicy:)
        InMemoryQueryCache.get(for:)
        UserDefaultsQueryCache
        UserDefaultsQueryCache.shared
        UserDefaultsQueryCache.save(_:for:andTimestamp:)
        UserDefaultsQueryCache.invalidate(for:)
        UserDefaultsQueryCache.isValueValid(forKey:timestamp:andInvalidationPolicy:)
        UserDefaultsQueryCache.get(for:)
        """

    static let renderers = """
        QueryRenderer
        QueryRenderer.Response
        QueryRenderer.LoadingView
        QueryRenderer.SuccessView
        QueryRenderer.FailureView
        QueryRenderer.loadingView
        QueryRenderer.successView(for:)
        QueryRenderer.failureView(for:)
        QueryRenderer.view(for:)
        """

    static let all = [types, queries, changes, caches, renderers].flatMap { $0.split(separator: "\n").map(String.init) }

    /// What an old program has to write in another way, and what instead. Each has a row in the guide.
    static let missing = [
        "Mutation.state (set)": "reset()"
    ]
}

@Suite("Pigeon 0.1: the list is whole")
struct InventoryTests {
    @Test func `B1: each declaration of the original is used`() throws {
        let used = try Sources.comments("uses: ").flatMap { $0.components(separatedBy: ", ") }
        #expect(Inventory.all.filter { !used.contains($0) } == [])
        #expect(used.filter { !Inventory.all.contains($0) } == [])
        #expect(Set(Inventory.all).count == Inventory.all.count)
    }

    @Test func `what is missing has a row that says what to write instead`() throws {
        let guide = try Sources.guide.get()
        for (declaration, instead) in Inventory.missing {
            #expect(Inventory.all.contains(declaration))
            #expect(guide.split(separator: "\n").contains { $0.hasPrefix("| ") && $0.contains("`\(instead)`") })
        }
    }

    /// The rows of the two tables that say what to write. What was fixed has tests with its numbers elsewhere.
    @Test func `each row of the guide that says what to write stands in the list`() throws {
        let cells = try Sources.rows(below: ["| it says |", "| Pigeon 0.1.17 |"])
        #expect(cells.count > 20)
        let shown = try Sources.comments("guide: ")
        #expect(cells.filter { !shown.contains($0) } == [])
        #expect(shown.filter { !cells.contains($0) } == [])
    }
}

/// The text of this list, and of the guide that it follows.
private enum Sources {
    /// The folder itself, also where it is compiled by a link.
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().resolvingSymlinksInPath()

    private static let lines = Result {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
            .flatMap { try String(contentsOf: $0, encoding: .utf8).components(separatedBy: "\n") }
    }

    static let guide = Result {
        var root = folder
        while root.lastPathComponent != "Tests", root.pathComponents.count > 1 { root.deleteLastPathComponent() }
        root.deleteLastPathComponent()
        return try String(
            contentsOf: root.appendingPathComponent("Documentation/MigratingFromPigeon.md"), encoding: .utf8)
    }

    /// What comments say after a mark.
    static func comments(_ mark: String) throws -> [String] {
        try lines.get().compactMap { line in
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("//"), let start = text.range(of: mark) else { return nil }
            return String(text[start.upperBound...])
        }
    }

    /// The first cells of the tables that begin so.
    static func rows(below headings: [String]) throws -> [String] {
        var cells: [String] = []
        var isInside = false
        for line in try guide.get().components(separatedBy: "\n") {
            if headings.contains(where: { line.hasPrefix($0) }) {
                isInside = true
            } else if !line.hasPrefix("| ") {
                isInside = isInside && line.hasPrefix("|-")
            } else if isInside, let end = line.range(of: " | ") {
                cells.append(String(line[line.index(line.startIndex, offsetBy: 2)..<end.lowerBound]))
            }
        }
        return cells
    }
}
