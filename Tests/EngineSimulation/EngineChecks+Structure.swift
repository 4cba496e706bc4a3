import PigeonCore
import PigeonTesting

/// Checks that the parts of the client are consistent with each other.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension EngineChecks {
    func checkStructure(of subject: SimulatedSubject, _ place: ClientInspection.EntryInspection) {
        if let text = disagreement(at: subject, place) { found(.structure, text) }
    }

    private func disagreement(at subject: SimulatedSubject, _ place: ClientInspection.EntryInspection) -> String? {
        let (name, entry) = (subject.name, place.entry)
        if entry.activity == .idle, entry.flight != nil { return "\(name) is idle with a fetch under way" }
        if entry.activity != .idle, entry.flight == nil { return "\(name) is \(entry.activity) without a fetch" }
        if entry.isAwaited, entry.activity == .idle, entry.sourceWork.isIdle {
            return "\(name) is idle, and \(entry.callers.count) wait for it"
        }
        if entry.observers.count != place.observers { return "\(name) miscounts its observers" }
        if entry.flight?.isRunning == true, !place.isRunning { return "\(name) runs a fetch that nobody runs" }
        let olderFlights = entry.olderFlights
        if entry.flight == nil, !olderFlights.isEmpty { return "\(name) has older fetches under way and no newest one" }
        if zip(olderFlights, olderFlights.dropFirst()).contains(where: { $0.generation >= $1.generation }) {
            return "\(name) has older fetches under way out of order"
        }
        if olderFlights.count != place.olderRuns { return "\(name) has older fetches under way that nobody runs" }
        if !subject.isDeaf {
            let running = world.server.openCalls(of: name)
            if running > 1 + olderFlights.count { return "\(name) runs \(running) fetches at once" }
            // One list still answers cancelled requests of its pages. The other one grows in one direction only.
            let loading = name == "feed" ? world.server.openPages(of: name) : 0
            if loading > 1 + olderFlights.count { return "\(name) asks for \(loading) pages at once" }
        }
        let pages = [entry.side?.next.flight, entry.side?.previous.flight].compactMap { $0 }
        if entry.flight != nil, pages.contains(where: \.isRunning) { return "\(name) loads a page beside a refresh" }
        let interested = place.observers + entry.callers.count
        // A fetch that is debounced has not failed yet.
        if interested == 0, let flight = entry.flight, flight.phase == .backingOff, flight.failures > 0 {
            return "\(name) waits for a retry that nobody waits for"
        }
        guard entry.layers.isEmpty else { return nil }
        if entry.base !== entry.shown { return "\(name) shows other than its base without layers" }
        return nil
    }

    /// Checks that every waiting caller has work in flight to wait for.
    func checkWaiters(_ inspection: ClientInspection) {
        let inside = inspection.entries.values.reduce(0) { $0 + $1.entry.callers.count }
        var (fetching, mutating) = (0, 0)
        for wait in world.waits {
            switch wait.kind {
            case .fetch, .page: fetching += 1
            case .mutation: mutating += 1
            case .clear, .flush, .other: break
            }
        }
        if fetching > inside {
            return found(.structure, "\(fetching) callers wait for \(inside) outcomes: one was lost")
        }
        let sleeping = world.process?.clock.alarmCount ?? 0
        if mutating > 0, world.server.openEdits + inspection.pausedMutations + sleeping == 0 {
            found(.structure, "\(mutating) mutations wait for nothing")
        }
    }

    func checkAge(_ subject: SimulatedSubject, _ entry: Entry) {
        let answers = UInt64(entry.valueCount &+ entry.answerCount)
        let age = EngineModel.Age(writtenAt: entry.writtenAt, counts: (entry.valueVersion, answers))
        if age.isYounger(than: self[subject.name].age) {
            found(.age, "\(subject.name) became younger, and nothing landed")
        }
        self[subject.name].age = age
        guard subject.isList else { return }
        let held = UInt64(self[subject.name].heldBefore)
        let listAge = EngineModel.Age(writtenAt: entry.writtenAt, counts: (UInt64(entry.answerCount), held))
        if listAge.isYounger(than: self[subject.name].listAge) {
            found(.age, "\(subject.name) became younger by a page")
        }
        self[subject.name].listAge = listAge
    }

    /// Checks that no page of before a refresh or a write came into a list.
    func checkPages(_ subject: SimulatedSubject, _ base: Payload) {
        let model = self[subject.name]
        guard subject.isKnown, base !== model.list, let pages = subject.see(base)?.pages else { return }
        let calls = Set(pages.map(\.call))
        self[subject.name].list = base
        self[subject.name].calls = calls
        guard !model.calls.isEmpty else { return }
        let new = calls.subtracting(model.calls)
        guard let newest = calls.subtracting(new).max(), let oldest = new.min() else { return }
        let refresh = model.refreshes.last { $0 < newest } ?? 0
        if oldest < refresh {
            found(.latePage, "call \(oldest), asked before a refresh, came into \(subject.name) after it")
        }
        if oldest < subject.model.lastWrite {
            found(.latePage, "call \(oldest), asked before a write, came into \(subject.name) after it")
        }
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedServer {
    fileprivate func openCalls(of name: String) -> Int {
        countAwaited { if case .whole = $0.request { $0.name == name } else { false } }
    }

    fileprivate func openPages(of name: String) -> Int {
        countAwaited { if case .page = $0.request { $0.name == name } else { false } }
    }

    fileprivate var openEdits: Int { countAwaited { if case .edit = $0.request { true } else { false } } }

    private func countAwaited(_ isMeant: (Call) -> Bool) -> Int {
        open.count { !$0.isCopy && $0.isAwaited && isMeant($0) }
    }
}
