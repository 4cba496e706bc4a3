internal import Foundation
internal import PigeonBase
internal import PigeonCore
internal import PigeonTesting

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ReplayWorld {
    /// Repeats what was recorded, unless the client has done it by itself.
    func repeatEvent(_ event: RecordedEvent, at index: Int) {
        guard !kindsLeftOut.contains(event.kind), !isOfOutbox(event) else { return }
        recordedCount += 1
        if match(event) { return noteCalls(event) }
        // Times are recorded in whole microseconds, and what a timer does can follow a step that came late for this reason.
        for slack in event.isTimed ? [2, 200] : [] {
            advance(to: event.time + .microseconds(slack))
            if match(event) { return noteCalls(event) }
        }
        cause(event, at: index)
        lab.settle()
        takeEvents()
        guard !match(event) else { return noteCalls(event) }
        differences.append(
            Replay.Difference(subject: event.subject, time: event.time, event: event.label, wasRecorded: true))
    }

    private func noteCalls(_ event: RecordedEvent) {
        guard let key = event.key, ["fetching", "loadingPage"].contains(event.kind) else { return }
        keys[key]?.noteCalls(of: event.fetch)
    }

    /// Prepares for an attempt that fails without a request, because of a fault that the devtools have set.
    private func expectOutcome(of event: RecordedEvent, _ key: any ReplayedKey, at index: Int) {
        let outcome = nextEvent(of: event.subject, after: index) {
            $0.fetch == event.fetch && ["retrying", "failed", "pageFailed"].contains($0.kind)
        }
        key.retry.expect(outcome?.kind == "retrying" ? outcome?.retryDelay : nil)
    }

    /// Finds an equal event of the replay that is not matched with a recorded one yet.
    private func match(_ event: RecordedEvent) -> Bool {
        let (subject, label) = (event.subject, event.label)
        guard let index = unmatched.firstIndex(where: { $0.subject == subject && $0.label == label }) else {
            return false
        }
        unmatched.remove(at: index)
        return true
    }

    /// Causes what must have come from outside the client.
    private func cause(_ event: RecordedEvent, at index: Int) {
        guard let name = event.key else { return causeMutation(event, at: index) }
        let key = replayed(name, after: index)
        switch event.kind {
        case "fetching", "debounced", "joined", "optionsIgnored", "loadingPage":
            expectOutcome(of: event, key, at: index)
            begin(event, key)
        case "fresh", "page", "dropped":
            number += 1
            key.succeed(event.fetch, with: number, freshFor: freshness(of: name, after: index))
        case "notModified": key.notModified(event.fetch)
        case "failed", "pageFailed": fail(event, key, retryIn: nil)
        case "retrying": fail(event, key, retryIn: event.retryDelay)
        case "paused", "resumed":
            changeSurroundings(after: index)
            if lab.client.report(of: key.key)?.info.activity ?? .idle == .idle { begin(event, key) }
        case "cancelled": cancel(event, key, at: index)
        case "written": write(event, key)
        case "optimistic", "rolledBack": causeMutation(event, at: index)
        case "hydrated": hydrate(event, key, at: index)
        case "invalidated":
            let scope = scope(of: name, key, after: index)
            lab.client.invalidate(.key(key.key), refetch: scope, cause: event.cause)
        case "removed": lab.client.remove(.key(key.key), cause: event.cause)
        default: break
        }
    }

    // MARK: Fetches

    private func begin(_ event: RecordedEvent, _ key: any ReplayedKey) {
        if let direction = event.direction { return key.loadPage(direction) }
        switch event.cause.origin {
        case .observed: key.attach(isEnabled: true, quietly: false)
        case .prefetched: key.fetch(isPrefetch: true)
        case .foreground: lab.setActive(true)
        case .reconnect: lab.setOnline(true)
        case .invalidated(let cause): lab.client.invalidate(.key(key.key), refetch: .all, cause: cause ?? .requested)
        default: key.fetch(isPrefetch: false)
        }
    }

    private func fail(_ event: RecordedEvent, _ key: any ReplayedKey, retryIn delay: Duration?) {
        key.retry.expect(delay)
        key.fail(event.fetch)
    }

    private func cancel(_ event: RecordedEvent, _ key: any ReplayedKey, at index: Int) {
        guard event.cause.origin == .abandoned else {
            return lab.client.cancel(.key(key.key), cause: event.cause)
        }
        let left = nextRow(of: key.key.queryKeyValue, after: index)?.observerCount ?? 0
        while key.observerCount > left { key.detach() }
        key.cancelCallers()
    }

    private func write(_ event: RecordedEvent, _ key: any ReplayedKey) {
        number += 1
        guard event.cause != .written else { return key.set(number, age: .zero) }
        if case .newerItem = event.cause, key.takeNewerItem(event.cause) { return }
        do {
            let json = try JSONEncoder().encode(ReplayedValue(number: number))
            try lab.client.write(json: json, for: key.key, cause: event.cause)
        } catch {
            key.set(number, age: .zero)  // there is no value yet, or it is a list
        }
    }

    private func hydrate(_ event: RecordedEvent, _ key: any ReplayedKey, at index: Int) {
        number += 1
        let savedAt = nextRow(of: event.subject, after: index)?.updatedAt ?? event.t
        let age = Duration(recordedMilliseconds: event.t - savedAt)
        cache.save(
            ReplayedValue(number: number), for: key.key,
            andTimestamp: lab.environment.wallClock().addingTimeInterval(-age.inSeconds))
        // The client reads the cache when a caller or an observer needs the value.
        if let next = nextEvent(of: event.subject, after: index), next.time - event.time < .milliseconds(5),
            ["fetching", "debounced", "joined"].contains(next.kind)
        {
            begin(next, key)
        } else if let row = nextRow(of: event.subject, after: index), row.observerCount > key.observerCount {
            key.attach(isEnabled: true, quietly: false)
        } else {
            key.read()
        }
    }

    /// The entries that an invalidation refetched, judging by the events that follow.
    private func scope(of name: String, _ key: any ReplayedKey, after index: Int) -> RefetchScope {
        let next = nextEvent(of: name, after: index) {
            $0.kind == "invalidated" || $0.kind == "fetching" && $0.cause.isInvalidation
        }
        guard next?.kind == "fetching" else { return .none }
        return key.observerCount > 0 ? .active : .all
    }

    private func freshness(of name: String, after index: Int) -> Duration? {
        nextRow(of: name, after: index)?.freshForMs.map { Duration(recordedMilliseconds: $0) }
    }

    private func changeSurroundings(after index: Int) {
        for step in recording.steps[index...] {
            if case .surroundings(let surroundings) = step.step { return adopt(surroundings) }
        }
    }

    // MARK: Mutations

    private func causeMutation(_ event: RecordedEvent, at index: Int) {
        switch event.kind {
        case "cleared": _ = lab.start { [client = lab.client] in try? await client.clear() }
        case "mutated": answer(event) { server.succeed($0, with: ()) }
        case "mutationFailed", "rolledBack": answer(event) { server.fail($0, with: ReplayedError()) }
        default: startMutation(event, at: index)
        }
    }

    private func answer(_ event: RecordedEvent, _ end: (Int) -> Bool) {
        guard let number = event.mutationNumber else { return }
        if let call = server.pending.first(where: { $0.arguments == ["\(number)"] }) { _ = end(call.index) }
    }

    private func startMutation(_ event: RecordedEvent, at index: Int) {
        guard let number = event.mutationNumber, mutations[number] == nil else { return }
        var edited: [any ReplayedKey] = []
        let events = recording.mutations[number] ?? []
        for edit in events where edit.kind == "optimistic" {
            if let key = edit.key { edited.append(replayed(key, after: index)) }
        }
        let name = event.mutation ?? events.lazy.compactMap(\.mutation).first
        let (client, server, keys) = (lab.client, server, edited)
        mutations[number] = lab.start {
            let edit: @Sendable (inout OptimisticEdits) -> Void = { edits in
                for key in keys { key.edit(&edits) }
            }
            try? await client.mutate(name ?? "mutation", optimistic: edit) { _ in try await server.call(number) }
        }
    }

    // MARK: Looking ahead

    func nextRow(of name: String, after index: Int) -> RecordedRow? {
        recording.rows[name]?.first { $0.step >= index }?.row
    }

    private func nextEvent(
        of name: String, after index: Int, where isWanted: (RecordedEvent) -> Bool = { _ in true }
    ) -> RecordedEvent? {
        recording.events[name]?.first { $0.step > index && isWanted($0.event) }?.event
    }

    // MARK: Gaps

    func note(_ event: QueryEvent) {
        differences.append(
            Replay.Difference(
                subject: event.subject, time: .nanoseconds(event.time.nanoseconds), event: event.label,
                wasRecorded: false))
    }

    /// True if the event belongs to a mutation of the outbox, or was caused by one.
    private func isOfOutbox(_ event: RecordedEvent) -> Bool {
        if event.isOfOutbox { return true }
        if let number = event.mutationNumber, recording.durable.numbers.contains(number) { return true }
        let cause = event.cause.origin
        guard case .mutation(let name) = cause else {
            return event.mutation.map(recording.durable.names.contains) ?? false
        }
        return recording.durable.names.contains(name)
    }

    func noteGaps() {
        if recording.wasInterrupted { gaps.append("The page lost its connection to the program for a while.") }
        if recording.dropped > 0 { gaps.append("The page missed \(recording.dropped) events.") }
        for name in recording.durable.names.sorted() {
            gaps.append("\(name) is a mutation of the outbox, which is not repeated with what it changes.")
        }
        for name in recording.runningMutations.subtracting(recording.durable.names).sorted() {
            gaps.append("The mutation \(name) was under way when the recording began.")
        }
        let hidden = recording.initial.count { $0.isPrivate }
        if hidden > 0 { gaps.append("\(hidden) entries are hidden, and known by numbers.") }
    }
}

extension Cause {
    var isInvalidation: Bool {
        if case .invalidated = origin { true } else { false }
    }
}

// MARK: Comparing

/// The kinds of events whose cause says why they happened.
private let kindsWithCauses: Set<String> = ["fetching", "cancelled", "removed", "written"]
/// The kinds of events that do not depend on the client's behavior.
let kindsLeftOut: Set<String> = ["cacheProblem", "misuse"]

private func label(_ kind: String, _ cause: Cause, attempt: Int?) -> String {
    let kind = kind == "optionsIgnored" ? "joined" : kind
    return kind + (attempt ?? 1 > 1 ? " again" : "") + (kindsWithCauses.contains(kind) ? " (\(cause.essence))" : "")
}

extension RecordedEvent {
    var retryDelay: Duration { Duration(recordedMilliseconds: ms ?? 0) }

    var isTimed: Bool {
        switch (kind, cause) {
        case ("stale", _), ("fetching", .poll), ("fetching", .retry), ("loadingPage", .retry), ("removed", .unused):
            true
        case (_, .timeLimit): true
        default: false
        }
    }

    var subject: String { key ?? mutation.map { "mutation \($0)" } ?? "client" }
    var label: String { PigeonDevtools.label(kind, cause, attempt: attempt) }
}

extension QueryEvent {
    var subject: String { key?.queryKeyValue ?? mutation.map { "mutation \($0)" } ?? "client" }

    var label: String {
        switch kind {
        case .fetching(let attempt), .loadingPage(_, let attempt):
            PigeonDevtools.label(kind.name, Cause(chain: cause.chain), attempt: attempt)
        default: PigeonDevtools.label(kind.name, Cause(chain: cause.chain), attempt: nil)
        }
    }
}
