/// The changes that a mutation shows before it is confirmed.
///
/// Each edit is a layer over the server's value. A refetch replaces only the value below the layers, a failed mutation
/// removes only its own layers, and two mutations never undo each other.
public struct OptimisticEdits: Sendable {
    struct Edit: Sendable {
        let key: QueryKey
        let type: any Sendable.Type
        let createsEntry: Bool
        /// Finds the entry, and reads its cache if it has no value. Creates the entry if `isToBeMade` is true, and then
        /// reports a mismatch of types.
        let slot: @Sendable (QueryClient, _ isToBeMade: Bool) -> Slot?
        let apply: @Sendable (Payload?) -> Payload?
    }

    var edits: [Edit] = []

    /// Edits the value in memory or in the definition's cache when the mutation starts, and each value that arrives for
    /// the key while the mutation runs. If there is no value yet, the first one from a cache or the server shows the
    /// edit.
    ///
    /// - Parameters:
    ///   - definition: The query to edit. The cache of a persisted definition is read when the mutation starts.
    ///   - edit: Changes the value. Called outside locks, and again for each new server value.
    public mutating func update<Value>(
        _ definition: QueryDefinition<Value>, _ edit: @escaping @Sendable (inout Value) -> Void
    ) {
        edits.append(
            Edit(
                key: definition.key, type: Value.self, createsEntry: false,
                slot: { client, isToBeMade in client.slot(of: definition, isToBeMade: isToBeMade) }
            ) { payload in
                guard let payload = payload as? PayloadOf<Value> else { return nil }
                var value = payload.value
                edit(&value)
                return PayloadOf(value)
            })
    }

    /// Shows a value, whether or not the key has one already.
    public mutating func set<Value>(_ value: Value, for definition: QueryDefinition<Value>) {
        edits.append(
            Edit(
                key: definition.key, type: Value.self, createsEntry: true,
                slot: { client, isToBeMade in client.slot(of: definition, isToBeMade: isToBeMade) }
            ) { _ in PayloadOf(value) })
    }
}

extension QueryClient {
    fileprivate func slot<Value>(of definition: QueryDefinition<Value>, isToBeMade: Bool) -> Slot? {
        isToBeMade ? try? withSlot(for: definition) { _, _, _, slot in slot } : cachedSlot(of: definition)
    }
}
