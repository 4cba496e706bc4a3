/// The items that the values of a definition contain. Other values may contain them too.
///
/// An item is told apart by its type and its identifier. It has no place of its own: it lives in the values that contain
/// it, which stay what the server sent.
package final class Containment: Sendable {
    let parts: [any ContainedPart]

    init(_ parts: [any ContainedPart]) {
        self.parts = parts
    }

    /// The items in a value. Calls code of the program.
    func keys(in value: Payload) -> Set<ItemKey> {
        var keys: Set<ItemKey> = []
        for part in parts { part.forEachID(in: value) { keys.insert(ItemKey(type: part.itemType, id: $0)) } }
        return keys
    }

    /// The value with an item edited, wherever it stands in it. `nil` if the value does not contain it. Calls code of the
    /// program.
    func edited<Item>(_ value: Payload, _ key: ItemKey, by edit: (inout Item) -> Void) -> Payload? {
        var edited: Payload?
        for part in parts {
            guard let part = part as? ItemsOf<Item> else { continue }
            if let new = part.edit(edited ?? value, key.id, edit) { edited = new }
        }
        return edited
    }
}

/// One kind of item in the values of a definition.
protocol ContainedPart: Sendable {
    var itemType: ObjectIdentifier { get }
    /// Tells a part that is said twice. `nil` for one that a function visits.
    var path: AnyKeyPath? { get }
    /// Calls code of the program.
    func forEachID(in value: Payload, _ body: (String) -> Void)
}

/// The items of a type in the values of a definition.
struct ItemsOf<Item>: ContainedPart {
    /// Visits the items of a value.
    typealias Read<Value> = @Sendable (Value, (Item) -> Void) -> Void
    /// Edits the items of a value that match.
    typealias Edit<Value> = @Sendable (inout Value, _ matches: (Item) -> Bool, _ edit: (inout Item) -> Void) -> Void

    private let place: (any AnyKeyPath & Sendable)?
    private let ids: @Sendable (Payload, (String) -> Void) -> Void
    let edit: @Sendable (Payload, _ id: String, (inout Item) -> Void) -> Payload?

    init<Value: Sendable, ID: QueryKeyComponent>(
        at place: (any AnyKeyPath & Sendable)? = nil, id: @escaping @Sendable (Item) -> ID,
        read: @escaping Read<Value>, edit: @escaping Edit<Value>
    ) {
        self.place = place
        ids = { payload, body in
            guard let payload = payload as? PayloadOf<Value> else { return }
            read(payload.value) { body(id($0).queryKeyComponent) }
        }
        self.edit = { payload, text, change in
            guard let payload = payload as? PayloadOf<Value> else { return nil }
            // A value that does not contain the item is not copied.
            var isThere = false
            read(payload.value) { if !isThere, id($0).queryKeyComponent == text { isThere = true } }
            guard isThere else { return nil }
            var value = payload.value
            edit(&value, { id($0).queryKeyComponent == text }, change)
            return PayloadOf(value)
        }
    }

    var itemType: ObjectIdentifier { ObjectIdentifier(Item.self) }
    var path: AnyKeyPath? { place }

    func forEachID(in value: Payload, _ body: (String) -> Void) { ids(value, body) }
}

/// Identifies an item: by its type, and the text of its identifier as a component of a key. So no code of the program is
/// called to compare or to hash it under a lock.
package struct ItemKey: Hashable, Sendable {
    let type: ObjectIdentifier
    let id: String
}
