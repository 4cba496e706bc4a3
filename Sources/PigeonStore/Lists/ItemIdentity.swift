/// Reads the identity of items that are `Identifiable`.
struct ItemIdentity<Item: Sendable>: @unchecked Sendable {  // the closure captures only a type
    private let read: (Item) -> AnyHashable?

    /// Returns `nil` for items that are not `Identifiable`.
    init?() {
        guard let type = Item.self as? any Identifiable.Type else { return nil }
        read = Self.reading(type)
    }

    func id(of item: Item) -> AnyHashable {
        read(item) ?? AnyHashable(ObjectIdentifier(Item.self))
    }

    private static func reading<Identified: Identifiable>(_: Identified.Type) -> (Item) -> AnyHashable? {
        { ($0 as? Identified).map { AnyHashable($0.id) } }
    }
}

extension Array where Element: Sendable {
    /// Returns the list with a page after or before it. An item whose id the list already has replaces the old item in
    /// its place, because a page of a list that has grown on the server repeats some items.
    func merging(_ page: [Element], _ direction: PageDirection) -> [Element] {
        guard let identity = ItemIdentity<Element>() else { return direction == .next ? self + page : page + self }
        var merged = self
        var added: [Element] = []
        var places: [AnyHashable: Int] = [:]
        for (place, item) in enumerated() { places[identity.id(of: item)] = place }
        for item in page {
            let id = identity.id(of: item)
            if let place = places[id] {
                if place < count { merged[place] = item } else { added[place - count] = item }
            } else {
                places[id] = count + added.count
                added.append(item)
            }
        }
        return direction == .next ? merged + added : added + merged
    }
}
