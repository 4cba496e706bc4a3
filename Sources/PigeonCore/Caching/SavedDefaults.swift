internal import Foundation

/// A defaults database that saves its changes to disk within a short time.
///
/// On Apple platforms, a daemon writes every change. Elsewhere, Foundation keeps changes in memory until
/// `synchronize()` is called, which writes the whole database. That takes 1 to 4 ms for a small database and 250 ms for
/// 10 MB, while setting a value takes 50 µs. Changes are therefore collected for 100 ms, and saved earlier if the
/// client is flushed or the process exits.
final class SavedDefaults: @unchecked Sendable {  // UserDefaults is documented as thread-safe; `state` is a lock
    /// The longest time for which a change waits before it is saved.
    static let delay = ClientState.writeDelay

    /// The database, for reading.
    let values: UserDefaults
    private let clock: any QueryClock
    private let state = Locked(State())

    private struct State {
        /// Number of changes that were made, and number of changes that are on disk.
        var made: UInt64 = 0
        var saved: UInt64 = 0
        var isScheduled = false
    }

    init(_ values: UserDefaults, clock: any QueryClock) {
        self.values = values
        self.clock = clock
    }

    /// True if every change is on disk, or passed to the system to be written.
    var isSaved: Bool { state.withLock { $0.saved == $0.made } }

    /// Changes the database, and schedules saving the change.
    func change(_ body: (UserDefaults) -> Void) {
        body(values)
        #if !canImport(Darwin)
            noteChange()
        #endif
    }

    /// Saves all changes now. Blocks the thread while writing to disk.
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

    /// Saves unsaved changes when the process exits. Does not run if the process is killed.
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
            _ = old  // released outside the lock
            // The database was changed again in the meantime.
            if !defaults.isSaved { add(defaults) }
        }
    }
#endif
