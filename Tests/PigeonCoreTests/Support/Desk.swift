import PigeonCore
import PigeonTesting

/// The fixture of most suites: a lab, a fetcher that the test answers, and a query that uses it.
struct Desk {
    let lab: QueryLab
    let fetcher: ScriptedFetcher<String>
    let user: QueryDefinition<String>

    init(seed: UInt64 = 1, budget: Int? = nil, _ change: (inout QueryOptions) -> Void = { _ in }) {
        var options = QueryOptions()
        change(&options)
        lab = QueryLab(seed: seed, options: options, budget: budget)
        fetcher = lab.fetcher(returning: String.self)
        user = QueryDefinition("users", 1, fetch: fetcher.fetch)
    }

    var client: QueryClient { lab.client }

    /// Returns another query with the same fetcher.
    func query(_ key: QueryKey) -> QueryDefinition<String> {
        QueryDefinition(key, fetch: fetcher.fetch)
    }

    /// Fetches a value now, without an observer.
    func receive(_ value: String, for definition: QueryDefinition<String>) {
        let task = lab.start { [client] in try await client.refetch(definition) }
        fetcher.succeed(with: value)
        precondition(task.value == value)
    }

    /// Starts a task that fetches.
    func fetch(_ definition: QueryDefinition<String>) -> LabTask<String> {
        lab.start { [client] in try await client.fetch(definition) }
    }

    /// Starts a task that refetches.
    func refetch(_ definition: QueryDefinition<String>) -> LabTask<String> {
        lab.start { [client] in try await client.refetch(definition) }
    }
}

extension Snapshot where Value == String {
    /// The shown state: `Ann`, `pending` or `failure`, followed by `…` while a fetch runs.
    var brief: String {
        let shown =
            switch phase {
            case .pending: "pending"
            case .content(let value): value
            case .failure: "failure"
            }
        return shown + (isFetching ? "…" : "") + (isStale && !isFetching && self.value != nil ? " (stale)" : "")
    }
}

/// The error for a status that a server returned, as an HTTP client reports it.
struct Status: TransientErrorType {
    var statusCode: Int?
    var retryAfter: Duration?

    init(_ code: Int, retryAfter: Duration? = nil) {
        statusCode = code
        self.retryAfter = retryAfter
    }
}
