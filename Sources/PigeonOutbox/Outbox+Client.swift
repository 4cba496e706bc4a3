public import PigeonCore

// The outbox as a part of a client.

extension QueryClient {
    /// Creates a client that makes durable mutations.
    ///
    /// - Parameters:
    ///   - cache: The cache of persisted definitions that name none. `nil` for no cache.
    ///   - outbox: The store of durable mutations, and their types. Read at once, so that the first values show them.
    ///     `nil` for none.
    ///   - dependencies: What fetchers and mutations reach through their contexts.
    ///   - options: Default options of every definition.
    ///   - budget: Maximum size of all values in memory, in bytes. Above it, unused entries are evicted, least recently
    ///     used first. `nil` for no limit.
    ///   - minimumAway: Shortest time in the background after which a return to the foreground refetches. 5 seconds by
    ///     default.
    ///   - environment: The clock, the random numbers and the surroundings of the client.
    public convenience init(
        cache: (any QueryCacheType)? = nil, outbox: Outbox.Setup?, dependencies: Dependencies = Dependencies(),
        options: QueryOptions = QueryOptions(), budget: Int? = nil, minimumAway: Duration = .seconds(5),
        environment: QueryEnvironment = QueryEnvironment()
    ) {
        self.init(
            parts: [outbox], cache: cache, dependencies: dependencies, options: options, budget: budget,
            minimumAway: minimumAway, environment: environment)
    }

    /// The mutations that are sent even if the process ends first. Empty if the client was given no store for them.
    public var outbox: Outbox {
        part(Outbox.self) ?? Outbox(nil, reference: reference, environment: environment)
    }
}

extension Outbox.Setup: ClientPartMaking {
    package func makePart(_ client: ClientReference, _ environment: QueryEnvironment) -> any ClientPart {
        Outbox(self, reference: client, environment: environment)
    }
}

extension Outbox: ClientPart {
    /// Reads the store, so that the first snapshots of the client show the waiting mutations.
    package func open() {
        guard let setup else { return }
        load(after: -1, session: setup.session, epoch: 0, from: setup.store)
        let changes = setup.store.onChange { [weak self] in self?.receive(.storeChanged) }
        let network = environment.connectivity.onChange { [weak self] in self?.receive(.online($0)) }
        let foreground = environment.activity.onChange { [weak self] in if $0 { self?.receive(.hurry) } }
        hold([changes, network, foreground].compactMap { $0 })
        receive(.online(environment.connectivity.isOn))
        receive(.timePassed)
    }

    package func beginClosing() { receive(.close) }

    /// Waits up to a second until the results of the last attempts are stored. After that, other clients can execute
    /// the mutations at once, even if an attempt ignores its cancellation.
    package func finish() async {
        _ = await drain(within: .seconds(1))
        receive(.leave)
        await environment.writing.during { await writer.write(for: self) }
    }

    package func clear() -> (discarded: Int, stored: @Sendable () async throws -> Void) {
        guard setup != nil else { return (0, {}) }
        let (now, stored) = (clock.now, SharedOneShot<Payload>())
        var (effects, count): ([OutboxEffect], Int) = ([], 0)
        let mustWrite = state.withLock { state in
            count = state.items.values.count { !$0.isOver }
            return state.receive(.clear(stored), at: now, into: &effects)
        }
        perform(effects)
        if mustWrite { startWriting() }
        return (count, { try await stored.value(onCancel: .isIgnored) })
    }
}
