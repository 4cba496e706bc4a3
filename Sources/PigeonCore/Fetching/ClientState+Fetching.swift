/// A caller's request for a value.
struct ValueRequest {
    let policy: FetchPolicy
    let options: ResolvedOptions
    /// True if the caller's definition changes options, which a fetch that it joins may ignore.
    let hasOptions: Bool
    let cause: Cause
    /// The fetch that needs the value. `nil` if the program does.
    let requester: FetchRun?
}

/// The wait of a caller for a fetch.
struct Wait {
    let waiter: WaitingCaller
    let slot: Slot
    /// The fetch, if it was in flight already.
    let joined: FetchRun?
    /// The longest time that the caller waits. `nil` for as long as it takes.
    let limit: Duration?
}

enum Step {
    case ready(Payload)
    case waiting(Wait)
    /// The same, at an entry from which callers may move to another. Then the call begins again.
    case movable(Wait, begin: @Sendable () throws -> Step)
    /// The source of truth is read first. Then the call begins again.
    case reading(WaitingCaller, begin: @Sendable () throws -> Step)

    var isReady: Bool {
        if case .ready = self { true } else { false }
    }

    var wait: Wait? {
        switch self {
        case .waiting(let wait), .movable(let wait, _): wait
        case .ready, .reading: nil
        }
    }
}

/// The calls of one caller, which wait at the same time.
struct PendingCalls {
    let client: QueryClient
    var steps: [Step] = []
    var failure: (any Error)?

    /// Begins a call, unless one has failed.
    mutating func add(_ begin: () throws -> Step) {
        guard failure == nil else { return }
        do { steps.append(try begin()) } catch { failure = error }
    }

    /// Waits for all calls. Throws the first failure, and then waits for no other.
    func payloads() async throws -> [Payload] {
        do {
            if let failure { throw failure }
            let waits = steps.indices.filter { !steps[$0].isReady }
            var payloads = steps.map { if case .ready(let payload) = $0 { payload } else { Payload.nothing } }
            guard waits.count > 1 else {
                for index in waits { payloads[index] = try await client.payload(of: steps[index]) }
                return payloads
            }
            return try await withThrowingTaskGroup(of: (index: Int, payload: Payload).self) { group in
                for index in waits { group.addTask { (index, try await client.payload(of: steps[index])) } }
                for try await (index, payload) in group { payloads[index] = payload }
                return payloads
            }
        } catch {
            for wait in steps.compactMap(\.wait) {
                client.release(wait.waiter, from: wait.slot) { _ in CancellationError() }
            }
            throw error
        }
    }
}

extension ClientState {
    /// Answers a caller with the existing value, or adds it to those who wait for a fetch.
    mutating func step(to slot: Slot, _ request: ValueRequest) throws -> Step {
        let (policy, resolved) = (request.policy, request.options)
        if policy.network != .always, let shown = slot.entry.shown {
            let isStale = slot.entry.isStale(for: resolved.values.staleAfter, at: now)
            if !isStale || policy.network == .never || policy.network == .ifMissing
                || slot.isUsable(whileRevalidatingBy: policy, resolved.values.staleAfter, at: now)
            {
                let mayBeDue = isStale || resolved.values.refreshEarly > .zero
                if mayBeDue, policy.network == .ifStale { fetchBehind(slot, request.cause, resolved) }
                return .ready(shown)
            }
            let isOffline =
                !context(of: slot).isOnline && slot.entry.options.values.networkMode == .online
            if isOffline, slot.isUsable(onErrorBy: policy, resolved.values.staleAfter, at: now) {
                return .ready(shown)
            }
            if isOffline, policy.ifError != nil, slot.entry.wasRefused, let failure = slot.entry.failure {
                throw failure.error
            }
        }
        return try awaitFetch(of: slot, request)
    }

    /// Adds a caller to those who wait for a fetch. If a failure is remembered, it is the caller's answer.
    private mutating func awaitFetch(of slot: Slot, _ request: ValueRequest) throws -> Step {
        let (policy, resolved) = (request.policy, request.options)
        guard policy.network != .never else {
            touch(slot)
            throw QueryError.notCached(key: slot.key)
        }
        guard slot.entry.hasFetcher else {
            touch(slot)
            throw QueryError.noFetcher(key: slot.key)
        }
        if policy.network != .always,
            let failure = slot.entry.rememberedFailure(for: resolved.values.rememberFailures, at: now)
        {
            guard let shown = slot.entry.shown,
                slot.isUsable(onErrorBy: policy, resolved.values.staleAfter, at: now)
            else { throw failure.error }
            return .ready(shown)
        }
        let mode: FetchMode = policy.network == .always ? .restart : .join
        let waiter = WaitingCaller(
            requester: request.requester, accepting: AcceptedStale(policy, resolved.values.staleAfter))
        // The entry itself keeps the time limit of a caller who starts the fetch.
        let running = slot.entry.activity == .idle ? nil : slot.run
        let ownLimit = slot.entry.activity != .idle ? resolved.values.timeLimit.ifPositive : nil
        try requestFetch(
            slot, waiter, resolved.values.named(request.cause), mode, options: request.hasOptions ? resolved : nil)
        let limit = ownLimit.map { min($0, policy.waitLimit ?? $0) } ?? policy.waitLimit
        let joined = running === slot.run ? running : nil
        return .waiting(Wait(waiter: waiter, slot: slot, joined: joined, limit: limit))
    }

    /// Fetches a value that is stale or due, without a caller who waits for it.
    private mutating func fetchBehind(_ slot: Slot, _ cause: Cause, _ resolved: ResolvedOptions) {
        guard !slot.entry.isFetchingWhole, slot.entry.isDue(by: resolved.values, at: now), slot.entry.hasFetcher,
            slot.entry.rememberedFailure(for: resolved.values.rememberFailures, at: now) == nil
        else { return }
        send(.fetch(resolved.values.named(cause), mode: .join, fromStart: false), to: slot)
    }

    /// Gives a stale value that was found elsewhere to those who accept it. The fetch for which they waited continues.
    mutating func serveWaiters(of slot: Slot) {
        guard slot.entry.isAwaited, let shown = slot.entry.shown else { return }
        func isServed(_ waiter: WaitingCaller) -> Bool {
            waiter.accepted.map {
                slot.isUsable(whileRevalidatingBy: $0.policy, $0.staleAfter, at: now)
            } ?? false
        }
        for waiter in slot.entry.callers where isServed(waiter) {
            work.resumptions.append((waiter, .success(shown)))
            send(.leave(waiter, isServed: true), to: slot)
        }
    }

    /// Adds a caller to those who await what is in flight.
    ///
    /// - Parameter takesAny: True if the caller only waits for the end of a fetch, whatever its outcome.
    /// - Throws: ``QueryError/awaitsItself(key:)``.
    mutating func awaitOutcome(_ waiter: WaitingCaller, at slot: Slot, takesAny: Bool = false) throws {
        try checkIsOther(slot, for: waiter)
        send(.join(waiter, takesAny: takesAny), to: slot)
    }

    /// - Throws: ``QueryError/awaitsItself(key:)`` if the caller is part of the fetch that it would wait for.
    mutating func checkIsOther(_ slot: Slot, for caller: WaitingCaller) throws {
        if isOwnFetch(of: slot, requester: caller.requester) { throw QueryError.awaitsItself(key: slot.key) }
    }

    /// Returns true, and reports an error, if the caller is the fetcher that the entry waits for, directly or through
    /// other fetches. Such a fetcher would await or restart itself forever.
    mutating func isOwnFetch(of slot: Slot, requester: FetchRun? = nil) -> Bool {
        guard slot.isFetchedByCaller || requester?.isAwaited(by: slot) ?? false else { return false }
        let error = QueryError.awaitsItself(key: slot.key)
        emit(.misuse(error.description), key: slot.key, .requested)
        return true
    }

    /// Requests a fetch, whose outcome a caller awaits.
    ///
    /// - Throws: ``QueryError/awaitsItself(key:)``.
    mutating func requestFetch(
        _ slot: Slot, _ waiter: WaitingCaller, _ cause: Cause, _ mode: FetchMode, fromStart: Bool = false,
        options: ResolvedOptions? = nil
    ) throws {
        if let options { reportIgnoredOptions(of: options, slot, cause) }
        try checkIsOther(slot, for: waiter)
        send(.fetch(cause, mode: mode, fromStart: fromStart, for: waiter), to: slot)
    }

    /// Reports the options of a joining caller that differ from those of the running fetch (A6).
    mutating func reportIgnoredOptions(of options: ResolvedOptions, _ slot: Slot, _ cause: Cause) {
        guard slot.entry.activity != .idle, wantsEvents else { return }
        let ignored = options.values.differences(in: slot.entry.options.values)
        guard !ignored.isEmpty else { return }
        emit(.optionsIgnored(ignored.joined(separator: ", ")), key: slot.key, cause)
    }
}
