/// Everything about a query that is policy: how long it is fresh, kept and retried, and when it refetches.
///
/// Options come in three layers: the client's defaults, then defaults of each key prefix that matches, then the
/// definition's own modifiers. See ``QueryClient/setDefaults(for:_:)``.
public struct QueryOptions: Sendable {
    /// How long a value is fresh. Default: not at all.
    public var staleAfter: StaleTime = .zero
    /// How long an entry that nobody uses is kept. Default 5 minutes. `Duration.forever` keeps it.
    public var keepFor: Duration = .seconds(300)
    /// When a failed fetch is repeated. Default: never.
    public var retry: RetryPolicy = .never
    /// How often to fetch again while somebody observes. `nil` for never.
    public var pollEvery: Duration?
    /// Whether polling goes on in the background.
    public var pollsInBackground = false
    /// What a fetch does without a network.
    public var networkMode: NetworkMode = .online
    /// Whether a new observer fetches at all. One that does not waits to be asked, but polls, and is refetched when its
    /// key is invalidated.
    public var fetchesOnAttach = true
    /// Whether a new observer refetches a value that is there.
    public var refetchOnAttach: RefetchTrigger = .ifStale
    /// Whether a new observer repeats a first load that failed.
    public var retriesOnAttach = true
    /// Whether coming back to the foreground refetches.
    public var refetchOnForeground: RefetchTrigger = .ifStale
    /// Whether the network's return refetches. `nil`: if stale, and never under ``NetworkMode/always``.
    public var refetchOnReconnect: RefetchTrigger?
    /// What happens to a running fetch when the last one interested leaves.
    public var whenAbandoned: AbandonPolicy = .finish
    /// How long one fetch may take, retries included. `nil` for as long as it takes.
    public var timeLimit: Duration?
    /// Whether observers fetch by themselves. A disabled one only shows what is there.
    public var isEnabled = true

    /// How a query of the `Pigeon` module uses its cache. `nil` for definitions that say nothing of it.
    public var cacheConfig: QueryCacheConfig?

    /// Creates the stock options.
    public init() {}

    package var reconnectTrigger: RefetchTrigger {
        refetchOnReconnect ?? (networkMode == .always ? .never : .ifStale)
    }

    /// Whether an observer with the one watches as one with the other does.
    package func watchesAlike(_ other: QueryOptions) -> Bool {
        isEnabled == other.isEnabled && staleAfter == other.staleAfter && pollEvery == other.pollEvery
            && pollsInBackground == other.pollsInBackground && fetchesOnAttach == other.fetchesOnAttach
            && refetchOnAttach == other.refetchOnAttach && retriesOnAttach == other.retriesOnAttach
            && refetchOnForeground == other.refetchOnForeground && reconnectTrigger == other.reconnectTrigger
            && networkMode == other.networkMode && whenAbandoned == other.whenAbandoned
            && cacheConfig == other.cacheConfig
    }

    /// The names of the options that decide how a fetch runs and that differ.
    package func differences(in other: QueryOptions) -> [String] {
        var names: [String] = []
        if retry != other.retry { names.append("retry") }
        if networkMode != other.networkMode { names.append("networkMode") }
        if timeLimit != other.timeLimit { names.append("timeLimit") }
        return names
    }
}

extension Duration {
    /// Longer than any program runs.
    public static var forever: Duration { .nanoseconds(Int64.max) }
}

/// Options after all layers are applied, shared by all who have the same.
package final class ResolvedOptions: Sendable {
    package let values: QueryOptions

    package init(_ values: QueryOptions) {
        self.values = values
    }
}
