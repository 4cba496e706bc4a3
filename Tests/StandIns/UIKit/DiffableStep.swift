/// What a diffable data source did to its view at a time, for tests.
package struct DiffableStep: Equatable, Sendable {
    /// How many items went.
    package var removed = 0
    /// How many items came.
    package var inserted = 0
    /// How many items were drawn anew in their cells.
    package var reconfigured = 0
    /// How many items were given new cells.
    package var reloaded = 0
    /// True if that was animated.
    package var isAnimated = false

    /// Says what is expected.
    package init(removed: Int = 0, inserted: Int = 0, reconfigured: Int = 0, reloaded: Int = 0, isAnimated: Bool) {
        self.removed = removed
        self.inserted = inserted
        self.reconfigured = reconfigured
        self.reloaded = reloaded
        self.isAnimated = isAnimated
    }

    init<Section, Item>(
        from old: NSDiffableDataSourceSnapshot<Section, Item>, to new: NSDiffableDataSourceSnapshot<Section, Item>,
        isAnimated: Bool
    ) {
        let (before, after) = (Set(old.itemIdentifiers), Set(new.itemIdentifiers))
        removed = before.subtracting(after).count
        inserted = after.subtracting(before).count
        reconfigured = new.reconfiguredItemIdentifiers.count
        reloaded = new.reloaded.intersection(before).count
        self.isAnimated = isAnimated
    }
}

extension CellStore {
    /// Moves the cells of what stays to where it is now, and says which are to be drawn anew.
    func move<Section, Item>(
        from old: NSDiffableDataSourceSnapshot<Section, Item>, to new: NSDiffableDataSourceSnapshot<Section, Item>
    ) -> (kept: [IndexPath: Cell], reconfigured: [(IndexPath, Item)]) {
        let places = new.places
        var kept: [IndexPath: Cell] = [:]
        for (place, cell) in cells {
            guard let item = old.item(at: place), !new.reloaded.contains(item), let now = places[item] else { continue }
            kept[now] = cell
        }
        let reconfigured = new.reconfiguredItemIdentifiers.compactMap { item in
            places[item].flatMap { kept[$0] == nil ? nil : ($0, item) }
        }
        return (kept, reconfigured)
    }
}
