/// The changes that a mutation shows before it is confirmed.
///
/// Each edit is a layer over the server's value. A refetch replaces only the value below the layers, a failed mutation
/// removes only its own layers, and two mutations never undo each other.
public struct OptimisticEdits: Sendable {
    struct Edit: Sendable {
        let filter: KeyFilter
        /// Finds the entries, and reads the cache of a definition's entry if it has no value.
        let slots: @Sendable (QueryClient) -> [Slot]
        let work: Patch.Work

        /// The scope of the entries that receive the edit while the mutation runs. `nil` if the conditions of the filter count
        /// when it starts.
        var scope: EditScope? {
            if let scope = filter.recordScope { return .records(scope) }
            if case .items = work, let item = filter.conditions.first?.item { return .item(item) }
            return nil
        }
    }

    package let client: QueryClient
    var edits: [Edit] = []

    init(in client: QueryClient, _ add: (inout OptimisticEdits) -> Void) {
        self.client = client
        add(&self)
    }

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
                filter: .query(definition),
                slots: { client in
                    let isKnown = client.state.withLock { $0.entries[definition.key] != nil }
                    let slot = client.cachedSlot(of: definition) ?? (isKnown ? client.makeSlot(of: definition) : nil)
                    return slot.map { [$0] } ?? []
                }, work: .values(Value.self, Self.patch(edit))))
    }

    /// Edits all values of a type that a filter selects: those in memory when the mutation starts, and each one that
    /// arrives while it runs.
    ///
    /// ```swift
    /// edits.update(.path(of: .searches), as: [User].self) { $0.rename(id, to: name) }
    /// ```
    ///
    /// - Parameters:
    ///   - filter: Selects the entries. Its conditions count when the mutation starts.
    ///   - type: The type of the values. Values of other types stay as they are.
    ///   - edit: Changes the value. Called outside locks, and again for each new server value.
    public mutating func update<Value: Sendable>(
        _ filter: KeyFilter, as type: Value.Type, _ edit: @escaping @Sendable (inout Value) -> Void
    ) {
        edits.append(
            Edit(
                filter: filter, slots: { $0.slots(matching: filter, as: type) },
                work: .values(type, Self.patch(edit))))
    }

    /// Shows a value, whether or not the key has one already.
    public mutating func set<Value>(_ value: Value, for definition: QueryDefinition<Value>) {
        edits.append(
            Edit(
                filter: .query(definition), slots: { client in client.makeSlot(of: definition).map { [$0] } ?? [] },
                work: .values(Value.self) { _ in PayloadOf(value) }))
    }

    private static func patch<Value: Sendable>(
        _ edit: @escaping @Sendable (inout Value) -> Void
    ) -> @Sendable (Payload?) -> Payload? {
        { QueryClient.edited($0, by: edit) }
    }
}

extension QueryClient {
    /// Finds or creates the slot of a definition. Reports a mismatch of types, and then returns `nil`.
    fileprivate func makeSlot<Value>(of definition: QueryDefinition<Value>) -> Slot? {
        try? withSlot(for: definition) { _, slot in slot }
    }

    /// The slots in memory that a filter selects and that hold values of a type.
    func slots(matching filter: KeyFilter, as type: any Sendable.Type) -> [Slot] {
        var found: [Slot] = []
        withMatches(filter) { _, slots in found = slots.filter { $0.valueType == ObjectIdentifier(type) } }
        return found
    }
}
