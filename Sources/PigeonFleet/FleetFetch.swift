internal import Foundation
package import PigeonCore

// A fetch whose value all members share.
extension Fleet {
    /// Fetches a value: from the store if it has one that is fresh, from the member that fetches it, or from the server.
    ///
    /// - Parameter origin: Asks the server.
    package func fetch(
        _ run: FetchRun, _ entry: SharedEntry, from origin: @escaping @Sendable (FetchRun) async -> FetchOutcome
    ) async -> FetchOutcome {
        let began = clock.now()
        var pause = Duration.milliseconds(5)
        var asked: FleetAsk?
        do {
            guard try await settled() != nil else { return await fetchAlone(run, from: origin) }
            if !entry.isDemanded, let value = try await call({ try await $0.value(for: entry.key) }) {
                if let payload = usable(value, entry, since: began) {
                    count { $0.found += 1 }
                    return run.take(payload, of: value.record, age: value.age)
                }
                begin(run, with: value, entry)
            }
            while true {
                guard let position = try await settled() else { return await fetchAlone(run, from: origin) }
                // A failure is an answer to this attempt if it came after the attempt has begun.
                let elapsed = began.duration(to: clock.now()) - .milliseconds(1)
                let ask = ask(
                    for: entry.key, at: position, isForced: entry.isDemanded,
                    acceptedFailureAge: run.attempt == 0 ? max(entry.rememberFailures, elapsed) : elapsed,
                    interval: run.interval)
                let hasWaited = asked != nil
                asked = ask
                switch try await call({ try await $0.lease(entry.key, for: ask) }) {
                case .failed(let failure):
                    count { $0.awaited += 1 }
                    return .failure(failure)
                case .alone: return await fetchAlone(run, from: origin)
                case .held:
                    try await clock.sleep(for: pause * (0.5 + environment.random().fraction))
                    pause = min(pause * 2, .milliseconds(100))
                case .early(let newest, let rest):
                    if let found = take(newest, run, entry, since: began, hasWaited: hasWaited) { return found }
                    try await clock.sleep(for: max(rest, .milliseconds(1)))
                case .taken(let newest):
                    if let found = take(newest, run, entry, since: began, hasWaited: hasWaited) {
                        end(entry.key, ask, with: .nothing)
                        return found
                    }
                    count { $0.led += 1 }
                    if let newest { begin(run, with: newest, entry) }
                    return await lead(run, entry, ask, at: position, from: origin)
                }
            }
        } catch {
            // The call may have taken the lease all the same.
            if let asked { end(entry.key, asked, with: .nothing) }
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

    /// Fetches from the server. Without the log, an answer counts as old as its request, because it may lack changes
    /// that other members have learned of since.
    private func outcome(
        of run: FetchRun, from origin: @Sendable (FetchRun) async -> FetchOutcome
    ) async -> FetchOutcome {
        let began = clock.now()
        run.noteRequested()
        let outcome = await origin(run)
        if !isConnected { run.note(age: began.duration(to: clock.now())) }
        return outcome
    }

    private func count(_ change: (inout Counts) -> Void) {
        state.withLock { change(&$0.counts) }
    }

    /// Shows the store's value to a member without a value. The fetch can then ask whether this value is still right.
    private func begin(_ run: FetchRun, with value: FleetValue, _ entry: SharedEntry) {
        let (mayShow, isBelieved) = state.withLock { state in
            (state.mayShow(value, of: entry.key), state.believes(value, of: entry.key))
        }
        guard mayShow, run.previous == nil, let payload = entry.payload(of: value.record) else { return }
        run.begin(with: payload, of: value.record, age: value.age, isStale: !isBelieved)
    }

    /// Fetches for all members, and shares the answer with them.
    private func lead(
        _ run: FetchRun, _ entry: SharedEntry, _ ask: FleetAsk, at position: FleetPosition,
        from origin: @Sendable (FetchRun) async -> FetchOutcome
    ) async -> FetchOutcome {
        let renewal = renew(run, entry.key, ask)
        let outcome = await outcome(of: run, from: origin)
        renewal.cancel()
        let payload: Payload? =
            switch outcome {
            case .value(let payload): payload
            case .notModified: run.previous
            case .page, .finished, .unneeded, .failure: nil
            }
        if let payload {
            let answerDetails = run.answerDetails
            let receivedAt = clock.now()
            _ = environment.launch { [self] in
                // Encodes outside the fetch, so that its callers need not wait.
                guard let record = entry.record(of: payload, answerDetails) else {
                    return end(entry.key, ask, with: .alone(keepFor: Self.aloneTime))
                }
                let value = FleetValue(
                    record: record, age: max(.zero, receivedAt.duration(to: clock.now())), position: position)
                let lifetime = entry.lifetime(of: payload, named: answerDetails.freshFor) ?? Self.longest
                end(entry.key, ask, with: .value(value, keepFor: lifetime + setup.keepFor))
            }
        } else if case .failure(let error) = outcome, !TransientError.isCancellation(error), !error.isOwn {
            let time = max(entry.rememberFailures, .seconds(1))
            end(entry.key, ask, with: .failure(FleetFailure(error), keepFor: time))
        } else if case .failure = outcome {
            end(entry.key, ask, with: .nothing)
        } else {
            // A fetcher that yields its values: they are not shared.
            end(entry.key, ask, with: .alone(keepFor: Self.aloneTime))
        }
        return outcome
    }

    /// The time for which other members do not try to share a value that cannot be shared.
    private static let aloneTime = Duration.seconds(10)
    /// The time for which a value without an end of freshness is stored.
    static let longest = Duration.seconds(30 * 86_400)

    /// Ends a lease in the background.
    private func end(_ key: QueryKey, _ ask: FleetAsk, with outcome: FleetOutcome) {
        _ = environment.launch { [self] in
            do { _ = try await call { try await $0.end(key, for: ask, with: outcome) } } catch { note(error) }
        }
    }

    /// Renews a lease until the task is cancelled, or until no caller waits for the fetch any more.
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

    /// The largest error of the ages that a store reports.
    private static let clockError = Duration.milliseconds(100)

    /// The payload of a value that can be used instead of a fetch. `nil` if it cannot.
    private func usable(_ value: FleetValue, _ entry: SharedEntry, since began: MonotonicInstant) -> Payload? {
        guard state.withLock({ $0.believes(value, of: entry.key) }) else { return nil }
        let now = clock.now()
        // A value that is fresh is fetched for another reason, such as a poll: only a newer one will do.
        let receivedAt = now.advanced(by: .zero - value.age)
        guard entry.isStale || receivedAt > entry.writtenAt.advanced(by: Self.clockError) else { return nil }
        guard let payload = entry.payload(of: value.record) else { return nil }
        // A value that arrived since is the answer to this fetch too.
        if value.age <= began.duration(to: now) { return payload }
        guard let lifetime = entry.lifetime(of: payload, in: value.record) else { return payload }
        return value.age + min(entry.refreshEarly, lifetime / 2) < lifetime ? payload : nil
    }

    /// Takes the newest value of the store instead of a fetch. `nil` if it cannot be used.
    private func take(
        _ newest: FleetValue?, _ run: FetchRun, _ entry: SharedEntry, since began: MonotonicInstant, hasWaited: Bool
    ) -> FetchOutcome? {
        guard !entry.isDemanded, let newest, let payload = usable(newest, entry, since: began) else { return nil }
        count { if hasWaited { $0.awaited += 1 } else { $0.found += 1 } }
        return run.take(payload, of: newest.record, age: newest.age)
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
