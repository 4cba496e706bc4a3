import PigeonCore

/// Checks that entries are fetched if, and only if, their options require it.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedWorld {
    /// Performs an action that may start fetches, and compares the started fetches with the expected ones.
    ///
    /// - Parameter expects: Returns true if the action must fetch an entry that was idle before. `nil` if that is
    ///   unknown.
    func checkingFetches(
        _ rule: SimulationRule, _ process: SimulatedProcess, during action: () -> Void,
        expects: (SimulatedSubject, ClientInspection.Place) -> Bool?
    ) {
        guard isUndisturbed else { return action() }
        let before = process.client.inspect()
        action()
        // Refetches after a return wait for the resumed mutations.
        guard before.pausedMutations + before.resumedMutations == 0 else { return }
        let after = process.client.inspect().places
        // The full queue of an upstream ends a fetch at once.
        for subject in subjects where subject.source == nil && subject.options.upstream == nil {
            // An automatic fetch joins a page load (A33).
            guard let place = before.places[subject.key], place.entry.activity == .idle, !place.entry.isLoadingPage,
                let expected = expects(subject, place), let now = after[subject.key]?.entry.activity
            else { continue }
            if expected, now == .idle { found(rule, "\(subject.name) should be fetched, and is not") }
            if !expected, now != .idle { found(rule, "\(subject.name) is fetched, and should not be") }
        }
    }

    /// Checks a request that is sent. It requires a network, a retry also requires the foreground, and there must not
    /// be too many retries.
    func checkRequest(of name: String, attempt: Int, isPage: Bool, _ cause: Cause) {
        guard let process, let subject = named[name] else { return }
        let options = subject.options
        if attempt - 1 > options.retry.limit { found(.retries, "\(name) makes attempt \(attempt)") }
        // A request that waited for earlier ones is sent even if the network or the foreground has gone since.
        guard !subject.mayWait else { return }
        if cause == .poll, !options.pollsInBackground, !process.environment.activity.isOn {
            found(.polling, "\(name) is polled in the background")
        }
        let needsNetwork =
            options.networkMode == .online || (options.networkMode == .offlineFirst && attempt > 1)
        if needsNetwork, !process.environment.connectivity.isOn { found(.network, "\(name) is fetched offline") }
        // An entry that is polled in the background is retried there too (T37).
        if attempt > 1, !isPage, !options.pollsInBackground, !process.environment.activity.isOn {
            found(.network, "\(name) is retried in the background")
        }
    }

    /// Checks a call that failed. A fetch whose policy retries the error, and with an observer or a waiter, must
    /// continue.
    func checkRetrying(_ call: SimulatedServer.Call, _ before: ClientInspection.Place?) {
        guard depth == 0, case .whole = call.request, let subject = named[call.name], !subject.isDeaf,
            let before, before.observers + before.waiters > 0
        else { return }
        settle()
        // The fetcher may have turned the server's error into another one, or into a value.
        guard let entry = place(of: subject)?.entry, entry.activity == .idle,
            let failure = entry.failure,
            subject.options.retry.wait(after: failure.error, failures: call.attempt - 1, random: 0) != nil
        else { return }
        found(.retries, "\(call.name) gives up after attempt \(call.attempt)")
    }

    /// Checks an answer of the server. It must be shown if it belongs to the newest fetch and nothing has happened
    /// since the request.
    func checkingLanding(_ call: SimulatedServer.Call, _ process: SimulatedProcess, during answer: () -> Void) {
        guard isUndisturbed, call.isAwaited, case .whole = call.request, let subject = named[call.name],
            subject.isKnown, !subject.isPlain, subject.source == nil, call.number > subject.model.heldAt,
            call.number == server.lastAsked(call.name),
            let before = place(of: subject)?.entry, let flight = before.flight,
            flight.isRunning, call.origin == "\(call.name) \(flight.generation)", call.attempt == flight.failures + 1
        else { return answer() }
        let isLast = call.number > subject.model.invalidatedAt
        answer()
        settle()
        guard let entry = place(of: subject)?.entry else { return }
        let shown = entry.base.flatMap { subject.see($0) }?.call ?? 0
        // A request with a tag may be answered with "not modified".
        if case .whole(tag: nil) = call.request, shown != call.number {
            found(.landing, "\(call.name) was answered by call \(call.number), and holds \(shown)")
        }
        if entry.failure != nil { found(.landing, "\(call.name) was answered, and shows the error of before") }
        if isLast, entry.isInvalidated { found(.landing, "\(call.name) was answered, and is stale all the same") }
        if entry.writtenAt < process.clock.now() { found(.landing, "\(call.name) was answered, and is not fresh") }
    }

    /// Checks a part of an answer. It must have no effect once the fetch has its answer, even if the request was
    /// copied.
    func checkingEnd(of call: SimulatedServer.Call, during answer: () -> Void) {
        let isOver = !call.isAwaited && isUndisturbed
        guard isOver, let subject = named[call.name] else { return answer() }
        let before = place(of: subject)?.entry.base
        answer()
        settle()
        guard place(of: subject)?.entry.base !== before else { return }
        found(.secondAnswer, "\(call.name) has its answer, and takes another one of call \(call.number)")
    }

    /// Checks a write by the program. The value must be as fresh as an answer.
    func checkWrite(_ subject: SimulatedSubject, _ process: SimulatedProcess) {
        guard let entry = place(of: subject)?.entry, entry.base != nil else { return }
        if entry.isInvalidated { found(.landing, "\(subject.name) was written, and is stale all the same") }
        if entry.writtenAt < process.clock.now() { found(.landing, "\(subject.name) was written, and is not fresh") }
    }

    /// Advances the time, and checks that observed and polled entries are fetched, unless they were cleared.
    func checkingPolls(_ seconds: Int, _ process: SimulatedProcess, during wait: () -> Void) {
        guard isUndisturbed, process.environment.connectivity.isOn else { return wait() }
        let isActive = process.environment.activity.isOn
        let places = process.client.inspect().places
        let due = subjects.filter { subject in
            guard subject.paging == nil, isActive || subject.options.pollsInBackground,
                let interval = subject.options.pollEvery, let longestWait = subject.longestWait,
                let entry = places[subject.key]?.entry
            else { return false }
            let isPolled = entry.isActive && entry.activity == .idle && !entry.isFinal && !entry.isCleared
            return isPolled && max(interval, longestWait) < .seconds(seconds)
        }
        // Operations that still run may ask for an entry.
        let resting = waits.isEmpty ? subjects.filter { places[$0.key]?.entry.isCleared == true } : []
        let began = server.stamp()
        wait()
        for subject in resting where server.lastAsked(subject.name) >= began {
            found(.clearing, "\(subject.name) was cleared, and is fetched by itself")
        }
        for subject in due where server.lastAsked(subject.name) < began {
            found(.polling, "\(subject.name) is not polled within \(seconds) s")
        }
    }

    // MARK: Callers

    /// Starts a fetch, and checks the value that the caller receives.
    func fetch(_ subject: SimulatedSubject, _ how: SimulatedFetch, _ client: QueryClient) {
        let asked = server.version(of: subject.name)
        let needed = subject.model.needed
        let disturbances = subject.model.disturbances
        let before = place(of: subject)?.entry
        let isFirst = before?.base == nil
        let call = server.lastAsked(subject.name)
        let isUndisturbed = isUndisturbed
        defer {
            let isShared = before?.shown == nil && before?.flight?.isRunning == true
            if isShared, isUndisturbed, call != server.lastAsked(subject.name) {
                found(.firstLoad, "\(how) of \(subject.name) takes over its first load")
            }
        }
        start(.fetch, "\(how) of \(subject.name)") { [hooks] in
            let payload = try await subject.fetch(client, how)
            guard subject.model.disturbances == disturbances, subject.model.covering.isEmpty,
                let seen = subject.see(payload)
            else { return }
            if how == .refetch, !isFirst, seen.version < asked {
                hooks.found(
                    .refetch, "a refetch of \(subject.name), asked at state \(asked), returns state \(seen.version)")
            }
            guard let needed, seen.version < needed else { return }
            let wantsFresh = subject.options.staleAfter != .fixed && subject.options.fetchPolicy == .fresh
            if how == .fetch, wantsFresh, subject.source == nil {
                hooks.found(
                    .lateCaller, "\(subject.name), invalidated at state \(needed), was fetched at \(seen.version)")
            }
        }
    }

    func fetchPage(_ direction: PageDirection, of subject: SimulatedSubject, _ client: QueryClient) {
        guard let paging = subject.paging else { return }
        start(.page, "\(direction) page of \(subject.name)") { [weak self] in
            try await self?.fetchPage(direction, of: subject, paging, client)
        }
    }

    private func fetchPage(
        _ direction: PageDirection, of subject: SimulatedSubject, _ paging: SimulatedPaging, _ client: QueryClient
    ) async throws {
        let landed = subject.model.pagesLanded[direction, default: 0]
        let cancellations = subject.model.cancellations
        let isFirst = paging.count(client) == nil
        let hasMore = try await paging.fetch(client, direction)
        guard hasMore, !isFirst, subject.model.pagesLanded[direction, default: 0] == landed,
            subject.model.cancellations == cancellations
        else { return }
        found(
            .pageAnswer,
            "asking for the \(direction) page of \(subject.name) succeeds without a page, and the list goes on")
    }

    func fetchAllPages(of subject: SimulatedSubject, _ client: QueryClient) {
        guard let paging = subject.paging else { return }
        start(.page, "all pages of \(subject.name)") { [weak self] in
            var count = 0
            while paging.hasNext(client) {
                try await self?.fetchPage(.next, of: subject, paging, client)
                count += 1
                guard count < 100 else {
                    self?.found(.pageLoop, "loading all pages of \(subject.name) goes on after \(count) pages")
                    return
                }
            }
        }
    }
}
