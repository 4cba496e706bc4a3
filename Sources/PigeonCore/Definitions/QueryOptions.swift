/// The policy of a query: how long its value is fresh and stays in memory, how it is retried, and when it refetches.
///
/// Options have three layers: the client's defaults, then the defaults of each matching key prefix, then the
/// definition's modifiers. Later layers override earlier ones. See ``QueryClient/setDefaults(for:_:)``.
public struct QueryOptions: Sendable, Equatable {
    /// The time for which a value is fresh. The default is zero.
    public var staleAfter: StaleTime = .zero
    /// The largest part of that time, from 0 to 1, by which it is shortened at random for each value that arrives, so
    /// that values of the same age do not turn stale together. The default is 0.
    public var expiryJitter = 0.0
    /// How long before a value turns stale a caller or a new observer has it fetched again, at most half of the time for
    /// which it is fresh. The default is zero.
    public var refreshEarly: Duration = .zero
    /// The values that a caller of ``QueryClient/fetch(_:_:)`` accepts. The default is fresh ones.
    public var fetchPolicy = FetchPolicy.fresh
    /// How long the error of a fetch answers callers and new observers without another fetch. The default is zero.
    public var rememberFailures: Duration = .zero
    /// How long a fetch waits before its first attempt. If no observer and no caller is left by then, it is cancelled.
    /// The default is zero.
    public var debounce: Duration = .zero
    /// The shortest time between two requests for the value. A fetch that begins sooner waits. The default is zero.
    public var fetchInterval: Duration = .zero
    /// The time for which an unused entry stays in memory. The default is 5 minutes. With `Duration.forever`, it is
    /// never collected.
    public var keepFor: Duration = .seconds(300)
    /// The policy by which a failed fetch is retried. The default is never.
    public var retry: RetryPolicy = .never
    /// The interval at which an observed query refetches. `nil` for never.
    public var pollEvery: Duration?
    /// True if polling continues in the background.
    public var pollsInBackground = false
    /// The behavior of a fetch without a network.
    public var networkMode: NetworkMode = .online
    /// True if a new observer fetches. If false, attaching starts no fetch, but the observer still polls, and
    /// invalidating its key refetches it.
    public var fetchesOnAttach = true
    /// The condition under which a new observer refetches an existing value.
    public var refetchOnAttach: RefetchTrigger = .ifStale
    /// True if a new observer repeats a failed first load.
    public var retriesOnAttach = true
    /// The condition under which a return to the foreground refetches.
    public var refetchOnForeground: RefetchTrigger = .ifStale
    /// The condition under which the return of the network refetches. `nil` stands for ``RefetchTrigger/never`` with
    /// ``NetworkMode/always``, and otherwise for ``RefetchTrigger/ifStale``.
    public var refetchOnReconnect: RefetchTrigger?
    /// The treatment of a running fetch when the last observer or waiting caller leaves.
    public var whenAbandoned: AbandonPolicy = .finish
    /// The time limit of a fetch, including its retries. A caller that joins a fetch waits no longer than its own limit.
    /// `nil` for no limit.
    public var timeLimit: Duration?
    /// The server that the fetches ask, which limits how many do so at a time. `nil` for no limit.
    public var upstream: Upstream?
    /// True if a placeholder stays beside the error when the first load fails. If false, the error takes its place.
    public var keepsPlaceholder = false
    /// True if observers fetch automatically. A disabled observer only shows the existing value.
    public var isEnabled = true

    /// The policy by which a ``QueryCacheType`` whose `savedAt(for:)` returns `nil` decides whether its value is valid.
    /// If the policy is `nil`, the value is shown, and counts as stale.
    public var cacheValidity: QueryCacheConfig.InvalidationPolicy?
    /// The face that the definition belongs to. `nil` for none. See ``QueryFace``.
    public var face: (any QueryFace)? {
        get { comparableFace?.face }
        set { comparableFace = newValue.map { ComparableFace(face: $0) } }
    }
    private var comparableFace: ComparableFace?

    /// Creates the default options.
    public init() {}

    package var reconnectTrigger: RefetchTrigger {
        refetchOnReconnect ?? (networkMode == .always ? .never : .ifStale)
    }

    /// True if the options contain no code of the program, so that keeping and comparing them calls none.
    var areData: Bool { comparableFace == nil && (!retry.hasOwnClosures || retry == .never) }

    /// Turns off all triggers, for an observer that only shows what others fetch.
    package mutating func disableTriggers() {
        fetchesOnAttach = false
        refetchOnForeground = .never
        refetchOnReconnect = .never
        pollEvery = nil
    }

    /// True if an observer behaves the same with either of the two options. Only the fetch depends on the others.
    func watchesAlike(_ other: QueryOptions) -> Bool {
        var other = other
        (other.keepFor, other.retry, other.timeLimit) = (keepFor, retry, timeLimit)
        (other.expiryJitter, other.debounce, other.fetchPolicy) = (expiryJitter, debounce, fetchPolicy)
        (other.upstream, other.fetchInterval) = (upstream, fetchInterval)
        if other.reconnectTrigger == reconnectTrigger { other.refetchOnReconnect = refetchOnReconnect }
        return self == other
    }

    /// Returns the names of the options that a caller of a fetch with other options does without.
    package func differences(in other: QueryOptions) -> [String] {
        var names: [String] = []
        if retry != other.retry { names.append("retry") }
        if networkMode != other.networkMode { names.append("networkMode") }
        // A shorter limit is kept: the caller stops waiting.
        let own = timeLimit.ifPositive ?? .forever
        if let limit = other.timeLimit.ifPositive, limit < own { names.append("timeLimit") }
        return names
    }
}

extension Duration {
    /// A duration longer than any program runs.
    public static var forever: Duration { .nanoseconds(Int64.max) }
}

extension Duration? {
    /// The duration. `nil` if there is none, or if it is not positive, which stands for no limit.
    var ifPositive: Duration? {
        guard let self, self > .zero else { return nil }
        return self
    }
}

/// Options after all layers are applied, shared by all definitions and entries that have the same.
package final class ResolvedOptions: Sendable {
    package let values: QueryOptions

    package init(_ values: QueryOptions) {
        self.values = values
    }
}

/// The behavior of a fetch without a network.
public enum NetworkMode: Sendable, Hashable {
    /// The fetch waits for the network before the first attempt and before each retry. The default.
    case online
    /// The first attempt runs, because a cache below the fetcher may answer. Retries wait for the network.
    case offlineFirst
    /// The fetch never waits for the network. For data on this machine.
    case always
}

/// The condition under which an event refetches an observed query.
public enum RefetchTrigger: Sendable, Hashable {
    /// The event never refetches.
    case never
    /// The event refetches a stale value. The default.
    case ifStale
    /// The event always refetches, even a fresh value.
    case always
}

/// The treatment of a running fetch when the last observer or waiting caller leaves.
public enum AbandonPolicy: Sendable, Hashable {
    /// The attempt continues, and its answer is cached. It is not retried. The default.
    case finish
    /// The fetch is cancelled, and the entry returns to its state before the fetch.
    case cancel
}
