/// The changes that turn one list into another, such as the items on screen into new ones.
///
/// ```swift
/// let changes = ListChanges(from: shown, to: items)
/// ```
///
/// Removals and the origins of moves are positions in the old list. Insertions, updates and the targets of moves are
/// positions in the new list. Table and collection views take these positions in one batch. Apply ``updates`` after it.
public struct ListChanges: Hashable, Sendable {
    /// A change of an item's position.
    public struct Move: Hashable, Sendable {
        /// Position in the old list.
        public var from: Int
        /// Position in the new list.
        public var to: Int

        /// Creates a move.
        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// True if the whole list must be shown again, because the old items are unknown. The other properties are then
    /// empty.
    public private(set) var isReload = false
    /// Positions of removed items in the old list, ascending.
    public var removals: [Int] = []
    /// Positions of inserted items in the new list, ascending.
    public var insertions: [Int] = []
    /// Moved items, ascending by target. There are as few as possible: the other items keep their order.
    public var moves: [Move] = []
    /// Positions in the new list of items with new content, ascending.
    public var updates: [Int] = []

    /// Shows the whole list again.
    public static let reload: ListChanges = {
        var changes = ListChanges()
        changes.isReload = true
        return changes
    }()

    /// Creates changes.
    public init(removals: [Int] = [], insertions: [Int] = [], moves: [Move] = [], updates: [Int] = []) {
        self.removals = removals
        self.insertions = insertions
        self.moves = moves
        self.updates = updates
    }

    /// True if the lists are the same.
    public var isEmpty: Bool { self == ListChanges() }
}

extension ListChanges {
    /// Finds the changes that turn one list into another.
    ///
    /// Items with the same identity are matched in their order.
    ///
    /// - Complexity: O(n log n).
    /// - Parameters:
    ///   - old: The items on screen.
    ///   - new: The new items.
    ///   - identity: Returns the identity of an item, which does not depend on its content.
    ///   - hasSameContent: Returns `true` if two items of one identity look the same.
    public init<Item, ID: Hashable>(
        from old: [Item], to new: [Item], identifiedBy identity: (Item) -> ID, hasSameContent: (Item, Item) -> Bool
    ) {
        self.init()
        var places = Dictionary(grouping: old.indices, by: { identity(old[$0]) }).mapValues { $0[...] }
        var kept: [Move] = []
        for (index, item) in new.enumerated() {
            guard let from = places[identity(item)]?.popFirst() else {
                insertions.append(index)
                continue
            }
            kept.append(Move(from: from, to: index))
            if !hasSameContent(old[from], item) { updates.append(index) }
        }
        removals = places.values.joined().sorted()
        moves = kept.withoutLongestRise()
    }

    /// Finds the changes that turn one list into another. Each item is its own identity.
    public init<Item: Hashable>(from old: [Item], to new: [Item]) {
        self.init(from: old, to: new, identifiedBy: { $0 }, hasSameContent: { _, _ in true })
    }

    /// Finds the changes that turn one list into another. Items with the same `id` are the same item.
    public init<Item: Identifiable & Equatable>(from old: [Item], to new: [Item]) {
        self.init(from: old, to: new, identifiedBy: \.id, hasSameContent: ==)
    }

    /// Finds the changes that turn one list into another. Items with the same `id` are the same item.
    public init<Item: Identifiable & Hashable>(from old: [Item], to new: [Item]) {
        self.init(from: old, to: new, identifiedBy: \.id, hasSameContent: ==)
    }

    /// Finds the insertions and removals that turn one list into another. Items that differ are different items.
    ///
    /// - Complexity: O(n·m) for lists that have little in common. Prefer items that are `Hashable` or `Identifiable`.
    public init<Item: Equatable>(from old: [Item], to new: [Item]) {
        self.init()
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removals.append(offset)
            case .insert(let offset, _, _): insertions.append(offset)
            }
        }
        removals.sort()
        insertions.sort()
    }
}

extension [ListChanges.Move] {
    /// Returns the moves without the longest subsequence whose origins ascend. The items of that subsequence keep their
    /// order without a move.
    fileprivate func withoutLongestRise() -> [ListChanges.Move] {
        var lowestEnds: [Int] = []
        var previous = [Int?](repeating: nil, count: count)
        for index in indices {
            let length = lowestEnds.firstPosition { self[$0].from > self[index].from }
            previous[index] = length == 0 ? nil : lowestEnds[length - 1]
            if length == lowestEnds.count { lowestEnds.append(index) } else { lowestEnds[length] = index }
        }
        var stays: Set<Int> = []
        var index = lowestEnds.last
        while let staying = index {
            stays.insert(staying)
            index = previous[staying]
        }
        return indices.filter { !stays.contains($0) }.map { self[$0] }
    }
}

extension [Int] {
    /// Returns the first position for which a condition holds. The condition must also hold for all later positions.
    fileprivate func firstPosition(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
