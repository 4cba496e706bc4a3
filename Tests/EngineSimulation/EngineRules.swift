package import PigeonTesting

/// The rules of the engine: those that concern its inner state, and when it fetches.
extension SimulationRule {
    // The internal state of the client.

    /// The parts of an entry are consistent, no waiter is lost, and nothing is leaked.
    package static let structure = Self("structure")
    /// No deadline of an entry is missed, even while user code blocks the thread that set it (A40, E5).
    package static let timers = Self("timers")

    // The values.

    /// The age of a value never decreases unless a value lands.
    package static let age = Self("age")
    /// A request sends the validators of the value that it has, and no others.
    package static let validators = Self("validators")
    /// A retry sends the validators of the current value.
    package static let validatorsOfRetry = Self("validatorsOfRetry")
    /// A value that was folded from a confirmed change has no validators, because the server never sent it.
    package static let validatorsOfEdit = Self("validatorsOfEdit")
    /// The answer of the newest fetch lands, unless something after the request must not be replaced (A32). The value
    /// is then fresh.
    package static let landing = Self("landing")
    /// A fetch that has its answer takes no other one, even if the network copied its request.
    package static let secondAnswer = Self("secondAnswer")
    /// A page that was requested before a refresh or a write never appears in the new list (E2).
    package static let latePage = Self("latePage")
    /// A listener of events never delays an observer (A40, E9).
    package static let deliveryDuringEvents = Self("deliveryDuringEvents")
    /// Pending records are written in time, and each mark only once per batch (E6).
    package static let records = Self("records")

    // Fetching.

    /// An invalidation refetches the entries in its scope, and no others (T80).
    package static let scope = Self("scope")
    /// A new observer refetches a stale value, but not a fresh one (T20–T22).
    package static let attaching = Self("attaching")
    /// A return to the network or the foreground refetches stale, observed values, and no others (T70–T73).
    package static let returning = Self("returning")
    /// Observed entries with polling are fetched in each interval (T71).
    package static let polling = Self("polling")
    /// An entry that was cleared or removed while it was observed is not fetched by itself (A31, T83).
    package static let clearing = Self("clearing")
    /// A fetch with a transient failure is retried as often as its policy allows (T34).
    package static let retries = Self("retries")
    /// No request is sent without a network, and none is retried in the background (T36, T37).
    package static let network = Self("network")
    /// A retry waits for the time that the server asked for.
    package static let retryAfter = Self("retryAfter")
    /// Callers that repeat the request of a first load share that load (T30).
    package static let firstLoad = Self("firstLoad")
}
