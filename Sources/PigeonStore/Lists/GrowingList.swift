/// A list that grows at both sides, and is read as it was at any time before: adding costs what is added.
///
/// What is there never changes; who holds an older ``ListView`` sees less of it.
final class GrowingList<Item: Sendable>: Sendable {
    private struct State {
        /// What was added at the start, the nearest first.
        var front: [Item] = []
        var back: [Item]
        /// All as one, as far as somebody asked for it.
        var joined = Joined()
    }

    private struct Joined {
        var items: [Item] = []
        var frontCount = 0
        var backCount = 0
    }

    private let state: Locked<State>
    /// The ids of the items. Whoever adds takes them out meanwhile, since their hashes are the user's code.
    private let ids: Locked<Set<AnyHashable>?>
    private let identify: ItemIdentity<Item>?

    init(_ items: [Item]) {
        state = Locked(State(back: items))
        let identify = ItemIdentity<Item>()
        self.identify = identify
        ids = Locked(identify.map { identify in Set(items.map { identify.id(of: $0) }) })
    }

    var view: ListView<Item> {
        state.withLock { ListView(list: self, frontCount: $0.front.count, backCount: $0.back.count) }
    }

    /// Adds items after or before those that a view shows.
    ///
    /// - Returns: What is there then. `nil`, and nothing is added, when one of them is there already, or more was added
    ///   meanwhile.
    func adding(_ items: [Item], _ direction: PageDirection, to view: ListView<Item>) -> ListView<Item>? {
        guard noteIDs(of: items) else { return nil }
        return state.withLock { state in
            guard state.front.count == view.frontCount, state.back.count == view.backCount else { return nil }
            switch direction {
            case .next: state.back.append(contentsOf: items)
            case .previous: state.front.append(contentsOf: items.reversed())
            }
            return ListView(list: self, frontCount: state.front.count, backCount: state.back.count)
        }
    }

    /// - Returns: Whether all ids are new.
    private func noteIDs(of items: [Item]) -> Bool {
        guard let identify else { return true }
        let taken = ids.withLock { ids in
            defer { ids = nil }
            return ids
        }
        guard var known = taken else { return false }  // somebody else is adding
        let new = Set(items.map { identify.id(of: $0) })
        let areNew = new.count == items.count && known.isDisjoint(with: new)
        if areNew { known.formUnion(new) }
        ids.withLock { $0 = known }
        return areNew
    }

    /// All items of a view, in order. What was joined before is added to, in place unless somebody holds it.
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

/// A list as it was at one moment.
struct ListView<Item: Sendable>: LazyData {
    let list: GrowingList<Item>
    let frontCount: Int
    let backCount: Int

    var value: [Item] { list.items(of: self) }

    func isSame(as other: any LazyData<[Item]>) -> Bool {
        guard let other = other as? ListView else { return false }
        return list === other.list && frontCount == other.frontCount && backCount == other.backCount
    }

    /// The list with a page after or before it.
    func adding(_ page: [Item], _ direction: PageDirection) -> ListView {
        list.adding(page, direction, to: self) ?? GrowingList(value.merging(page, direction)).view
    }
}
