/// A list that grows at both sides, and can still be read in each earlier state. The cost of an addition depends only
/// on the added items.
///
/// Existing items never change. An older ``ListView`` shows fewer of them.
final class GrowingList<Item: Sendable>: Sendable {
    private struct State {
        /// The items that were added at the start, in reverse order.
        var front: [Item] = []
        var back: [Item]
        /// All items in one array, as far as a caller has requested them.
        var joined = Joined()
        /// The ids of the items; empty if they have none. `nil` while a thread adds items: it takes the set out,
        /// because hashing the ids runs user code.
        var ids: Set<AnyHashable>?

        /// Returns `nil` if another thread adds items, or has added some since the view was made.
        mutating func takeIDs(toAddTo view: ListView<Item>) -> Set<AnyHashable>? {
            guard front.count == view.frontCount, back.count == view.backCount else { return nil }
            defer { ids = nil }
            return ids
        }
    }

    private struct Joined {
        var items: [Item] = []
        var frontCount = 0
        var backCount = 0
    }

    private let state: Locked<State>
    private let identify: ItemIdentity<Item>?

    init(_ items: [Item]) {
        let identify = ItemIdentity<Item>()
        self.identify = identify
        state = Locked(State(back: items, ids: Set(identify?.ids(of: items) ?? [])))
    }

    var view: ListView<Item> {
        state.withLock { ListView(list: self, frontCount: $0.front.count, backCount: $0.back.count) }
    }

    /// Adds items after or before those that a view shows.
    ///
    /// - Returns: The new list. `nil`, without adding anything, if the list has one of the items already, or if other
    ///   items were added in the meantime.
    func adding(_ items: [Item], _ direction: PageDirection, to view: ListView<Item>) -> ListView<Item>? {
        guard var ids = state.withLock({ $0.takeIDs(toAddTo: view) }) else { return nil }
        let new = Set(identify?.ids(of: items) ?? [])
        let areNew = (identify == nil || new.count == items.count) && ids.isDisjoint(with: new)
        if areNew { ids.formUnion(new) }
        return state.withLock { state in
            state.ids = ids
            guard areNew else { return nil }
            switch direction {
            case .next: state.back.append(contentsOf: items)
            case .previous: state.front.append(contentsOf: items.reversed())
            }
            return ListView(list: self, frontCount: state.front.count, backCount: state.back.count)
        }
    }

    /// Returns all items of a view, in order. Extends the joined array, in place unless a caller retains it.
    func items(of view: ListView<Item>) -> [Item] {
        state.withLock { state in
            let (frontCount, backCount) = (state.joined.frontCount, state.joined.backCount)
            guard frontCount <= view.frontCount, backCount <= view.backCount else {
                return Array(state.front[..<view.frontCount].reversed()) + state.back[..<view.backCount]
            }
            if frontCount == view.frontCount, backCount == view.backCount { return state.joined.items }
            if backCount == 0, view.frontCount == 0, view.backCount == state.back.count { return state.back }
            if backCount < view.backCount {
                state.joined.items.append(contentsOf: state.back[backCount..<view.backCount])
            }
            if frontCount < view.frontCount {
                state.joined.items.insert(contentsOf: state.front[frontCount..<view.frontCount].reversed(), at: 0)
            }
            (state.joined.frontCount, state.joined.backCount) = (view.frontCount, view.backCount)
            return state.joined.items
        }
    }
}

/// The state of a list at one point in time.
struct ListView<Item: Sendable>: LazyData {
    let list: GrowingList<Item>
    let frontCount: Int
    let backCount: Int

    var value: [Item] { list.items(of: self) }

    func isSame(as other: any LazyData<[Item]>) -> Bool {
        guard let other = other as? ListView else { return false }
        return list === other.list && frontCount == other.frontCount && backCount == other.backCount
    }

    func adding(_ page: [Item], _ direction: PageDirection) -> ListView {
        list.adding(page, direction, to: self) ?? GrowingList(value.merging(page, direction)).view
    }
}

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

    func ids(of items: [Item]) -> [AnyHashable] {
        items.map { id(of: $0) }
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
