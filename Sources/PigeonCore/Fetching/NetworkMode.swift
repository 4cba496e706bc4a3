/// What a fetch does without a network.
public enum NetworkMode: Sendable, Hashable {
    /// It waits for the network, before the first attempt and before each retry. The default.
    case online
    /// The first attempt runs, as a cache below may answer; retries wait.
    case offlineFirst
    /// It never asks. For sources that are on this machine.
    case always
}

/// When an event refetches what an observer watches.
public enum RefetchTrigger: Sendable, Hashable {
    /// Never.
    case never
    /// When the value is stale. The default.
    case ifStale
    /// Also when it is fresh.
    case always
}

/// What happens to a running fetch when the last one interested leaves.
public enum AbandonPolicy: Sendable, Hashable {
    /// The attempt goes on, and its answer is cached; it is not retried. The default.
    case finish
    /// It is cancelled, and the state is what it was before.
    case cancel
}
