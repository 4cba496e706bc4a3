internal import Foundation

/// A defaults database whose changes reach the disk soon after they are made.
///
/// On Apple's systems a daemon writes every change. Elsewhere Foundation keeps changes in memory until `synchronize()` is
/// called, which writes the whole database: that takes 1 to 4 ms for a small one and 250 ms for 10 MB, while setting a value
/// takes 50 µs. So changes are collected for 100 ms, and saved earlier when the client is flushed or the process exits.
final class SavedDefaults: @unchecked Sendable {  // UserDefaults is documented as thread-safe; `state` is a lock
    /// How long a change may wait before it is on disk.
    static let delay = ClientState.writeDelay

    /// The database, for reading.
    let values: UserDefaults
    private let clock: any QueryClock
    private let state = Locked(State())

    private struct State {
        /// How many changes were made, and how many of them are on disk.
        var made: UInt64 = 0
        var saved: UInt64 = 0
        var isScheduled = false
    }

    init(_ values: UserDefaults, clock: any QueryClock) {
        self.values = values
        self.clock = clock
    }

    /// Whether every change is on disk, or on its way there by the system.
    var isSaved: Bool { state.withLock { $0.saved == $0.made } }

    /// Changes the database, and sees to it that the change is saved.
    func change(_ body: (UserDefaults) -> Void) {
        body(values)
        #if !canImport(Darwin)
            noteChange()
        #endif
    }

    /// Saves all changes now. Blocks while the disk is written.
    func save() {
        let made = state.withLock { state -> UInt64? in
            state.isScheduled = false
            return state.saved < state.made ? state.made : nil
        }
        guard let made else { return }
        values.synchronize()
        state.withLock { $0.saved = max($0.saved, made) }
    }
}

#if !canImport(Darwin)
    extension SavedDefaults {
        private func noteChange() {
            let isFirst = state.withLock { state in
                state.made += 1
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            guard isFirst else { return }
            SaveAtExit.add(self)
            // The alarm retains the database, so that a cache may be released before its last change is saved.
            _ = clock.schedule(at: clock.now().advanced(by: Self.delay)) {
                // The clock's own queue must not wait for a disk.
                Task {
                    self.save()
                    SaveAtExit.remove(self)
                }
            }
        }
    }

    /// Saves what is not on disk yet when the process exits. Does not run when it is killed.
    private enum SaveAtExit {
        private static let waiting = Locked<[ObjectIdentifier: SavedDefaults]>([:])

        private static let registration: Void = {
            atexit {
                for defaults in waiting.withLock({ $0 }).values { defaults.save() }
            }
        }()

        static func add(_ defaults: SavedDefaults) {
            registration
            waiting.withLock { $0[ObjectIdentifier(defaults)] = defaults }
        }

        static func remove(_ defaults: SavedDefaults) {
            let old = waiting.withLock { $0.removeValue(forKey: ObjectIdentifier(defaults)) }
            _ = old  // freed after the lock is
            // It was changed again meanwhile.
            if !defaults.isSaved { add(defaults) }
        }
    }
#endif
