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
    public func fetch<Value>(
        _ definition: QueryDefinition<Value>, _ policy: FetchPolicy? = nil
    ) async throws -> Value {
        try await value(of: definition, policy, cause: .requested)
    }

    /// Returns the value of a new fetch, whatever is cached. Replaces a running refetch, and joins a first load.
    public func refetch<Value>(_ definition: QueryDefinition<Value>) async throws -> Value {
        try await value(of: definition, .networkOnly, cause: .requested)
    }

    /// Returns the existing value, however old. Fetches only if there is none.
    @discardableResult
    public func ensure<Value>(_ definition: QueryDefinition<Value>) async throws -> Value {
        try await value(of: definition.staleAfter(.fixed), .fresh, cause: .requested)
    }

    /// Fetches the value if it is missing or stale, and waits for it. Does not throw: the entry records a failure.
    public func prefetch<Value>(_ definition: QueryDefinition<Value>) async {
        _ = try? await value(of: definition, .fresh, cause: .prefetched)
    }

    /// - Parameter asker: The fetch that needs the value. `nil` if the program does.
    func value<Value>(
        of definition: QueryDefinition<Value>, _ policy: FetchPolicy?, cause: Cause, for asker: FetchRun? = nil
    ) async throws -> Value {
        let options = options.resolve(definition)
        let ask = Ask(
            policy: policy ?? options.values.fetchPolicy, options: options, hasOptions: definition.changes != nil,
            cause: cause, asker: asker)
        let step = try withSlot(for: definition, with: options) { state, work, moment, slot in
            let step = try state.step(to: slot, ask, moment, &work)
            if case .ready = step { state.hitCount += 1 }
            return step
        }
        switch step {
        case .ready(let payload): return try unwrap(payload)
        case .waiting(let wait):
            if let run = wait.joined { traceJoin(of: run) }
            return try unwrap(try await answer(to: wait))
        }
    }

    private func answer(to wait: Wait) async throws -> Payload {
        do {
            return try await outcome(of: wait.waiter, at: wait.slot, within: wait.limit)
        } catch {
            guard let fallback = wait.fallback, !Task.isCancelled,
                let payload = stale(wait.slot, fallback, after: error)
            else { throw error }
            return payload
        }
    }

    /// The stale value that a caller receives because a fetch failed. `nil` if it receives the error.
    private func stale(_ slot: Slot, _ fallback: Fallback, after error: any Error) -> Payload? {
        guard !FetchPolicy.isAnswer(error) else { return nil }
        return state.withLock { _ in
            slot.isUsable(onErrorBy: fallback.policy, fallback.staleAfter, at: clock.now()) ? slot.entry.shown : nil
        }
    }

    /// Starts a fetch beside those in flight, and does not wait for it.
    ///
    /// - Parameter begun: Called under the client's lock with the fetch's generation, before the fetch starts.
    /// - Throws: ``QueryError/typeMismatch(key:existing:requested:)``.
    package func beginFetch<Value>(
        _ definition: QueryDefinition<Value>, _ cause: Cause, begun: (_ generation: UInt64) -> Void = { _ in }
    ) throws {
        try withSlot(for: definition) { state, work, moment, slot in
            state.send(.fetch(cause, mode: .overtake, fromStart: false), to: slot, moment, &work)
            begun(slot.entry.flight?.generation ?? slot.entry.generation)
        }
    }

    /// Cancels a fetch, if it is in flight. Other fetches of the key continue.
    package func cancelFetch(_ generation: UInt64, of key: QueryKey) {
        transact { state, work, moment in
            guard let slot = state.entries[key], slot.entry.isUnderWay(generation) else { return }
            state.send(.cancelFetch(generation: generation, .requested), to: slot, moment, &work)
        }
    }

    /// The request of the running fetch of a key. `nil` if none runs, or if its fetcher has no request.
    package func requestBeingFetched(for key: QueryKey) -> (any Sendable)? {
        state.withLock { $0.entries[key]?.run?.fetcher.request }
    }

    func refetch<Value: Sendable>(_ slot: Slot, cause: Cause) async throws -> Value {
        let waiter = Waiter()
        try transact { state, work, moment in
            guard !slot.isRemoved else { throw CancellationError() }
            guard slot.entry.hasFetcher else { throw QueryError.noFetcher(key: slot.key) }
            try state.join(slot, waiter, cause, .restart, nil, moment, &work)
        }
        return try unwrap(try await outcome(of: waiter, at: slot))
    }

    /// Waits for the outcome of a fetch. A caller who is cancelled, or whose time is over, stops waiting, and the fetch
    /// continues for the others.
    func outcome(of waiter: Waiter, at slot: Slot, within limit: Duration? = nil) async throws -> Payload {
        if let result = waiter.result { return try result.get() }
        let alarm = limit.map { limit in
            clock.schedule(at: clock.now().advanced(by: limit)) { [reference] in
                reference.client?.release(waiter, from: slot) { QueryError.timedOut(key: $0, limit: limit) }
            }
        }
        defer { alarm?.cancel() }
        return try await waiter.value { [reference] in
            reference.client?.release(waiter, from: slot) { _ in CancellationError() }
        }
    }

    /// Ends the wait of a caller with an error, unless it has ended.
    private func release(_ waiter: Waiter, from slot: Slot, with error: (QueryKey) -> any Error) {
        transact { state, work, moment in
            guard let index = slot.waiters.firstIndex(where: { $0 === waiter }) else { return }
            work.resumptions.append((slot.waiters.remove(at: index), .failure(error(slot.key))))
            state.send(.leave, to: slot, moment, &work)
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

/// A caller's request for a value.
private struct Ask {
    let policy: FetchPolicy
    let options: ResolvedOptions
    /// True if the caller's definition changes options, which a fetch that it joins may ignore.
    let hasOptions: Bool
    let cause: Cause
    /// The fetch that needs the value. `nil` if the program does.
    let asker: FetchRun?
}

/// What a caller accepts if the fetch fails.
private struct Fallback {
    let policy: FetchPolicy
    let staleAfter: StaleTime
}

/// A caller who waits for a fetch.
private struct Wait {
    let waiter: Waiter
    let slot: Slot
    /// The fetch, if another caller had started it.
    let joined: FetchRun?
    /// The longest time that the caller waits. `nil` for as long as it takes.
    let limit: Duration?
    /// `nil` if the caller accepts nothing.
    let fallback: Fallback?
}

private enum Step {
    case ready(Payload)
    case waiting(Wait)
}

extension ClientState {
    /// Answers a caller with the existing value, or adds it to those who wait for a fetch.
    fileprivate mutating func step(
        to slot: Slot, _ ask: Ask, _ moment: Moment, _ work: inout Work
    ) throws -> Step {
        let (policy, resolved) = (ask.policy, ask.options)
        if policy.network != .always, let shown = slot.entry.shown {
            let isStale = slot.entry.isStale(for: resolved.values.staleAfter, at: moment.now)
            if !isStale || policy.network == .never
                || slot.isUsable(whileRevalidatingBy: policy, resolved.values.staleAfter, at: moment.now)
            {
                if policy.network == .ifStale { fetchBehind(slot, ask.cause, resolved, moment, &work) }
                return .ready(shown)
            }
            let isOffline = !moment.isOnline && slot.entry.options.values.networkMode == .online
            if isOffline, slot.isUsable(onErrorBy: policy, resolved.values.staleAfter, at: moment.now) {
                return .ready(shown)
            }
            if isOffline, policy.ifError != nil, slot.entry.wasRefused, let failure = slot.entry.failure {
                throw failure.error
            }
        }
        return try fetch(slot, ask, moment, &work)
    }

    /// Adds a caller to those who wait for a fetch. If a failure is remembered, it is the caller's answer.
    private mutating func fetch(
        _ slot: Slot, _ ask: Ask, _ moment: Moment, _ work: inout Work
    ) throws -> Step {
        let (policy, resolved) = (ask.policy, ask.options)
        guard policy.network != .never else {
            touch(slot, moment, &work)
            throw QueryError.notCached(key: slot.key)
        }
        guard slot.entry.hasFetcher else {
            touch(slot, moment, &work)
            throw QueryError.noFetcher(key: slot.key)
        }
        if policy.network == .ifStale,
            let failure = slot.entry.rememberedFailure(for: resolved.values.rememberFailures, at: moment.now)
        {
            guard let shown = slot.entry.shown,
                slot.isUsable(onErrorBy: policy, resolved.values.staleAfter, at: moment.now)
            else { throw failure.error }
            return .ready(shown)
        }
        let mode: FetchMode = policy.network == .always ? .restart : .join
        let waiter = Waiter(for: ask.asker)
        // The entry itself keeps the time limit of a caller who starts the fetch.
        let running = slot.entry.activity == .idle ? nil : slot.run
        let ownLimit = slot.entry.activity != .idle ? resolved.values.timeLimit.ifPositive : nil
        try join(
            slot, waiter, resolved.values.named(ask.cause), mode, ask.hasOptions ? resolved : nil, moment, &work)
        let fallback = policy.ifError.map { _ in Fallback(policy: policy, staleAfter: resolved.values.staleAfter) }
        let limit = ownLimit.map { min($0, policy.waitLimit ?? $0) } ?? policy.waitLimit
        let joined = running === slot.run ? running : nil
        return .waiting(Wait(waiter: waiter, slot: slot, joined: joined, limit: limit, fallback: fallback))
    }

    /// Fetches a value that is stale or due, without a caller who waits for it.
    private mutating func fetchBehind(
        _ slot: Slot, _ cause: Cause, _ resolved: ResolvedOptions, _ moment: Moment, _ work: inout Work
    ) {
        guard !slot.entry.isBusy, slot.entry.isDue(by: resolved.values, at: moment.now), slot.entry.hasFetcher,
            slot.entry.rememberedFailure(for: resolved.values.rememberFailures, at: moment.now) == nil
        else { return }
        send(.fetch(resolved.values.named(cause), mode: .join, fromStart: false), to: slot, moment, &work)
    }

    /// Adds a waiter for the fetch of an entry.
    ///
    /// - Parameter takesAny: True if the caller only waits for the end of a fetch, whatever its outcome.
    /// - Throws: ``QueryError/awaitsItself(key:)``.
    mutating func add(
        _ waiter: Waiter, to slot: Slot, takesAny: Bool = false, _ moment: Moment, _ work: inout Work
    ) throws {
        guard !isOwnFetch(of: slot, asker: waiter.asker, moment, &work) else {
            throw QueryError.awaitsItself(key: slot.key)
        }
        waiter.needs = takesAny ? 0 : slot.entry.invalidatedAt
        slot.waiters.append(waiter)
        send(.join, to: slot, moment, &work)
    }

    /// Returns true, and reports an error, if the caller is the fetcher that the entry waits for, directly or through
    /// other fetches. Such a fetcher would await or restart itself forever.
    mutating func isOwnFetch(
        of slot: Slot, asker: FetchRun? = nil, _ moment: Moment, _ work: inout Work
    ) -> Bool {
        guard slot.isFetchedByCaller || asker?.isAwaited(by: slot) ?? false else { return false }
        let error = QueryError.awaitsItself(key: slot.key)
        emit(.misuse(error.description), key: slot.key, .requested, moment, &work)
        return true
    }

    /// Adds a waiter, and requests a fetch.
    mutating func join(
        _ slot: Slot, _ waiter: Waiter, _ cause: Cause, _ mode: FetchMode, _ options: ResolvedOptions?,
        _ moment: Moment, _ work: inout Work
    ) throws {
        if let options { reportIgnoredOptions(of: options, slot, cause, moment, &work) }
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
