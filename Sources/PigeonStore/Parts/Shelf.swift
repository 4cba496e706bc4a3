/// A cache of the most recently used values, in two halves. Drops the values that were not used while one half was
/// filled.
///
/// The hash of a key is computed under the lock, so a key's hash must not use the key's own store.
final class Shelf<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    private struct State {
        var young: [Key: Value] = [:]
        var old: [Key: Value] = [:]
    }

    private let state = Locked(State())
    private let half: Int

    /// - Parameter capacity: The maximum number of values.
    init(capacity: Int) {
        half = max(1, capacity / 2)
    }

    subscript(key: Key) -> Value? {
        if let value = state.withLock({ $0.young[key] }) { return value }
        let outdated = state.withLock { state -> [Key: Value] in
            guard let value = state.old.removeValue(forKey: key) else { return [:] }
            return insert(value, key, &state)
        }
        _ = outdated  // released outside the lock
        return state.withLock { $0.young[key] ?? $0.old[key] }
    }

    /// Changes a value. The value is `nil` if there is none, and is removed if `change` sets it to `nil`.
    ///
    /// - Parameter change: Called again if another thread changes the value in the meantime.
    func update(_ key: Key, _ change: (inout Value?) -> Void) {
        while true {
            let old = self[key]
            var value = old
            change(&value)
            let outdated = state.withLock { state -> [Key: Value]? in
                guard (state.young[key] ?? state.old[key]) === old else { return nil }
                if let value { return insert(value, key, &state) }
                state.young[key] = nil
                state.old[key] = nil
                return [:]
            }
            if outdated != nil { return }
        }
    }

    func removeAll() {
        let old = state.withLock { state in
            defer { state = State() }
            return state
        }
        _ = old
    }

    private func insert(_ value: Value, _ key: Key, _ state: inout State) -> [Key: Value] {
        state.young[key] = value
        guard state.young.count > half else { return [:] }
        let outdated = state.old
        state.old = state.young
        state.young = [:]
        return outdated
    }
}
