/// What makes one list into another: what a list on screen has to do to show the new items.
///
/// ```swift
/// let changes = ListChanges(from: shown, to: items)
/// ```
///
/// Removals and the origins of moves are positions in the old list; insertions, updates and the targets of moves are
/// positions in the new one. That is what table and collection views take in one batch; ``updates`` come after it.
public struct ListChanges: Hashable, Sendable {
    /// An item that changes its place.
    public struct Move: Hashable, Sendable {
        /// Where it was, in the old list.
        public var from: Int
        /// Where it is, in the new list.
        public var to: Int

        /// Creates a move.
        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// Whether the list is to be shown from scratch: nothing is known of what it shows. All else is empty then.
    public private(set) var isReload = false
    /// Positions in the old list of what goes, ascending.
    public var removals: [Int] = []
    /// Positions in the new list of what comes, ascending.
    public var insertions: [Int] = []
    /// What goes elsewhere, ascending by target. As few as can be: the others keep their order without a move.
    public var moves: [Move] = []
    /// Positions in the new list of what is the same item with other content, ascending: to be drawn anew.
    public var updates: [Int] = []

    /// The list is to be shown from scratch.
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

    /// Whether there is nothing to do.
    public var isEmpty: Bool { self == ListChanges() }
}

extension ListChanges {
    /// Finds what makes one list into another.
    ///
    /// Items that share an identity are told apart by their order. Costs O(n log n).
    ///
    /// - Parameters:
    ///   - old: The items that are shown.
    ///   - new: The items that are to be shown.
    ///   - identity: Tells an item from the others, whatever its content.
    ///   - hasSameContent: Whether two items of one identity look the same.
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

    /// Finds what makes one list into another; items are their own identity.
    public init<Item: Hashable>(from old: [Item], to new: [Item]) {
        self.init(from: old, to: new, identifiedBy: { $0 }, hasSameContent: { _, _ in true })
    }

    /// Finds what makes one list into another; items with the same `id` are the same.
    public init<Item: Identifiable & Equatable>(from old: [Item], to new: [Item]) {
        self.init(from: old, to: new, identifiedBy: \.id, hasSameContent: ==)
    }

    /// Finds what makes one list into another; items with the same `id` are the same.
    public init<Item: Identifiable & Hashable>(from old: [Item], to new: [Item]) {
        self.init(from: old, to: new, identifiedBy: \.id, hasSameContent: ==)
    }

    /// Finds what makes one list into another: what comes and what goes. Nothing moves, and what differs is another item.
    ///
    /// Costs O(n·m) in the worst case, where lists have little in common: a Hashable or Identifiable item is better.
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
    /// What is not part of the longest run of origins that rise: those keep their order without a move.
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
    /// The first position that something holds for, where it holds for all after it.
    fileprivate func firstPosition(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
