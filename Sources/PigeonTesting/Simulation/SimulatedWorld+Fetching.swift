import PigeonCore

/// Entries are fetched when, and only when, their options say so.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedWorld {
    typealias Places = [QueryKey: ClientInspection.Place]

    /// Does an action that may start fetches by itself, and compares which it starts with which it should.
    ///
    /// - Parameter expects: Whether an entry that was idle before the action is fetched by it. `nil` if nothing is known.
    func checkingFetches(
        _ rule: SimulationRule, _ process: SimulatedProcess, during action: () -> Void,
        expects: (SimulatedSubject, ClientInspection.Place) -> Bool?
    ) {
        guard isUndisturbed else { return action() }
        let before = process.client.inspect()
        action()
        // What is refetched on a return waits for the mutations that are resumed.
        guard before.pausedMutations + before.resumedMutations == 0 else { return }
        let after = process.client.inspect().places
        for subject in subjects where subject.source == nil {
            // What comes by itself joins a page load (A33).
            guard let place = before.places[subject.key], place.entry.activity == .idle, !place.entry.isLoadingPage,
                let expected = expects(subject, place), let now = after[subject.key]?.entry.activity
            else { continue }
            if expected, now == .idle { found(rule, "\(subject.name) should be fetched, and is not") }
            if !expected, now != .idle { found(rule, "\(subject.name) is fetched, and should not be") }
        }
    }

    /// Whether an invalidation refetches an entry.
    func refetches(_ scope: SimulatedScope, _ entry: Entry) -> Bool {
        let wasFetched = entry.valueCount > 0 || entry.failureCount > 0 || entry.answerCount > 0
        return switch scope {
        case .none: false
        case .active: entry.isActive
        case .inactive: !entry.isObserved && wasFetched
        case .all: entry.isObserved ? entry.isActive : wasFetched
        }
    }

    /// Whether a value is stale by the subject's own options.
    func isStale(_ subject: SimulatedSubject, _ entry: Entry) -> Bool {
        guard entry.shown != nil, !entry.isInvalidated else { return true }
        guard case .after(let nanoseconds) = subject.options.staleAfter.kind, let process else { return false }
        let end = entry.writtenAt.advanced(by: .nanoseconds(nanoseconds))
        return process.clock.now() >= end
    }

    /// A request leaves: it needs a network, a foreground for a retry, and may be one retry too many.
    func checkRequest(of name: String, attempt: Int, isPage: Bool, _ cause: Cause) {
        guard let process, let subject = named[name] else { return }
        let options = subject.options
        if cause == .poll, !process.environment.activity.isOn { found(.polling, "\(name) is polled in the background") }
        if attempt > options.retry.limit + 1 { found(.retries, "\(name) makes attempt \(attempt)") }
        let needsNetwork =
            options.networkMode == .online || (options.networkMode == .offlineFirst && attempt > 1)
        if needsNetwork, !process.environment.connectivity.isOn { found(.network, "\(name) is fetched offline") }
        if attempt > 1, !isPage, !process.environment.activity.isOn {
            found(.network, "\(name) is retried in the background")
        }
    }

    /// A call fails in a way that may pass: a fetch that has retries left, and somebody interested, goes on.
    func checkRetrying(_ call: SimulatedServer.Call, _ before: ClientInspection.Place?) {
        guard depth == 0, case .whole = call.request, let subject = named[call.name], !subject.isDeaf,
            let before, before.observers + before.waiters > 0, call.attempt <= subject.options.retry.limit
        else { return }
        settle()
        guard process?.client.inspect().places[subject.key]?.entry.activity == .idle else { return }
        found(.retries, "\(call.name) gives up after attempt \(call.attempt)")
    }

    /// The server answers a call: what it says is shown, if it is the newest fetch and nothing has happened since it was asked.
    func checkingLanding(_ call: SimulatedServer.Call, _ process: SimulatedProcess, during answer: () -> Void) {
        guard isUndisturbed, call.isAwaited, case .whole = call.request, let subject = named[call.name],
            subject.isKnown, !subject.isPlain, subject.source == nil, call.number > subject.model.heldAt,
            call.number == server.lastAsked(call.name),
            let before = process.client.inspect().places[subject.key]?.entry, let flight = before.flight,
            flight.isRunning, call.origin == "\(call.name) \(flight.generation)", call.attempt == flight.failures + 1
        else { return answer() }
        let isLast = call.number > subject.model.invalidatedAt
        answer()
        settle()
        guard let entry = process.client.inspect().places[subject.key]?.entry else { return }
        let shown = entry.base.flatMap { subject.see($0) }?.call ?? 0
        // A request with a tag may be answered by "not modified".
        if case .whole(tag: nil) = call.request, shown != call.number {
            found(.landing, "\(call.name) was answered by call \(call.number), and holds \(shown)")
        }
        if entry.failure != nil { found(.landing, "\(call.name) was answered, and shows the error of before") }
        if isLast, entry.isInvalidated { found(.landing, "\(call.name) was answered, and is stale all the same") }
        if entry.writtenAt < process.clock.now() { found(.landing, "\(call.name) was answered, and is not fresh") }
    }

    /// The server sends a part of an answer: nobody hears of it once the fetch has its answer, though its request was copied.
    func checkingEnd(of call: SimulatedServer.Call, _ process: SimulatedProcess, during answer: () -> Void) {
        let isOver = !call.isAwaited && isUndisturbed
        let before = named[call.name].flatMap { process.client.inspect().places[$0.key]?.entry.base }
        answer()
        guard isOver, let subject = named[call.name] else { return }
        settle()
        let after = process.client.inspect().places[subject.key]?.entry.base
        guard after !== before else { return }
        found(.secondAnswer, "\(call.name) has its answer, and takes another one of call \(call.number)")
    }

    /// The program has written a value: it is as fresh as an answer.
    func checkWrite(_ subject: SimulatedSubject, _ process: SimulatedProcess) {
        guard let entry = process.client.inspect().places[subject.key]?.entry, entry.base != nil else { return }
        if entry.isInvalidated { found(.landing, "\(subject.name) was written, and is stale all the same") }
        if entry.writtenAt < process.clock.now() { found(.landing, "\(subject.name) was written, and is not fresh") }
    }

    /// Time passes: what is observed and polled is asked for.
    func checkingPolls(_ seconds: Int, _ process: SimulatedProcess, during wait: () -> Void) {
        let environment = process.environment
        guard isUndisturbed, environment.activity.isOn, environment.connectivity.isOn else {
            return wait()
        }
        let places = process.client.inspect().places
        let due = subjects.filter { subject in
            guard subject.paging == nil, let interval = subject.options.pollEvery,
                let entry = places[subject.key]?.entry
            else { return false }
            return entry.isActive && entry.activity == .idle && interval < .seconds(seconds)
        }
        let began = server.stamp()
        wait()
        for subject in due where server.lastAsked(subject.name) < began {
            found(.polling, "\(subject.name) is not polled within \(seconds) s")
        }
    }
}
