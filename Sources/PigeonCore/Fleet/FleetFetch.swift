internal import Foundation

// A fetch whose value all members share.
extension Fleet {
    /// Fetches a value: from the store if it has one that is fresh, from the member that fetches it, or from the server.
    ///
    /// - Parameter origin: Asks the server.
    func fetch(
        _ run: FetchRun, _ terms: FleetTerms, from origin: @escaping @Sendable (FetchRun) async -> FetchOutcome
    ) async -> FetchOutcome {
        let began = clock.now()
        var pause = Duration.milliseconds(5)
        var asked: FleetAsk?
        do {
            guard try await settled() != nil else { return await fetchAlone(run, from: origin) }
            if !terms.isDemanded, let value = try await call({ try await $0.value(for: terms.key) }) {
                if let payload = usable(value, terms, since: began) {
                    count { $0.found += 1 }
                    return take(payload, value, run)
                }
                begin(run, with: value, terms)
            }
            while true {
                guard let position = try await settled() else { return await fetchAlone(run, from: origin) }
                // A failure is an answer to this attempt if it came after the attempt has begun.
                let elapsed = began.duration(to: clock.now()) - .milliseconds(1)
                let ask = ask(
                    for: terms.key, at: position, isForced: terms.isDemanded,
                    acceptedFailureAge: run.attempt == 0 ? max(terms.rememberFailures, elapsed) : elapsed,
                    interval: run.interval)
                let hasWaited = asked != nil
                asked = ask
                switch try await call({ try await $0.lease(terms.key, for: ask) }) {
                case .failed(let failure):
                    count { $0.awaited += 1 }
                    return .failure(failure)
                case .alone: return await fetchAlone(run, from: origin)
                case .held:
                    try await clock.sleep(for: pause * (0.5 + environment.random().fraction))
                    pause = min(pause * 2, .milliseconds(100))
                case .early(let newest, let rest):
                    if let found = take(newest, run, terms, since: began, hasWaited: hasWaited) { return found }
                    try await clock.sleep(for: max(rest, .milliseconds(1)))
                case .taken(let newest):
                    if let found = take(newest, run, terms, since: began, hasWaited: hasWaited) {
                        end(terms.key, ask, with: .nothing)
                        return found
                    }
                    count { $0.led += 1 }
                    if let newest { begin(run, with: newest, terms) }
                    return await lead(run, terms, ask, at: position, from: origin)
                }
            }
        } catch {
            // The call may have taken the lease all the same.
            if let asked { end(terms.key, asked, with: .nothing) }
            if Task.isCancelled { return .failure(CancellationError()) }
            note(error)
            return await fetchAlone(run, from: origin)
        }
    }

    private func fetchAlone(
        _ run: FetchRun, from origin: @Sendable (FetchRun) async -> FetchOutcome
    ) async -> FetchOutcome {
        count { $0.alone += 1 }
        return await outcome(of: run, from: origin)
    }

    /// Asks the server. Without the log, an answer is as old as the request: it may not have what others were told since.
    private func outcome(
        of run: FetchRun, from origin: @Sendable (FetchRun) async -> FetchOutcome
    ) async -> FetchOutcome {
        let began = clock.now()
        run.noteAsked()
        let outcome = await origin(run)
        if !isConnected { run.note(age: began.duration(to: clock.now())) }
        return outcome
    }

    private func count(_ change: (inout Counts) -> Void) {
        state.withLock { change(&$0.counts) }
    }

    /// Shows a member that has no value yet the one in the store, which is stale, and lets it ask whether that is still
    /// right.
    private func begin(_ run: FetchRun, with value: FleetValue, _ terms: FleetTerms) {
        let record = value.record
        let (mayShow, isBelieved) = state.withLock { state in
            (state.mayShow(value, of: terms.key), state.believes(value, of: terms.key))
        }
        guard mayShow, run.previous == nil, let payload = terms.sharing.payload(of: record, terms.key) else { return }
        (run.previous, run.validators) = (payload, record.validators)
        let found = FoundValue(
            payload: payload, age: value.age, isStale: !isBelieved, freshFor: record.freshForNanoseconds,
            terms: record.terms)
        reference.client?.show(found, at: run.slot) { _, _, _ in !run.isStopped }
    }

    /// Asks the server for all members, and gives them the answer.
    private func lead(
        _ run: FetchRun, _ terms: FleetTerms, _ ask: FleetAsk, at position: FleetPosition,
        from origin: @Sendable (FetchRun) async -> FetchOutcome
    ) async -> FetchOutcome {
        let renewal = renew(run, terms.key, ask)
        let outcome = await outcome(of: run, from: origin)
        renewal.cancel()
        let payload: Payload? =
            switch outcome {
            case .value(let payload): payload
            case .notModified: run.previous
            case .finished, .unneeded, .failure: nil
            }
        if let payload {
            let said = run.said
            let receivedAt = clock.now()
            _ = environment.launch { [self] in
                // Encodes outside the fetch, so that its callers need not wait.
                let record = terms.sharing.record(
                    of: payload, terms.key, freshFor: said.freshFor, terms: said.terms)
                guard let record else { return end(terms.key, ask, with: .alone(keepFor: Self.aloneTime)) }
                let value = FleetValue(
                    record: record, age: max(.zero, receivedAt.duration(to: clock.now())), position: position)
                let lifetime = terms.lifetime(of: payload, said: said.freshFor) ?? Self.longest
                end(terms.key, ask, with: .value(value, keepFor: lifetime + setup.keepFor))
            }
        } else if case .failure(let error) = outcome, !TransientError.isCancellation(error), !error.isOwn {
            let time = max(terms.rememberFailures, .seconds(1))
            end(terms.key, ask, with: .failure(FleetFailure(error), keepFor: time))
        } else if case .failure = outcome {
            end(terms.key, ask, with: .nothing)
        } else {
            // A fetcher that yields its values: they are not shared.
            end(terms.key, ask, with: .alone(keepFor: Self.aloneTime))
        }
        return outcome
    }

    /// The time for which others do not try to share a value that cannot be.
    private static let aloneTime = Duration.seconds(10)
    /// The time for which a value is kept that is always fresh.
    static let longest = Duration.seconds(30 * 86_400)

    /// Ends a lease, and does not wait for that.
    private func end(_ key: QueryKey, _ ask: FleetAsk, with outcome: FleetOutcome) {
        _ = environment.launch { [self] in
            do { _ = try await call { try await $0.end(key, for: ask, with: outcome) } } catch { note(error) }
        }
    }

    /// Renews a lease until the task is cancelled, or until nobody waits for the fetch any more.
    private func renew(_ run: FetchRun, _ key: QueryKey, _ ask: FleetAsk) -> Task<Void, Never> {
        environment.launch { [self] in
            var isMine = true
            while isMine {
                do { try await clock.sleep(for: setup.leaseTime / 3) } catch { return }
                guard !run.isStopped else { return end(key, ask, with: .nothing) }
                isMine = (try? await call(isAbandoned: true) { try await $0.renew(key, for: ask) }) ?? true
            }
        }
    }

    private func note(_ error: any Error) {
        if case FleetError.refused = error { return }
        lose(error)
    }

    /// The greatest error of the ages that a store tells.
    private static let clockError = Duration.milliseconds(100)

    /// The payload of a value that can be used instead of a fetch. `nil` if it cannot.
    private func usable(_ value: FleetValue, _ terms: FleetTerms, since began: MonotonicInstant) -> Payload? {
        guard state.withLock({ $0.believes(value, of: terms.key) }) else { return nil }
        let now = clock.now()
        // A value that is fresh is fetched for another reason, such as a poll: only a newer one will do.
        let receivedAt = now.advanced(by: .zero - value.age)
        guard terms.isStale || receivedAt > terms.writtenAt.advanced(by: Self.clockError) else { return nil }
        guard let payload = terms.sharing.payload(of: value.record, terms.key) else { return nil }
        // A value that arrived since is the answer to this fetch too.
        if value.age <= began.duration(to: now) { return payload }
        guard let lifetime = terms.lifetime(of: payload, said: value.record.freshForNanoseconds) else { return payload }
        return value.age + min(terms.refreshEarly, lifetime / 2) < lifetime ? payload : nil
    }

    /// Takes the newest value of the store instead of a fetch. `nil` if it cannot be used.
    private func take(
        _ newest: FleetValue?, _ run: FetchRun, _ terms: FleetTerms, since began: MonotonicInstant, hasWaited: Bool
    ) -> FetchOutcome? {
        guard !terms.isDemanded, let newest, let payload = usable(newest, terms, since: began) else { return nil }
        count { if hasWaited { $0.awaited += 1 } else { $0.found += 1 } }
        return take(payload, newest, run)
    }

    private func take(_ payload: Payload, _ value: FleetValue, _ run: FetchRun) -> FetchOutcome {
        run.noteReceived(
            age: value.age, freshFor: value.record.freshFor.flatMap { Duration(untrustedSeconds: $0) },
            terms: value.record.terms)
        return .value(payload)
    }
}

/// The facts of an entry that a shared fetch needs.
struct FleetTerms: Sendable {
    /// The key, with its tags.
    let key: QueryKey
    let sharing: Persistence
    /// True if a caller wants an answer of the server, whatever the others know.
    let isDemanded: Bool
    /// True if there is no value, or if it must be fetched again.
    let isStale: Bool
    /// The time of the value that is fetched again.
    let writtenAt: MonotonicInstant
    let refreshEarly: Duration
    let rememberFailures: Duration
    private let staleAfter: StaleTime
    private let freshFor: (@Sendable (Payload) -> Int64?)?

    /// Called under the client's lock. `nil` if the entry is not shared.
    init?(_ slot: Slot, at now: MonotonicInstant) {
        guard let extras = slot.extras, let sharing = extras.sharing else { return nil }
        let options = slot.entry.options.values
        key = slot.key.adding(tags: slot.tags)
        self.sharing = sharing
        isDemanded = slot.entry.flight?.isDemanded ?? false
        isStale = slot.entry.shown == nil || slot.entry.isStale(for: options.staleAfter, at: now)
        writtenAt = slot.entry.writtenAt
        (refreshEarly, rememberFailures) = (options.refreshEarly, options.rememberFailures)
        (staleAfter, freshFor) = (options.staleAfter, extras.freshFor)
    }

    /// The time for which a value is fresh. `nil` for ever.
    ///
    /// - Parameter said: The time that the server named, in nanoseconds.
    func lifetime(of payload: Payload, said: Int64?) -> Duration? {
        if let nanoseconds = said ?? freshFor?(payload) { return .nanoseconds(nanoseconds) }
        if case .after(let nanoseconds) = staleAfter.kind { return .nanoseconds(nanoseconds) }
        return nil
    }
}

/// A value that this member has written, for all.
struct FleetWrite: Sendable {
    let at: MonotonicInstant
    private let terms: FleetTerms
    private let payload: Payload

    /// Called under the client's lock. `nil` if the entry is not shared, or has no value that can be.
    init?(_ slot: Slot, at now: MonotonicInstant) {
        guard let terms = FleetTerms(slot, at: now), let payload = slot.entry.settled else { return nil }
        (self.terms, self.payload, at) = (terms, payload, slot.entry.writtenAt)
    }

    var key: QueryKey { terms.key }

    /// The encoded value, and the time for which it is fresh. `nil` if it cannot be encoded. Calls user code.
    func record() -> (QueryRecord, lifetime: Duration)? {
        let record = terms.sharing.record(of: payload, key, freshFor: nil, terms: AnswerTerms())
        return record.map { ($0, terms.lifetime(of: payload, said: nil) ?? Fleet.longest) }
    }
}

extension Persistence {
    /// Encodes a value that is stored as one part. `nil` if that fails. Calls user code.
    fileprivate func record(
        of payload: Payload, _ key: QueryKey, freshFor: Int64?, terms: AnswerTerms
    ) -> QueryRecord? {
        guard let part = (try? parts(payload, key, nil))?.saved.first?.part,
            let data = try? RecordData.data(of: part)
        else {
            return nil
        }
        return QueryRecord(
            data: data, savedAt: Date(timeIntervalSince1970: 0), schema: schema,
            freshFor: freshFor, terms: terms, tags: key.tags)
    }

    /// Decodes a value that is stored as one part. `nil` if that fails. Calls user code.
    fileprivate func payload(of record: QueryRecord, _ key: QueryKey) -> Payload? {
        try? value(of: record, key, in: nil)?.payload
    }
}

extension Error {
    /// True if the error concerns this member only, so that another one can fetch.
    fileprivate var isOwn: Bool {
        switch self as? QueryError {
        case .overloaded, .closed, .missingDependency: true
        default: false
        }
    }
}
