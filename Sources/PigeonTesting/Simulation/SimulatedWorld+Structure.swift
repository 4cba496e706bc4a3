import PigeonCore

/// Checks that the parts of the client are consistent with each other.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedWorld {
    /// Records the first rule that is currently broken.
    func check() {
        guard let process, problem == nil else { return }
        let inspection = process.client.inspect()
        waits.removeAll(where: \.isDone)
        for subject in subjects {
            subject.model.endHolding(at: server.stamp())
            guard let place = inspection.places[subject.key] else {
                checkAbsence(of: subject)
                continue
            }
            if let text = disagreement(at: subject, place) { found(.structure, text) }
            check(subject, place.entry)
        }
        checkObservers()
        if let text = lostWaiter(inspection) { found(.structure, text) }
        if let scope = disk.redundant { found(.records, "one batch marks \(scope) twice") }
        if depth == 0, let key = unreported.first {
            found(.damagedRecord, "the disk found the record of \(key) damaged, and no event says so")
        }
        if let edit = server.repeated { found(.repeatedEdit, "mutation \(edit) was made twice") }
    }

    private func disagreement(at subject: SimulatedSubject, _ place: ClientInspection.Place) -> String? {
        let (name, entry) = (subject.name, place.entry)
        if entry.activity == .idle, entry.flight != nil { return "\(name) is idle with a fetch under way" }
        if entry.activity != .idle, entry.flight == nil { return "\(name) is \(entry.activity) without a fetch" }
        if entry.waiters != UInt32(place.waiters) {
            return "\(name) counts \(entry.waiters) waiters of \(place.waiters)"
        }
        if entry.waiters > 0, entry.activity == .idle, entry.sourceWork.isIdle {
            return "\(name) is idle, and \(place.waiters) wait for it"
        }
        if entry.observers.count != place.observers { return "\(name) miscounts its observers" }
        if entry.flight?.isRunning == true, !place.isRunning { return "\(name) runs a fetch that nobody runs" }
        let overtaken = entry.overtaken
        if entry.flight == nil, !overtaken.isEmpty { return "\(name) has older fetches under way and no newest one" }
        if zip(overtaken, overtaken.dropFirst()).contains(where: { $0.generation >= $1.generation }) {
            return "\(name) has older fetches under way out of order"
        }
        if overtaken.count != place.overtakenRuns { return "\(name) has older fetches under way that nobody runs" }
        if !subject.isDeaf {
            let running = server.openCalls(of: name)
            if running > 1 + overtaken.count { return "\(name) runs \(running) fetches at once" }
            // One list still answers cancelled requests of its pages. The other one grows in one direction only.
            let loading = name == "feed" ? server.openPages(of: name) : 0
            if loading > 1 + overtaken.count { return "\(name) asks for \(loading) pages at once" }
        }
        let pages = [entry.side?.next.flight, entry.side?.previous.flight].compactMap { $0 }
        if entry.flight != nil, pages.contains(where: \.isRunning) { return "\(name) loads a page beside a refresh" }
        let interested = place.observers + place.waiters + place.pageWaiters.values.reduce(0, +)
        // A fetch that is debounced has not failed yet.
        if interested == 0, let flight = entry.flight, flight.phase == .backingOff, flight.failures > 0 {
            return "\(name) waits for a retry that nobody waits for"
        }
        guard entry.layers.isEmpty else { return nil }
        if entry.base !== entry.shown { return "\(name) shows other than its base without layers" }
        return nil
    }

    private func checkObservers() {
        for watch in watches {
            let recorder = watch.recorder
            if let text = recorder.problem { found(.delivery, text) }
            let shown = watch.shown()
            if let last = recorder.lastVersion, last != shown.version {
                found(
                    .delivery, "an observer of \(recorder.key) saw version \(last) last, and missed \(shown.version)")
            }
            if recorder.lastIsStale == false, shown.isStale {
                found(.ageing, "the value of \(recorder.key) turned stale, and its observer was not notified")
            }
            for iteration in watch.iterations {
                if let text = iteration.recorder.problem { found(.sequence, "in a sequence, \(text)") }
                if depth == 0 { iteration.recorder.endMove() }
            }
        }
    }

    /// Checks that every waiting caller has work in flight to wait for.
    private func lostWaiter(_ inspection: ClientInspection) -> String? {
        let inside = inspection.places.values.reduce(0) { sum, place in
            sum + place.waiters + place.pageWaiters.values.reduce(0, +)
        }
        var (fetching, mutating) = (0, 0)
        for wait in waits {
            switch wait.kind {
            case .fetch, .page: fetching += 1
            case .mutation: mutating += 1
            case .clear, .flush, .other: break
            }
        }
        if fetching > inside { return "\(fetching) callers wait for \(inside) outcomes: one was lost" }
        let sleeping = process?.clock.alarmCount ?? 0
        if mutating > 0, server.openEdits + inspection.pausedMutations + sleeping == 0 {
            return "\(mutating) mutations wait for nothing"
        }
        return nil
    }

    /// Checks that the observers of a key have been notified when a write within user code returns. Only a notification
    /// in progress may delay them.
    func checkHeard(_ subject: SimulatedSubject, within moment: SimulatedMoment?) {
        guard moment == .event, observerDepth == 0 else { return }
        for watch in watches where watch.recorder.key == subject.key {
            guard let last = watch.recorder.lastVersion, last != watch.shown().version else { continue }
            found(
                .deliveryDuringEvents,
                "\(subject.name) is written within a listener of events, and its observer hears nothing")
        }
    }
}
