import PigeonCore

/// The state of a key in the client, as far as the rules of a program need it.
///
/// Unlike a snapshot, it is read without any effect on the client: no record is read, and nothing is fetched.
struct SimulatedState {
    /// The value of the server, without the edits that are shown on top of it.
    let base: Payload?
    let shown: Payload?
    /// The value that a flush writes to the disk.
    let stored: Payload?
    /// Time at which the value was last known to be right.
    let confirmedAt: MonotonicInstant
    let isInvalidated: Bool
    let hasFailed: Bool
    let isFetching: Bool
    /// True if the value is being fetched, or read from its source of truth.
    let isLoading: Bool
    /// True if the value may already include a confirmed edit. The edit is then not written with the value, because it
    /// could be applied twice.
    let isAmbiguous: Bool

    fileprivate init(_ entry: Entry) {
        base = entry.base
        shown = entry.shown
        stored = entry.confirmedValue
        confirmedAt = entry.writtenAt
        isInvalidated = entry.isInvalidated
        hasFailed = entry.failure != nil
        isFetching = entry.isBusy
        isLoading = entry.isBusy || !entry.sourceWork.isIdle
        isAmbiguous = entry.hasAmbiguousLayer
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedProcess {
    var states: [QueryKey: SimulatedState] { client.inspect().entries.mapValues { SimulatedState($0.entry) } }

    var isCallingFetchers: Bool { client.inspect().entries.values.contains { $0.entry.flight?.isRunning == true } }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedWorld {
    /// Returns what the client holds of a key. `nil` if the key is not in memory.
    func state(of subject: SimulatedSubject) -> SimulatedState? {
        process?.client.inspect().entries[subject.key].map { SimulatedState($0.entry) }
    }
}
