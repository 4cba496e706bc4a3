#if canImport(UIKit) && !os(watchOS)
    internal import PigeonREST

    /// The items that a subscriber showed last.
    @MainActor
    final class Shown<Items> {
        private var items: Items?

        nonisolated init() {}

        /// Returns the changes to show other items. `nil` if there are none.
        func changes<Item>(
            to new: [Item], by find: @escaping ([Item], [Item]) -> ListChanges
        ) -> SectionChanges? where Items == [Item] {
            defer { items = new }
            guard let items else { return .reload }
            let changes = find(items, new)
            return changes.isEmpty ? nil : SectionChanges(inner: [.init(from: 0, to: 0, changes: changes)])
        }

        /// Returns the changes to show other sections. `nil` if there are none.
        func changes<ID, Item>(
            to new: [ListSection<ID, Item>], by find: @escaping ([Item], [Item]) -> ListChanges
        ) -> SectionChanges? where Items == [ListSection<ID, Item>] {
            defer { items = new }
            guard let items else { return .reload }
            let changes = SectionChanges(from: items, to: new, items: find)
            return changes.isEmpty ? nil : changes
        }
    }
#endif
