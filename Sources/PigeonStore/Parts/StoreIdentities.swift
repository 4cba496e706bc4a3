/// Identifies a piece of data among all that a manager or a cacher serves.
///
/// Includes the type, because one manager may serve several kinds of data with equal keys, as in programs of version 2.
struct StoreSlot<KEY: Hashable & Sendable>: Hashable, Sendable {
    let key: KEY
    private let type: ObjectIdentifier

    init(_ key: KEY, holding type: Any.Type) {
        self.key = key
        self.type = ObjectIdentifier(type)
    }
}

/// Maps the keys of one kind of data to keys of the engine.
///
/// References identities weakly. An identity exists for as long as its store or its entry.
final class StoreIdentities<KEY: Hashable & Sendable>: Sendable {
    private typealias KeyedStore = StoreSlot<KEY>

    private struct Weak {
        weak var identity: StoreIdentity?
        let name: QueryKey
    }

    private struct WeakClient {
        weak var client: QueryClient?
    }

    private struct State {
        var identities: [KeyedStore: Weak] = [:]
        var names: Set<QueryKey> = []
        var clients: [ObjectIdentifier: WeakClient] = [:]
    }

    private let state = Locked(State())

    /// - Parameter root: The path of all data of this kind.
    func identity(
        of key: KEY, holding type: Any.Type, below root: QueryKey, in client: QueryClient
    ) -> StoreIdentity {
        let slot = KeyedStore(key, holding: type)
        let found = state.withLock { state -> StoreIdentity? in
            if state.clients[ObjectIdentifier(client)]?.client == nil {
                state.clients = state.clients.filter { $0.value.client != nil }
                state.clients[ObjectIdentifier(client)] = WeakClient(client: client)
            }
            return state.identities[slot]?.identity
        }
        return found ?? makeIdentity(of: slot, below: root)
    }

    private func makeIdentity(of slot: KeyedStore, below root: QueryKey) -> StoreIdentity {
        let plain = Self.name(of: slot.key, below: root)  // user code: outside the lock
        return state.withLock { state in
            if let identity = state.identities[slot]?.identity { return identity }
            if let old = state.identities[slot] { state.names.remove(old.name) }
            var name = plain
            var number = 1
            while !state.names.insert(name).inserted {
                number += 1
                // The name stays below the root, so that clearing the root reaches it.
                name = QueryKey(canonical: "\(plain.queryKeyValue)\(plain == root ? "/" : "")#\(number)")
            }
            let identity = StoreIdentity(key: name) { [weak self] in self?.forget(slot) }
            state.identities[slot] = Weak(identity: identity, name: name)
            return identity
        }
    }

    private func forget(_ slot: KeyedStore) {
        state.withLock { state in
            guard let entry = state.identities[slot], entry.identity == nil else { return }
            state.names.remove(entry.name)
            state.identities[slot] = nil
        }
    }

    /// Empties all stores that are in use. Answers to earlier requests are not stored afterwards.
    func clear(below root: QueryKey) {
        let clients = state.withLock { $0.clients.values.compactMap(\.client) }
        for client in clients { client.remove(.path(root)) }
    }

    private static func name(of key: KEY, below root: QueryKey) -> QueryKey {
        if key is UnitHash { return root }
        if let key = key as? any QueryKeyComponent { return root.appending(key) }
        return root.appending(String(describing: key))
    }
}

/// Names kinds of data after their types. Adds a number if several kinds have the same type.
enum StoreRoots {
    private static let counts = Locked<[String: Int]>([:])

    static func root(of type: Any.Type) -> QueryKey {
        let name = String(describing: type)
        let number = counts.withLock { counts in
            counts[name, default: 0] += 1
            return counts[name, default: 1]
        }
        return QueryKey(value: number == 1 ? name : "\(name)#\(number)")
    }
}

/// The state that all stores of one key share: the key of their entry, and the queue in which their cache is used.
final class StoreIdentity: Sendable {
    let key: QueryKey
    let queue = JobQueue()
    private let onDeinit: @Sendable () -> Void

    init(key: QueryKey, onDeinit: @escaping @Sendable () -> Void) {
        self.key = key
        self.onDeinit = onDeinit
    }

    deinit {
        onDeinit()
    }
}
