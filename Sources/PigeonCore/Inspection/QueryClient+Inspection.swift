/// Internal state of a client, for tests.
package struct ClientInspection {
    package struct EntryInspection {
        package let entry: Entry
        package let observers: Int
        package let isRunning: Bool
        package let olderRuns: Int
    }

    package let entries: [QueryKey: EntryInspection]
    package let liveAlarms: Int
    /// Number of slots in the eviction queue.
    package let evictable: Int
    package let pendingSaves: Int
    /// Number of marks and removals that are not written yet.
    package let pendingSteps: Int
    package let pausedMutations: Int
    /// Number of resumed mutations that refetches wait for.
    package let resumedMutations: Int
    package let mutationScopes: Int
}

extension QueryClient {
    package func inspect() -> ClientInspection {
        state.withLock { state in
            ClientInspection(
                entries: state.entries.slots.mapValues { slot in
                    .init(
                        entry: slot.entry,
                        observers: slot.observers.count, isRunning: slot.isRunning,
                        olderRuns: slot.olderRunCount)
                },
                liveAlarms: state.alarms.all.count { alarm in
                    alarm.slot.map { !$0.isRemoved && $0.scheduledAt == alarm.deadline } ?? true
                },
                evictable: state.budget.candidateCount,
                pendingSaves: state.records.delayed.reduce(0) { $0 + $1.pending.saves.count },
                pendingSteps: state.records.delayed.reduce(0) { $0 + $1.pending.stepCount },
                pausedMutations: state.mutations.paused.count, resumedMutations: state.mutations.resumed.count,
                mutationScopes: state.mutations.scopes.count)
        }
    }
}

extension Slot {
    /// True if the newest fetch has a run, or if a run is left without a fetch.
    fileprivate var isRunning: Bool {
        guard let flight = entry.flight else { return run != nil }
        return run(of: flight.generation) != nil
    }

    /// Number of the entry's older fetches that have a run.
    fileprivate var olderRunCount: Int {
        let runs = [run].compactMap { $0 } + (extras?.otherRuns ?? [])
        return runs.count { run in entry.olderFlights.contains { $0.generation == run.generation } }
    }
}
