import PigeonCore

/// Records the snapshots that an observer, or one of its iterations, received.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class SimulatedObserver: Sendable {
    private struct State {
        var key: QueryKey
        /// The previous key, while the observer moves to another.
        var oldKey: QueryKey?
        /// `nil` until the first snapshot of the key.
        var lastVersion: UInt64?
        var lastValueVersion: UInt64 = 0
        /// True if the last snapshot was stale. `nil` if the observer is not notified of a change.
        var lastIsStale: Bool?
        var count = 0
        var problem: String?
    }

    private let state: Locked<State>

    init(key: QueryKey) {
        state = Locked(State(key: key))
    }

    var key: QueryKey? { state.withLock { $0.key } }
    var isMoving: Bool { state.withLock { $0.oldKey != nil } }
    var lastVersion: UInt64? { state.withLock { $0.lastVersion } }
    var lastIsStale: Bool? { state.withLock { $0.lastIsStale } }
    var problem: String? { state.withLock { $0.problem } }
    var count: Int { state.withLock { $0.count } }

    /// Follows another key, which has separate versions. Until ``endMove()``, the observer may still be notified of the
    /// old key.
    func move(to key: QueryKey) {
        state.withLock { state in
            state.oldKey = state.key
            state.key = key
            state.lastVersion = nil
            state.lastValueVersion = 0
            state.lastIsStale = nil
        }
    }

    /// Records that the observer was enabled or disabled, which does not change the entry.
    func noteNewTerms() { state.withLock { $0.lastIsStale = nil } }

    func endMove() { state.withLock { $0.oldKey = nil } }

    func see<Value>(_ snapshot: Snapshot<Value>) {
        state.withLock { state in
            state.count += 1
            if snapshot.key == state.oldKey { return }
            guard snapshot.key == state.key else {
                state.problem = "an observer of \(state.key) saw \(snapshot.key)"
                return
            }
            if let last = state.lastVersion, snapshot.version <= last {
                state.problem = "an observer of \(snapshot.key) saw version \(snapshot.version) after \(last)"
            }
            if snapshot.valueVersion < state.lastValueVersion {
                state.problem = "an observer of \(snapshot.key) saw an older value after a newer one"
            }
            if snapshot.isLoading, snapshot.value != nil, !snapshot.isPlaceholder {
                state.problem = "a first load shows a value"
            }
            if case .pending = snapshot.phase, snapshot.value != nil { state.problem = "a value is shown as pending" }
            if snapshot.isFetching != (snapshot.cause != nil && snapshot.activity == .fetching) {
                state.problem = "a fetch of \(snapshot.key) has no cause"
            }
            state.lastVersion = snapshot.version
            state.lastValueVersion = snapshot.valueVersion
            state.lastIsStale = snapshot.isStale
        }
    }
}
