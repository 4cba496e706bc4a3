/// The changes that a mutation shows before it is confirmed.
///
/// Each is a layer over the server's value: a refetch replaces only what is under it, a failed mutation takes off its own
/// layers, and two mutations never undo each other.
public struct OptimisticEdits: Sendable {
    struct Edit: Sendable {
        let key: QueryKey
        let type: ObjectIdentifier
        let createsEntry: Bool
        let make: @Sendable (QueryClient) throws -> Slot?
        let apply: @Sendable (Payload?) -> Payload?
    }

    var edits: [Edit] = []

    /// Edits a value of an entry that is there when the mutation starts: the value it has then, and each that is fetched
    /// while the mutation runs.
    ///
    /// - Parameters:
    ///   - definition: Names what to edit.
    ///   - edit: Called outside locks, again for each new server value.
    public mutating func update<Value>(
        _ definition: QueryDefinition<Value>, _ edit: @escaping @Sendable (inout Value) -> Void
    ) {
        edits.append(
            Edit(
                key: definition.key, type: ObjectIdentifier(Value.self), createsEntry: false,
                make: { client in try client.withSlot(for: definition) { _, _, _, slot in slot } }
            ) { payload in
                guard let payload = payload as? PayloadOf<Value> else { return nil }
                var value = payload.value
                edit(&value)
                return PayloadOf(value)
            })
    }

    /// Shows a value, whether or not one is there.
    public mutating func set<Value>(_ value: Value, for definition: QueryDefinition<Value>) {
        edits.append(
            Edit(
                key: definition.key, type: ObjectIdentifier(Value.self), createsEntry: true,
                make: { client in try client.withSlot(for: definition) { _, _, _, slot in slot } }
            ) { _ in PayloadOf(value) })
    }
}
