extension QueryClient {
    /// Returns the value: from memory or the cache if it is fresh, otherwise from a fetch in flight or a new one.
    ///
    /// Concurrent callers share one fetch. Cancelling one of them never fails another. Without a network, the call
    /// waits for it.
    ///
    /// - Parameters:
    ///   - definition: The query.
    ///   - policy: The values that the caller accepts. `nil` for the definition's own policy, which accepts fresh ones
    ///     by default.
    /// - Throws: The fetcher's error after the last retry, ``QueryError`` if the definition is wrong, or
    ///   `CancellationError` if the caller or the fetch is cancelled.
    public func fetch<Value>(_ definition: QueryDefinition<Value>, _ policy: FetchPolicy? = nil) async throws -> Value {
        try unwrap(try await payload(of: try begin(definition, policy)))
    }

    /// Returns the values of several queries. Fetches those that are missing or stale at the same time, each as
    /// ``fetch(_:_:)`` does.
    ///
    /// ```swift
    /// let (user, rate) = try await client.fetch(.user(42), .rate("EUR"))
    /// ```
    ///
    /// - Throws: The first failure. The caller then no longer waits for the other values. Whether their fetches continue
    ///   depends on ``AbandonPolicy``.
    public func fetch<First, Second, each Other>(
        _ first: QueryDefinition<First>, _ second: QueryDefinition<Second>,
        _ others: repeat QueryDefinition<each Other>
    ) async throws -> (First, Second, repeat each Other) {
        var calls = PendingCalls(client: self)
        calls.add { try begin(first) }
        calls.add { try begin(second) }
        for other in repeat each others { calls.add { try begin(other) } }
        var rest = try await calls.payloads()[...]
        func next<Value: Sendable>() throws -> Value { try unwrap(rest.removeFirst()) }
        return (try next(), try next(), repeat try next() as each Other)
    }

    /// Returns the values of a list of queries, in the order of the definitions. Fetches the values that are missing or
    /// stale at the same time, each as ``fetch(_:_:)`` does.
    ///
    /// ```swift
    /// let friends = try await client.fetch(all: [.user(1), .user(2)])
    /// ```
    ///
    /// - Parameters:
    ///   - definitions: The queries.
    ///   - policy: The values that the caller accepts. `nil` for each definition's own policy.
    /// - Throws: The first failure. The caller then no longer waits for the other values. Whether their fetches continue
    ///   depends on ``AbandonPolicy``.
    public func fetch<Value>(
        all definitions: [QueryDefinition<Value>], _ policy: FetchPolicy? = nil
    ) async throws -> [Value] {
        try await values(of: definitions, policy)
    }

    /// Returns the value of a new fetch, whatever is cached. Replaces a running refetch, and joins a first load.
    public func refetch<Value>(_ definition: QueryDefinition<Value>) async throws -> Value {
        try await value(of: definition, .networkOnly, cause: .requested)
    }

    /// Fetches the value if it is missing or stale, and waits for it. Does not throw: the entry records a failure.
    public func prefetch<Value>(_ definition: QueryDefinition<Value>) async {
        _ = try? await value(of: definition, .fresh, cause: .prefetched)
    }

    /// - Parameter requester: The fetch that needs the value. `nil` if the program does.
    func value<Value>(
        of definition: QueryDefinition<Value>, _ policy: FetchPolicy?, cause: Cause, for requester: FetchRun? = nil
    ) async throws -> Value {
        try unwrap(try await payload(of: try begin(definition, policy, cause: cause, for: requester)))
    }

    /// - Parameter requester: The fetch that needs the values. `nil` if the program does.
    func values<Value>(
        of definitions: [QueryDefinition<Value>], _ policy: FetchPolicy?, for requester: FetchRun? = nil
    ) async throws -> [Value] {
        var calls = PendingCalls(client: self)
        for definition in definitions { calls.add { try begin(definition, policy, for: requester) } }
        return try await calls.payloads().map(unwrap)
    }

    private func begin<Value>(
        _ definition: QueryDefinition<Value>, _ policy: FetchPolicy? = nil, cause: Cause = .requested,
        for requester: FetchRun? = nil, wasRead: Bool = false
    ) throws -> Step {
        let options = options.resolve(definition)
        let request = ValueRequest(
            policy: policy ?? options.values.fetchPolicy, options: options, hasOptions: definition.overrides != nil,
            cause: cause, requester: requester)
        let step = try withSlot(for: definition, with: options) { state, slot -> Step in
            if !wasRead, request.policy.network != .always, let reader = state.reader(of: slot) {
                return .reading(reader) {
                    try self.begin(definition, policy, cause: cause, for: requester, wasRead: true)
                }
            }
            let step = try state.step(to: slot, request)
            if case .ready = step { state.hitCount += 1 }
            return step
        }
        if case .waiting(let wait) = step {
            if let run = wait.joined { traceJoin(of: run) }
            if wait.slot.isTemporary {
                return .movable(wait) { try self.begin(definition, policy, cause: cause, for: requester) }
            }
        }
        return step
    }

    func payload(of step: Step) async throws -> Payload {
        switch step {
        case .ready(let payload): return payload
        case .waiting(let wait): return try await payload(of: wait)
        case .movable(let wait, let begin):
            do { return try await payload(of: wait) } catch is EntryMoved { return try await payload(of: try begin()) }
        case .reading(let reader, let begin):
            try await reader.outcome.value(onCancel: .resolves)
            return try await payload(of: try begin())
        }
    }

    private func payload(of wait: Wait) async throws -> Payload {
        do {
            return try await outcome(of: wait.waiter, at: wait.slot, within: wait.limit)
        } catch {
            guard let accepted = wait.waiter.accepted, !Task.isCancelled,
                let payload = stale(wait.slot, accepted, after: error)
            else { throw error }
            return payload
        }
    }

    /// The stale value that a caller receives because a fetch failed. `nil` if it receives the error.
    private func stale(_ slot: Slot, _ accepted: AcceptedStale, after error: any Error) -> Payload? {
        guard !FetchPolicy.isAnswer(error) else { return nil }
        return state.withLock { _ in
            slot.isUsable(onErrorBy: accepted.policy, accepted.staleAfter, at: clock.now()) ? slot.entry.shown : nil
        }
    }

    func refetch<Value: Sendable>(_ slot: Slot, cause: Cause) async throws -> Value {
        let waiter = WaitingCaller()
        let slot = try transact { state in
            let slot = slot.isRemoved && slot.isTemporary ? state.entries[slot.key] ?? slot : slot
            guard !slot.isRemoved else { throw CancellationError() }
            guard slot.entry.hasFetcher else { throw QueryError.noFetcher(key: slot.key) }
            try state.requestFetch(slot, waiter, cause, .restart)
            return slot
        }
        do {
            return try unwrap(try await outcome(of: waiter, at: slot))
        } catch is EntryMoved {
            return try await refetch(slot, cause: cause)
        }
    }

    /// Waits for the outcome of a fetch. A caller who is cancelled, or whose time is over, stops waiting, and the fetch
    /// continues for the others.
    func outcome(of waiter: WaitingCaller, at slot: Slot, within limit: Duration? = nil) async throws -> Payload {
        if let result = waiter.outcome.result { return try result.get() }
        let alarm = limit.map { limit in
            clock.schedule(at: clock.now().advanced(by: limit)) { [reference] in
                reference.client?.release(waiter, from: slot) { QueryError.timedOut(key: $0, limit: limit) }
            }
        }
        defer { alarm?.cancel() }
        return try await waiter.outcome.value(
            onCancel: .calls { [reference] in
                reference.client?.release(waiter, from: slot) { _ in CancellationError() }
            })
    }

    /// Ends the wait of a caller with an error, unless it has ended.
    func release(_ waiter: WaitingCaller, from slot: Slot, with error: (QueryKey) -> any Error) {
        transact { state in
            guard slot.entry.callers.contains(where: { $0 === waiter }) else { return }
            state.work.resumptions.append((waiter, .failure(error(slot.key))))
            state.send(.leave(waiter), to: slot)
        }
    }

    func unwrap<Value: Sendable>(_ payload: Payload) throws -> Value {
        guard let payload = payload as? PayloadOf<Value> else {
            throw QueryError.typeMismatch(
                key: "", existing: String(describing: type(of: payload)), requested: String(describing: Value.self))
        }
        return payload.value
    }
}
