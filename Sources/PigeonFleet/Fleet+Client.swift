internal import PigeonBase
public import PigeonCore

// The fleet as a part of a client.

extension QueryClient {
    /// Creates a client that shares values with other processes.
    ///
    /// - Parameters:
    ///   - cache: The cache of persisted definitions that name none. `nil` for no cache.
    ///   - outbox: The store of durable mutations, and their types: an `Outbox.Setup` of PigeonOutbox. `nil` for none.
    ///   - fleet: The store that the client shares with other processes. `nil` for none.
    ///   - dependencies: What fetchers and mutations reach through their contexts.
    ///   - options: Default options of every definition.
    ///   - budget: Maximum size of all values in memory, in bytes. Above it, unused entries are evicted, least recently
    ///     used first. `nil` for no limit.
    ///   - minimumAway: Shortest time in the background after which a return to the foreground refetches. 5 seconds by
    ///     default.
    ///   - environment: The clock, the random numbers and the surroundings of the client.
    public convenience init(
        cache: (any QueryCacheType)? = nil, outbox: (any ClientPartSetup)? = nil, fleet: Fleet.Setup?,
        dependencies: Dependencies = Dependencies(),
        options: QueryOptions = QueryOptions(), budget: Int? = nil, minimumAway: Duration = .seconds(5),
        environment: QueryEnvironment = QueryEnvironment()
    ) {
        self.init(
            parts: [outbox, fleet], cache: cache, dependencies: dependencies, options: options, budget: budget,
            minimumAway: minimumAway, environment: environment)
    }

    /// The processes with which the client shares the values of ``PigeonCore/QueryDefinition/shared(schema:migrate:)``. `nil`
    /// if it shares none.
    public var fleet: Fleet? { part(Fleet.self) }
}

extension QueryDefinition where Value: Codable {
    /// Shares the value with the other processes of the client's ``Fleet``. Does nothing if the client has none.
    ///
    /// A list of pages is shared as a whole, when it is fetched as a whole.
    ///
    /// - Parameters:
    ///   - schema: The version of the value's encoding. A value of another version is fetched again, unless `migrate`
    ///     converts it.
    ///   - migrate: Converts a record of another version to a value, or returns `nil`.
    public func shared(
        schema: Int = 0, migrate: (@Sendable (_ record: QueryRecord) throws -> Value?)? = nil
    ) -> Self {
        adding { $0.sharing = Persistence(of: Value.self, schema: schema, cache: nil, migrate: migrate) }
    }
}

extension Fleet.Setup: ClientPartMaking {
    package func makePart(_ client: ClientReference, _ environment: QueryEnvironment) -> any ClientPart {
        Fleet(self, reference: client, environment: environment)
    }
}

extension Fleet: SharingPart {
    package func open() {
        following.launch(environment.launch) { [self] in await follow() }
    }

    package func close() {
        state.withLock { $0.close() }
        following.cancel()
        patrolling.cancel()
        resumeSettling()
    }

    package func hear(_ change: ClientChange) {
        state.withLock { $0.add(change) }
        publish()
    }

    /// Waits until the log includes the changes that this member has made so far, but no longer than a call takes.
    package func settle() async -> QueryCacheProblem? {
        let count = state.withLock { $0.notifiedCount }
        try? await wait { $0.publishedCount >= count }
        guard state.withLock({ $0.publishedCount < count }) else { return nil }
        return QueryCacheProblem(description: "the other members of the fleet do not know all changes yet")
    }
}
