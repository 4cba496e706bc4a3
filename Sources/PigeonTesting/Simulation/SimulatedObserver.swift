import PigeonCore

/// An observer that remembers what it saw.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class SimulatedObserver: Sendable {
    private struct State {
        var lastVersion: UInt64 = 0
        var lastCall = -1
        var lastValueVersion: UInt64 = 0
        var count = 0
        var problem: String?
    }

    let key: QueryKey
    private let state = Locked(State())

    init(key: QueryKey) {
        self.key = key
    }

    var lastVersion: UInt64 { state.withLock { $0.lastVersion } }
    var problem: String? { state.withLock { $0.problem } }
    var count: Int { state.withLock { $0.count } }

    /// Takes a snapshot that was read when attaching: what is delivered must be newer.
    func begin(at version: UInt64) {
        state.withLock { $0.lastVersion = max($0.lastVersion, version) }
    }

    func see<Value>(_ snapshot: Snapshot<Value>) {
        state.withLock { state in
            state.count += 1
            if snapshot.version <= state.lastVersion {
                state.problem =
                    "an observer of \(snapshot.key) saw version \(snapshot.version) after \(state.lastVersion)"
            }
            if snapshot.valueVersion < state.lastValueVersion {
                state.problem = "an observer of \(snapshot.key) saw an older value after a newer one"
            }
            if snapshot.isLoading, snapshot.value != nil { state.problem = "a first load shows a value" }
            if case .pending = snapshot.phase, snapshot.value != nil { state.problem = "a value is shown as pending" }
            if snapshot.isFetching != (snapshot.cause != nil && snapshot.activity == .fetching) {
                state.problem = "a fetch of \(snapshot.key) has no cause"
            }
            state.lastVersion = snapshot.version
            state.lastValueVersion = snapshot.valueVersion
        }
    }
}
