extension QueryClient {
    /// Returns the value: from memory or the cache if it is fresh, otherwise from a fetch in flight or a new one.
    ///
    /// Concurrent callers share one fetch. Cancelling one of them never fails another. Without a network, the call
    /// waits for it.
    ///
    /// - Throws: The fetcher's error after the last retry, ``QueryError`` if the definition is wrong, or
    ///   `CancellationError` if the caller or the fetch is cancelled.
    public func fetch<Value>(_ definition: QueryDefinition<Value>) async throws -> Value {
        try await value(of: definition, ifStale: true, cause: .requested)
    }

    /// Returns the value of a new fetch, whatever is cached. Replaces a running refetch, and joins a first load.
    public func refetch<Value>(_ definition: QueryDefinition<Value>) async throws -> Value {
        try await value(of: definition, ifStale: false, cause: .requested)
    }

    /// Returns the existing value, however old. Fetches only if there is none.
    public func ensure<Value>(_ definition: QueryDefinition<Value>) async throws -> Value {
        try await value(of: definition.staleAfter(.fixed), ifStale: true, cause: .requested)
    }

    /// Fetches the value if it is missing or stale, and waits for it. Does not throw: the entry records a failure.
    public func prefetch<Value>(_ definition: QueryDefinition<Value>) async {
        _ = try? await value(of: definition, ifStale: true, cause: .prefetched)
    }

    private func value<Value>(
        of definition: QueryDefinition<Value>, ifStale: Bool, cause: Cause
    ) async throws -> Value {
        let waiter = Waiter()
        let step = try withSlot(for: definition) { state, work, moment, slot -> Step in
            if ifStale, let shown = slot.entry.shown,
                !slot.entry.isStale(
                    for: state.options.resolve(definition.changes).values.staleAfter, at: moment.now)
            {
                return .ready(shown)
            }
            guard slot.entry.hasFetcher else {
                state.touch(slot, moment, &work)
                throw QueryError.noFetcher(key: slot.key)
            }
            try state.join(slot, waiter, cause, ifStale ? .join : .restart, definition.changes, moment, &work)
            return .waiting(slot)
        }
        switch step {
        case .ready(let payload): return try unwrap(payload)
        case .waiting(let slot): return try unwrap(try await outcome(of: waiter, at: slot))
        }
    }

    /// The request of the running fetch of a key. `nil` if none runs, or if its fetcher has no request.
    package func requestBeingFetched(for key: QueryKey) -> (any Sendable)? {
        state.withLock { $0.entries[key]?.run?.fetcher.request }
    }

    private enum Step {
        case ready(Payload)
        case waiting(Slot)
    }

    func refetch<Value: Sendable>(_ slot: Slot, cause: Cause) async throws -> Value {
        let waiter = Waiter()
        try transact { state, work, moment in
            guard slot.entry.hasFetcher else { throw QueryError.noFetcher(key: slot.key) }
            try state.join(slot, waiter, cause, .restart, nil, moment, &work)
        }
        return try unwrap(try await outcome(of: waiter, at: slot))
    }

    /// Waits for the outcome of a fetch. A cancelled caller stops waiting, and the fetch continues for the others.
    func outcome(of waiter: Waiter, at slot: Slot) async throws -> Payload {
        if let result = waiter.result { return try result.get() }
        return try await waiter.value { [reference] in
            reference.client?.transact { state, work, moment in
                guard let index = slot.waiters.firstIndex(where: { $0 === waiter }) else { return }
                work.resumptions.append((slot.waiters.remove(at: index), .failure(CancellationError())))
                state.send(.leave, to: slot, moment, &work)
            }
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

extension ClientState {
    /// Adds a waiter for the fetch of an entry.
    ///
    /// - Throws: ``QueryError/awaitsItself(key:)``.
    mutating func add(_ waiter: Waiter, to slot: Slot, _ moment: Moment, _ work: inout Work) throws {
        guard !isOwnFetch(of: slot, moment, &work) else { throw QueryError.awaitsItself(key: slot.key) }
        slot.waiters.append(waiter)
        send(.join, to: slot, moment, &work)
    }

    /// Returns true, and reports an error, if the caller is the fetcher that the entry waits for. Such a fetcher would
    /// await or restart itself forever.
    mutating func isOwnFetch(of slot: Slot, _ moment: Moment, _ work: inout Work) -> Bool {
        guard slot.isFetchedByCaller else { return false }
        let error = QueryError.awaitsItself(key: slot.key)
        emit(.misuse(error.description), key: slot.key, .requested, moment, &work)
        return true
    }

    /// Adds a waiter, and requests a fetch.
    mutating func join(
        _ slot: Slot, _ waiter: Waiter, _ cause: Cause, _ mode: FetchMode, _ changes: OptionChanges?,
        _ moment: Moment, _ work: inout Work
    ) throws {
        if changes != nil, effects.wantsEvents {
            reportIgnoredOptions(of: options.resolve(changes), slot, cause, moment, &work)
        }
        try add(waiter, to: slot, moment, &work)
        send(.fetch(cause, mode: mode, fromStart: false), to: slot, moment, &work)
    }

    /// Reports the options of a joining caller that differ from those of the running fetch (A6).
    mutating func reportIgnoredOptions(
        of options: ResolvedOptions, _ slot: Slot, _ cause: Cause, _ moment: Moment, _ work: inout Work
    ) {
        guard slot.entry.activity != .idle, effects.wantsEvents else { return }
        let ignored = options.values.differences(in: slot.entry.options.values)
        guard !ignored.isEmpty else { return }
        emit(.optionsIgnored(ignored.joined(separator: ", ")), key: slot.key, cause, moment, &work)
    }
}
