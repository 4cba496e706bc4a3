import PigeonCore

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedWorld {
    /// The first rule that does not hold now.
    func violation() -> String? {
        guard let lab else { return nil }
        let inspection = lab.client.inspect()
        waits.removeAll { $0.isDone() }
        for (number, mutation) in mutating where mutation.isDone() {
            mutating[number] = nil
            pendingEdits[mutation.key]?.remove(number)
        }
        for (key, place) in inspection.places {
            if let found = violation(at: key, place) { return found }
        }
        for watch in watches {
            if let problem = watch.observer.problem { return problem }
            let (newest, last) = (watch.version(), watch.observer.lastVersion)
            if watch.observer.count > 0, last != newest {
                return "an observer of \(watch.observer.key) saw version \(last) last, and missed \(newest)"
            }
        }
        return lostWaiter(inspection)
    }

    func violation(at key: QueryKey, _ place: ClientInspection.Place) -> String? {
        let entry = place.entry
        let running = server.open.filter { $0.key == key && $0.epoch == epoch && !$0.isPage }
        if entry.activity == .idle, entry.flight != nil { return "\(key) is idle with a fetch under way" }
        if entry.activity != .idle, entry.flight == nil { return "\(key) is \(entry.activity) without a fetch" }
        if entry.waiters != UInt32(place.waiters) {
            return "\(key) counts \(entry.waiters) waiters of \(place.waiters)"
        }
        if entry.waiters > 0, entry.activity == .idle { return "\(key) is idle, and \(place.waiters) wait for it" }
        if entry.observers.count != place.observers { return "\(key) miscounts its observers" }
        if entry.flight?.isRunning == true, !place.isRunning { return "\(key) runs a fetch that nobody runs" }
        let overtaken = entry.overtaken
        if entry.flight == nil, !overtaken.isEmpty { return "\(key) has older fetches under way and no newest one" }
        if zip(overtaken, overtaken.dropFirst()).contains(where: { $0.generation >= $1.generation }) {
            return "\(key) has older fetches under way out of order"
        }
        if overtaken.count != place.overtakenRuns { return "\(key) has older fetches under way that nobody runs" }
        if !deafKeys.contains(key), running.count > 1 + overtaken.count {
            return "\(key) runs \(running.count) fetches at once"
        }
        if (entry.base == nil) != (entry.shown == nil), entry.layers.isEmpty { return "\(key) shows without a value" }
        if entry.layers.isEmpty, entry.base !== entry.shown { return "\(key) shows other than its base without layers" }
        return key == "list" ? listViolation(entry) : valueViolation(key, entry)
    }

    func valueViolation(_ key: QueryKey, _ entry: Entry) -> String? {
        guard let base = (entry.base as? PayloadOf<SimulatedValue>)?.value else {
            newest[key] = nil
            return nil
        }
        if server.epoch(of: base.call) != epoch { return "\(key) holds call \(base.call), asked before the last clear" }
        if let last = newest[key], base.call < last {
            return "\(key) went back from call \(last) to call \(base.call)"
        }
        if !written.contains(base.call) { newest[key] = base.call }
        guard let shown = (entry.shown as? PayloadOf<SimulatedValue>)?.value else { return nil }
        let hidden = (pendingEdits[key] ?? []).subtracting(shown.edits)
        if !hidden.isEmpty { return "\(key) does not show the pending edits \(hidden.sorted())" }
        if Set(shown.edits).count != shown.edits.count { return "\(key) shows an edit twice: \(shown.edits)" }
        return nil
    }

    /// Pages follow each other, and one asked before a refresh never comes into the list that the refresh brought.
    func listViolation(_ entry: Entry) -> String? {
        guard let list = (entry.base as? PayloadOf<List>)?.value else {
            listCalls = []
            return nil
        }
        let ids = list.ids
        if zip(ids, ids.dropFirst()).contains(where: { $0 + 1 != $1 }) { return "the list has a hole: \(ids)" }
        let calls = list.flatMap { $0.map(\.call) }
        let kept = calls.filter { listCalls.contains($0) }
        let newest = kept.map { server.refreshes(before: $0) }.max() ?? 0
        defer { listCalls = calls }
        let late = calls.first { !listCalls.contains($0) && server.refreshes(before: $0) < newest }
        return late.map { "call \($0), asked before a refresh, came into the list after it" }
    }

    /// Whoever waits must have something to wait for.
    func lostWaiter(_ inspection: ClientInspection) -> String? {
        let waitingInside = inspection.places.values.reduce(0) { sum, place in
            sum + place.waiters + place.pageWaiters.values.reduce(0, +)
        }
        let mutating = waits.count { $0.description.hasPrefix("mutation") }
        let fetching = waits.count - mutating - waits.count { $0.description == "clear" }
        if fetching > waitingInside { return "\(fetching) wait for \(waitingInside) outcomes: a waiter was lost" }
        let reachable = mutationServer.open.count + inspection.pausedMutations
        if mutating > 0, reachable == 0 { return "\(mutating) mutations wait for nothing" }
        return nil
    }

    // MARK: The end

    /// Drops all observers, ends all calls, and lets time pass: nothing may be left.
    func dropEverything() -> String? {
        guard let lab else { return nil }
        for watch in watches { seen += watch.observer.count }
        watches = []
        lab.setOnline(true)
        lab.setActive(true)
        for round in 0..<200 where !(server.open.isEmpty && mutationServer.open.isEmpty && waits.isEmpty && round > 0) {
            for call in server.open {
                server.take(call.number)?.continuation.resume(returning: SimulatedValue(call: call.number))
            }
            for call in mutationServer.open {
                mutationServer.take(call.number)?.continuation.resume(throwing: SimulatedError())
            }
            lab.settle()
            lab.advance(by: .seconds(31))
            if let found = violation() { return found }
        }
        guard waits.isEmpty else { return "never answered: \(waits.map(\.description))" }
        lab.advance(by: .seconds(600))
        let inspection = lab.client.inspect()
        guard inspection.places.isEmpty else { return "left over: \(inspection.places)" }
        guard inspection.liveAlarms == 0 else { return "\(inspection.liveAlarms) alarms are left" }
        guard inspection.mutationScopes == 0, inspection.pausedMutations == 0 else { return "mutations are left" }
        return nil
    }

    /// Lets the client go: it must be freed.
    func releaseClient() -> String? {
        released = lab?.client
        lab = nil
        return released == nil ? nil : "the client is not freed"
    }
}
