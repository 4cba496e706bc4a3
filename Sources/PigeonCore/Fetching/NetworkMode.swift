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
