import PigeonCore
import PigeonTesting

/// Checks that entries are fetched if, and only if, their options require it.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension EngineChecks {
    /// Returns a function that compares the fetches that an action started with the expected ones.
    ///
    /// - Parameter expects: Returns true if the action must fetch an entry that was idle before. `nil` if that is
    ///   unknown.
    private func checkFetches(
        _ rule: SimulationRule, _ process: SimulatedProcess,
        expects: @escaping (SimulatedSubject, Entry) -> Bool?
    ) -> () -> Void {
        guard world.isUndisturbed else { return {} }
        let before = process.client.inspect()
        return {
            // Refetches after a return wait for the resumed mutations.
            guard before.pausedMutations + before.resumedMutations == 0 else { return }
            let after = process.client.inspect().entries
            // The full queue of an upstream ends a fetch at once.
            for subject in self.world.subjects where !subject.hasSource && subject.options.upstream == nil {
                // An automatic fetch joins a page load (A33).
                guard let entry = before.entries[subject.key]?.entry, entry.activity == .idle, !entry.isLoadingPage,
                    let expected = expects(subject, entry), let now = after[subject.key]?.entry.activity
                else { continue }
                if expected, now == .idle { self.found(rule, "\(subject.name) should be fetched, and is not") }
                if !expected, now != .idle { self.found(rule, "\(subject.name) is fetched, and should not be") }
            }
        }
    }

    func checkAttaching(_ name: String, _ isEnabled: Bool, _ process: SimulatedProcess) -> () -> Void {
        let (world, count) = (world, world.watches.count)
        return checkFetches(.attaching, process) { subject, entry in
            // The program has a limited number of observers.
            guard subject.name == name, world.watches.count > count else { return nil }
            return isEnabled && self.fetchesForNewObserver(subject, entry)
        }
    }

    func checkNetwork(_ isOn: Bool, _ process: SimulatedProcess) -> () -> Void {
        let isReturn = isOn && !process.environment.connectivity.isOn
        return checkFetches(.returning, process) { subject, entry in
            isReturn && entry.isActive && !entry.isCleared
                && self.fetches(subject.options.reconnectTrigger, subject, entry)
        }
    }

    func checkForeground(_ isActive: Bool, _ process: SimulatedProcess) -> () -> Void {
        let wasActive = process.environment.activity.isOn
        if wasActive, !isActive { leftAt = process.clock.now() }
        let isReturn = isActive && !wasActive && leftAt.duration(to: process.clock.now()) >= .seconds(5)
        return checkFetches(.returning, process) { subject, entry in
            isReturn && entry.isActive && !entry.isCleared
                && self.fetches(subject.options.refetchOnForeground, subject, entry)
        }
    }

    func checkScope(
        _ filter: SimulatedFilter, _ scope: SimulatedScope, _ process: SimulatedProcess
    ) -> () -> Void {
        checkFetches(.scope, process) { subject, entry in
            filter == .stale ? nil : self.world.matches(filter, subject) && self.refetches(scope, subject, entry)
        }
    }

    func checkFirstLoad(_ name: String, _ how: SimulatedFetch) -> () -> Void {
        guard how != .beside, world.isUndisturbed, let subject = world.named[name],
            let before = place(of: subject)?.entry, before.shown == nil, before.flight?.isRunning == true
        else { return {} }
        let call = world.server.lastAsked(name)
        return {
            guard call != self.world.server.lastAsked(name) else { return }
            self.found(.firstLoad, "\(how) of \(name) takes over its first load")
        }
    }

    /// Checks that observed and polled entries are fetched while the time passes, unless they were cleared.
    func checkPolls(_ seconds: Int, _ process: SimulatedProcess) -> () -> Void {
        guard world.isUndisturbed, process.environment.connectivity.isOn else { return {} }
        let isActive = process.environment.activity.isOn
        let places = process.client.inspect().entries
        let due = world.subjects.filter { subject in
            guard !subject.isList, isActive || subject.options.pollsInBackground,
                let interval = subject.options.pollEvery, let longestWait = subject.longestWait,
                let entry = places[subject.key]?.entry
            else { return false }
            let isPolled = entry.isActive && entry.activity == .idle && !entry.isFinal && !entry.isCleared
            return isPolled && max(interval, longestWait) < .seconds(seconds)
        }
        // Operations that still run may ask for an entry.
        let resting = world.waits.isEmpty ? world.subjects.filter { places[$0.key]?.entry.isCleared == true } : []
        let server = world.server
        let began = server.stamp()
        return {
            for subject in resting where server.lastAsked(subject.name) >= began {
                self.found(.clearing, "\(subject.name) was cleared, and is fetched by itself")
            }
            for subject in due where server.lastAsked(subject.name) < began {
                self.found(.polling, "\(subject.name) is not polled within \(seconds) s")
            }
        }
    }
}
