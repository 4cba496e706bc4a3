/// Keeps the values that were used last, in two halves: what was not used while one half filled goes.
///
/// The hash of a key is computed under its lock: keys must not use the store they are a key of.
final class Shelf<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var young: [Key: Value] = [:]
        var old: [Key: Value] = [:]
    }

    private let state = Locked(State())
    private let half: Int

    /// - Parameter capacity: How many values are kept at the most.
    init(capacity: Int) {
        half = max(1, capacity / 2)
    }

    subscript(key: Key) -> Value? {
        let (value, outdated) = state.withLock { state -> (Value?, [Key: Value]) in
            if let value = state.young[key] { return (value, [:]) }
            guard let value = state.old.removeValue(forKey: key) else { return (nil, [:]) }
            return (value, insert(value, key, &state))
        }
        _ = outdated  // freed after the lock is
        return value
    }

    /// Changes a value, or makes one of `empty`. One that is `nil` after is forgotten.
    func update(_ key: Key, _ change: (inout Value?) -> Void) {
        var value = self[key]
        let old = value
        change(&value)
        let outdated = state.withLock { state -> [Key: Value] in
            guard let value else {
                state.young[key] = nil
                return [:]
            }
            return insert(value, key, &state)
        }
        _ = (outdated, old)
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
