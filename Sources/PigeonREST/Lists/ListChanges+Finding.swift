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
