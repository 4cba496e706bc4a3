extension QueryDefinition {
    /// Changes any of the options, after all changes before. `change` may be called on any thread, and more than once.
    public consuming func options(_ change: @escaping @Sendable (inout QueryOptions) -> Void) -> Self {
        overrides = OptionOverrides(change, after: overrides)
        return self
    }

    package consuming func adding(_ change: (Extras) -> Void) -> Self {
        if !isKnownUniquelyReferenced(&extras) { extras = Extras(copying: extras) }
        if let extras { change(extras) }
        return self
    }

    /// Sets how long a value is fresh. The default is zero.
    ///
    /// With a jitter, the time of each value is made shorter at random, so that values that arrived together do not
    /// turn stale together. Once a value has arrived, all its observers use the resulting time.
    ///
    /// - Parameters:
    ///   - time: The longest time.
    ///   - jitter: The largest part of the time that is cut off, from 0 to 1. Also applies to a time that the server
    ///     names. `nil` to leave it as it is: without defaults, nothing is cut off.
    public consuming func staleAfter(_ time: StaleTime, jitter: Double? = nil) -> Self {
        let definition = setting(.staleAfter) { $0.staleAfter = time }
        guard let jitter else { return definition }
        return definition.setting(.expiryJitter) { $0.expiryJitter = jitter.isNaN ? 0 : min(max(jitter, 0), 1) }
    }

    /// Fetches a value again if a caller or a new observer needs it within `time` before it turns stale. The caller
    /// receives the value, which is still fresh, at once.
    ///
    /// - Parameter time: At most half of the time for which the value is fresh counts, even if the server named a short
    ///   one.
    public consuming func refreshEarly(by time: Duration) -> Self {
        setting(.refreshEarly) { $0.refreshEarly = max(time, .zero) }
    }

    /// Sets the values that callers of ``QueryClient/fetch(_:_:)`` accept. The default is fresh ones.
    public consuming func fetchPolicy(_ policy: FetchPolicy) -> Self {
        setting(.fetchPolicy) { $0.fetchPolicy = policy }
    }

    /// Answers callers and new observers with the error of a failed fetch for `time`, without another fetch.
    ///
    /// This protects a server that fails from one request for each caller. Explicit requests fetch all the same:
    /// ``QueryClient/refetch(_:)->_``, an invalidation, polling, and the return of the network or the foreground.
    public consuming func rememberFailures(for time: Duration) -> Self {
        setting(.rememberFailures) { $0.rememberFailures = max(time, .zero) }
    }

    /// Waits before a fetch that an observer or a caller of ``QueryClient/fetch(_:_:)`` starts. If all of them leave in
    /// the meantime, nothing is fetched.
    ///
    /// Suits a search as the user types, where each text is a key of its own:
    ///
    /// ```swift
    /// static func search(_ text: String) -> Self {
    ///     QueryDefinition("search", text) { _ in try await api.search(text) }
    ///         .debounced(by: .milliseconds(300))
    ///         .placeholder { $0 }
    /// }
    /// ```
    public consuming func debounced(by delay: Duration) -> Self {
        setting(.debounce) { $0.debounce = max(delay, .zero) }
    }

    /// Lets at least `interval` pass between two requests for the value: a fetch or a retry that begins sooner waits.
    ///
    /// This bounds what a key costs its server, however often it is invalidated. Of a `shared()` value, all processes of
    /// the fleet together keep to it. Pages that are added to a list are not limited. The wait counts for the time limit.
    public consuming func fetchAtMostEvery(_ interval: Duration) -> Self {
        setting(.fetchInterval) { $0.fetchInterval = max(interval, .zero) }
    }

    /// Sets how long a value is fresh depending on the value. `time` is called once for each value that arrives.
    public consuming func staleAfter(_ time: @escaping @Sendable (Value) -> StaleTime) -> Self {
        adding { $0.freshFor = time }
    }

    /// Sets how long an unused entry stays in memory. The longest time that any definition of the key set applies. The
    /// default is 5 minutes.
    public consuming func keepFor(_ duration: Duration) -> Self {
        setting(.keepFor) { $0.keepFor = max(duration, .zero) }
    }

    /// Sets when a failed fetch is retried. The default is never.
    public consuming func retry(_ policy: RetryPolicy) -> Self { setting(.retry) { $0.retry = policy } }

    /// Retries a failed fetch by the standard policy, at most `limit` times.
    public consuming func retry(_ limit: Int) -> Self { retry(RetryPolicy(limit: limit)) }

    /// Refetches at an interval while the query is observed, and no longer than until a value is the last one.
    ///
    /// ```swift
    /// QueryDefinition("parcels", id) { _ in try await api.parcel(id) }.poll(every: .seconds(5)) { $0.isDelivered }
    /// ```
    ///
    /// - Parameters:
    ///   - interval: The interval. Zero or less turns polling off.
    ///   - inBackground: True to continue in the background.
    ///   - isFinal: Returns true for the last value. Called once for each value that arrives, outside locks. A later
    ///     value for which it returns false, from a write or another fetch, starts the polling again. `nil` if no value
    ///     is the last one.
    public consuming func poll(
        every interval: Duration, inBackground: Bool = false, until isFinal: (@Sendable (Value) -> Bool)? = nil
    ) -> Self {
        let polled = setting(.polling) {
            $0.pollEvery = interval > .zero ? interval : nil
            $0.pollsInBackground = inBackground
        }
        return isFinal == nil ? polled : polled.adding { $0.isFinal = isFinal }
    }

    /// An interval without a unit.
    @available(*, unavailable, message: "write the unit of the interval, as in poll(every: .seconds(5))")
    public func poll(
        every interval: some Numeric, inBackground: Bool = false, until isFinal: (@Sendable (Value) -> Bool)? = nil
    ) -> Self { self }

    /// Sets the behavior of a fetch without a network.
    public consuming func networkMode(_ mode: NetworkMode) -> Self { setting(.networkMode) { $0.networkMode = mode } }

    /// Sets when a new observer refetches an existing value.
    public consuming func refetchOnAttach(_ trigger: RefetchTrigger) -> Self {
        setting(.refetchOnAttach) { $0.refetchOnAttach = trigger }
    }

    /// Sets whether a new observer repeats a failed first load. The default is `true`.
    public consuming func retriesOnAttach(_ retries: Bool) -> Self {
        setting(.retriesOnAttach) { $0.retriesOnAttach = retries }
    }

    /// Sets when a return to the foreground refetches.
    public consuming func refetchOnForeground(_ trigger: RefetchTrigger) -> Self {
        setting(.refetchOnForeground) { $0.refetchOnForeground = trigger }
    }

    /// Sets when the return of the network refetches.
    public consuming func refetchOnReconnect(_ trigger: RefetchTrigger) -> Self {
        setting(.refetchOnReconnect) { $0.refetchOnReconnect = trigger }
    }

    /// Sets the treatment of a running fetch when the last observer or waiting caller leaves. By default, the running
    /// attempt finishes.
    public consuming func whenAbandoned(_ policy: AbandonPolicy) -> Self {
        setting(.whenAbandoned) { $0.whenAbandoned = policy }
    }

    /// Sets a time limit. A fetch that takes longer, including its retries, fails with
    /// ``QueryError/timedOut(key:limit:)``.
    public consuming func timeLimit(_ limit: Duration) -> Self {
        setting(.timeLimit) { $0.timeLimit = limit > .zero ? limit : nil }
    }

    /// Sets the server that the fetches ask, which limits how many do so at a time.
    public consuming func upstream(_ upstream: Upstream) -> Self { setting(.upstream) { $0.upstream = upstream } }

    /// Sets whether observers fetch automatically. A disabled observer only shows the existing value.
    public consuming func enabled(_ isEnabled: Bool) -> Self { setting(.isEnabled) { $0.isEnabled = isEnabled } }

    /// Adds tags by which entries can be invalidated.
    public consuming func tagged(_ tags: String...) -> Self {
        key = key.adding(tags: tags)
        return self
    }

    /// Sets the cost of a value in the client's byte budget, in bytes. The default is its estimated size in memory.
    public consuming func cost(_ cost: @escaping @Sendable (Value) -> Int) -> Self { adding { $0.cost = cost } }

    /// Sets the initial value of an entry, as if it had been received `age` ago. Ignored if the entry has a value.
    public consuming func initial(_ value: @autoclosure @escaping @Sendable () -> Value, age: Duration = .zero) -> Self
    {
        adding { $0.initial = { (value(), age) } }
    }

    /// Shows a value while a first load runs. It is not cached, and ``Snapshot/isPlaceholder`` is true for it.
    public consuming func placeholder(_ value: Value) -> Self { adding { $0.placeholder = { _ in value } } }

    /// Shows the result of a closure while a first load runs. The closure receives the last value that the observer
    /// showed, which may belong to another key.
    ///
    /// `{ $0 }` shows the previous value while the next one loads. If that fails, the error takes its place, unless
    /// ``keepsPlaceholder(_:)`` is set.
    public consuming func placeholder(from previous: @escaping @Sendable (Value?) -> Value?) -> Self {
        adding { $0.placeholder = previous }
    }

    /// Sets whether a placeholder stays when the first load fails. The snapshot then has both ``Snapshot/value`` and
    /// ``Snapshot/error``. By default, the error takes the place of the placeholder.
    ///
    /// Suits a search that goes on showing the last results beside the message that the next ones could not be loaded.
    public consuming func keepsPlaceholder(_ keeps: Bool = true) -> Self {
        setting(.keepsPlaceholder) { $0.keepsPlaceholder = keeps }
    }
}

extension QueryDefinition where Value: Codable {
    /// Saves the value in a cache, so that it is available after a restart.
    ///
    /// A list of pages is saved page by page: adding a page writes one record. If a page cannot be read, the list ends
    /// before it. A list of another schema is a miss.
    ///
    /// - Parameters:
    ///   - schema: The version of the value's encoding. A record of another version is a miss, unless `migrate`
    ///     converts it.
    ///   - cache: The cache. By default the client's cache.
    ///   - migrate: Converts a record of another version to a value, or returns `nil`. Called only for a
    ///     ``QueryRecordStore``.
    public consuming func persisted(
        schema: Int = 0, in cache: (any QueryCacheType)? = nil,
        migrate: (@Sendable (_ record: QueryRecord) throws -> Value?)? = nil
    ) -> Self {
        // Found by the type at run time, because generic code would not choose an overload for lists.
        let inParts = (Value.self as? any PersistedInParts.Type)?.persistence(schema: schema, cache: cache)
        return adding {
            $0.persistence =
                inParts ?? Persistence(of: Value.self, schema: schema, cache: cache, migrate: migrate)
        }
    }
}

/// Lets a value be read as another type besides its own, such as a list of pages as the array of its items.
///
/// Belongs to the definition that fetches, so a definition that only observes the key need not know the stored type.
@usableFromInline
package final class Reading: Sendable {
    let type: any Sendable.Type

    /// Reads the value of a version. User code: called outside locks only.
    let read: @Sendable (_ payload: Payload, _ valueVersion: UInt64) -> Payload?

    init(as type: any Sendable.Type, _ read: @escaping @Sendable (Payload, UInt64) -> Payload?) {
        self.type = type
        self.read = read
    }
}

extension QueryDefinition {
    /// Lets observers that do not fetch see the value as another type.
    ///
    /// - Parameter read: Converts a value of a version. Called outside locks, on any thread.
    package func readable<Other: Sendable>(
        as type: Other.Type, _ read: @escaping @Sendable (Value, _ valueVersion: UInt64) -> Other?
    ) -> Self {
        adding { extras in
            extras.reading = Reading(as: type) { payload, version in
                guard let payload = payload as? PayloadOf<Value> else { return nil }
                return read(payload.value, version).map { PayloadOf($0) }
            }
        }
    }

    /// True if a definition can only observe: it has no fetcher, no cache and no initial value.
    var onlyWatches: Bool { fetcher == nil && extras?.persistence == nil && extras?.initial == nil }
}
