import Pigeon

/// The state of a screen that shows the names of all users.
@MainActor
final class UserList {
    private let names: Query<Void, [String]>

    init(
        client: QueryClient = .shared, cache: any QueryCacheType = QueryCache.global,
        fetch: @escaping @Sendable (FetchContext<[String]>) async throws -> [String]
    ) {
        names = Query(
            key: "names",
            cache: cache,
            cacheConfig: QueryCacheConfig(usagePolicy: .useAndThenFetch),
            client: client,
            retry: RetryPolicy(limit: 1, hasJitter: false)
        ) { _, context in
            try await fetch(context)
        }
    }

    func appear() {
        names.refetch(request: ())
    }

    var text: String {
        let snapshot = names.snapshot
        switch snapshot.phase {
        case .pending: return snapshot.isPaused ? "You are offline." : "Loading…"
        case .failure: return "That did not work. Try again?"
        case .content(let names):
            let list = names.joined(separator: ", ")
            return snapshot.error == nil ? list : "\(list) (from earlier)"
        }
    }
}
