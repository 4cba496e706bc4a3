/// A cache of the most recently used values, in two halves. Drops the values that were not used while one half was
/// filled.
///
/// The hash of a key is computed under the lock, so a key's hash must not use the key's own store.
///
/// The lock guards nothing generic, because unspecialized code would look up the type of what it guards.
final class LRUCache<Key: Hashable & Sendable, Value: AnyObject & Sendable>:
    @unchecked Sendable  // `young` and `old` are used only under the lock
{
    private let lock = Locked(())
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private let half: Int

    init(capacity: Int) {
        half = max(1, capacity / 2)
    }

    subscript(key: Key) -> Value? {
        if let value = lock.withLock({ _ in young[key] }) { return value }
        let outdated = lock.withLock { _ -> [Key: Value] in
            guard let value = old.removeValue(forKey: key) else { return [:] }
            return insert(value, key)
        }
        _ = outdated  // released outside the lock
        return lock.withLock { _ in young[key] ?? old[key] }
    }

    /// Changes a value. The value is `nil` if there is none, and is removed if `change` sets it to `nil`.
    ///
    /// - Parameter change: Called again if another thread changes the value in the meantime.
    func update(_ key: Key, _ change: (inout Value?) -> Void) {
        while true {
            let current = self[key]
            var value = current
            change(&value)
            let outdated = lock.withLock { _ -> [Key: Value]? in
                guard (young[key] ?? old[key]) === current else { return nil }
                if let value { return insert(value, key) }
                young[key] = nil
                old[key] = nil
                return [:]
            }
            if outdated != nil { return }
        }
    }

    func removeAll() {
        let all = lock.withLock { _ in
            defer { (young, old) = ([:], [:]) }
            return (young, old)
        }
        _ = all
    }

    /// Called under the lock.
    private func insert(_ value: Value, _ key: Key) -> [Key: Value] {
        young[key] = value
        guard young.count > half else { return [:] }
        let outdated = old
        old = young
        young = [:]
        return outdated
    }
}
