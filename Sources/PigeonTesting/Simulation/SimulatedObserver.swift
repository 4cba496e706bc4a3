package import PigeonCore

/// Records the snapshots that an observer, or one of its iterations, received.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package final class SimulatedObserver: @unchecked Sendable {  // used only by the thread that runs the simulation
    package private(set) var key: QueryKey
    /// The previous key, while the observer moves to another.
    private var oldKey: QueryKey?
    /// `nil` until the first snapshot of the key.
    package private(set) var lastVersion: UInt64?
    private var lastValueVersion: UInt64 = 0
    /// True if the last snapshot was stale. `nil` if the observer is not notified of a change.
    private(set) var lastIsStale: Bool?
    private(set) var count = 0
    private(set) var problem: String?

    init(key: QueryKey) {
        self.key = key
    }

    var isMoving: Bool { oldKey != nil }

    /// Follows another key, which has separate versions. Until ``endMove()``, the observer may still be notified of the
    /// old key.
    func move(to key: QueryKey) {
        oldKey = self.key
        self.key = key
        lastVersion = nil
        lastValueVersion = 0
        lastIsStale = nil
    }

    /// Records that the observer was enabled or disabled, which does not change the entry.
    func noteNewTerms() { lastIsStale = nil }

    func endMove() { oldKey = nil }

    func see<Value>(_ snapshot: Snapshot<Value>) {
        count += 1
        if snapshot.key == oldKey { return }
        guard snapshot.key == key else {
            problem = "an observer of \(key) saw \(snapshot.key)"
            return
        }
        if let last = lastVersion, snapshot.version <= last {
            problem = "an observer of \(snapshot.key) saw version \(snapshot.version) after \(last)"
        }
        if snapshot.valueVersion < lastValueVersion {
            problem = "an observer of \(snapshot.key) saw an older value after a newer one"
        }
        if snapshot.isLoading, snapshot.value != nil, !snapshot.isPlaceholder {
            problem = "a first load shows a value"
        }
        if case .pending = snapshot.phase, snapshot.value != nil { problem = "a value is shown as pending" }
        if snapshot.isFetching != (snapshot.cause != nil && snapshot.activity == .fetching) {
            problem = "a fetch of \(snapshot.key) has no cause"
        }
        lastVersion = snapshot.version
        lastValueVersion = snapshot.valueVersion
        lastIsStale = snapshot.isStale
    }
}
