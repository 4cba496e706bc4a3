extension QueryDefinition {
    package func setting(_ change: @escaping @Sendable (inout QueryOptions) -> Void) -> Self {
        var definition = self
        definition.changes = OptionChanges((changes?.apply ?? []) + [change])
        return definition
    }

    func adding(_ change: (inout Extras) -> Void) -> Self {
        var definition = self
        var extras = extras ?? Extras()
        change(&extras)
        definition.extras = extras
        return definition
    }

    /// Sets how long a value is fresh. Default: not at all.
    public func staleAfter(_ time: StaleTime) -> Self { setting { $0.staleAfter = time } }

    /// Sets how long a value is fresh by looking at it. Called once for each value that arrives.
    public func staleAfter(_ time: @escaping @Sendable (Value) -> StaleTime) -> Self { adding { $0.freshFor = time } }

    /// Sets how long an entry that nobody uses is kept. The longest ever asked for counts. Default 5 minutes.
    public func keepFor(_ duration: Duration) -> Self { setting { $0.keepFor = max(duration, .zero) } }

    /// Sets when a failed fetch is repeated. Default: never.
    public func retry(_ policy: RetryPolicy) -> Self { setting { $0.retry = policy } }

    /// Fetches again and again while somebody observes. A negative or zero interval stops it.
    public func poll(every interval: Duration, inBackground: Bool = false) -> Self {
        setting {
            $0.pollEvery = interval > .zero ? interval : nil
            $0.pollsInBackground = inBackground
        }
    }

    /// Sets what a fetch does without a network.
    public func networkMode(_ mode: NetworkMode) -> Self { setting { $0.networkMode = mode } }

    /// Sets whether a new observer refetches a value that is there.
    public func refetchOnAttach(_ trigger: RefetchTrigger) -> Self { setting { $0.refetchOnAttach = trigger } }

    /// Sets whether a new observer repeats a first load that failed. Default: it does.
    public func retriesOnAttach(_ retries: Bool) -> Self { setting { $0.retriesOnAttach = retries } }

    /// Sets whether coming back to the foreground refetches.
    public func refetchOnForeground(_ trigger: RefetchTrigger) -> Self { setting { $0.refetchOnForeground = trigger } }

    /// Sets whether the network's return refetches.
    public func refetchOnReconnect(_ trigger: RefetchTrigger) -> Self { setting { $0.refetchOnReconnect = trigger } }

    /// Sets what happens to a running fetch when the last one interested leaves. Default: it ends.
    public func whenAbandoned(_ policy: AbandonPolicy) -> Self { setting { $0.whenAbandoned = policy } }

    /// Fails a fetch that takes longer, retries included, with ``QueryError/timedOut(key:limit:)``.
    public func timeLimit(_ limit: Duration) -> Self { setting { $0.timeLimit = limit > .zero ? limit : nil } }

    /// Sets whether observers fetch by themselves. A disabled one only shows what is there.
    public func enabled(_ isEnabled: Bool) -> Self { setting { $0.isEnabled = isEnabled } }

    /// Adds tags that invalidation can name.
    public func tagged(_ tags: String...) -> Self {
        var definition = self
        definition.key = key.adding(tags: tags)
        return definition
    }

    /// Says what a value costs of the client's byte budget, in bytes. By default its size in memory is estimated.
    public func cost(_ cost: @escaping @Sendable (Value) -> Int) -> Self { adding { $0.cost = cost } }

    /// Starts an entry with a value, as if it had been received `age` ago. Ignored when a value is there.
    public func initial(_ value: @autoclosure @escaping @Sendable () -> Value, age: Duration = .zero) -> Self {
        adding { $0.initial = { (value(), age) } }
    }

    /// Shows a value while a first load runs. It is not cached, and snapshots say that it is a placeholder.
    public func placeholder(_ value: Value) -> Self { adding { $0.placeholder = { _ in value } } }

    /// Shows what the closure makes of the value that this observer showed last, which may be another key's.
    ///
    /// `{ $0 }` keeps the previous value on screen while the next one loads.
    public func placeholder(from previous: @escaping @Sendable (Value?) -> Value?) -> Self {
        adding { $0.placeholder = previous }
    }
}

extension QueryDefinition where Value: Codable {
    /// Keeps the value in a cache, so that it is there after a restart.
    ///
    /// A list of pages is kept page by page: adding one writes one, and a page that does not read ends the list before it.
    /// A list of another schema is a miss.
    ///
    /// - Parameters:
    ///   - schema: The version of the value's encoding. A record of another version is a miss, unless `migrate` helps.
    ///   - cache: Where. By default the client's cache.
    ///   - migrate: Makes a value of a record of another version, or says `nil`. Works with a ``QueryRecordStore``.
    public func persisted(
        schema: Int = 0, in cache: (any QueryCacheType)? = nil,
        migrate: (@Sendable (_ record: QueryRecord) throws -> Value?)? = nil
    ) -> Self {
        // Looked up by the type, as an overload for lists would be passed over in generic code.
        let inParts = (Value.self as? any PersistedInParts.Type)?.persistence(schema: schema, cache: cache)
        return adding {
            $0.persistence =
                inParts ?? Persistence(of: Value.self, schema: schema, cache: cache, migrate: migrate)
        }
    }
}
