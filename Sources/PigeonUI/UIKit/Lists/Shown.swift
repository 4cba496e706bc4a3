#if canImport(UIKit) && !os(watchOS)
    internal import PigeonREST

    /// What a subscriber showed last.
    @MainActor
    final class Shown<Items> {
        private var items: Items?

        nonisolated init() {}

        /// What is to be done to show other items. `nil` when nothing is.
        func changes<Item>(
            to new: [Item], by find: @escaping ([Item], [Item]) -> ListChanges
        ) -> SectionChanges? where Items == [Item] {
            defer { items = new }
            guard let items else { return .reload }
            let changes = find(items, new)
            return changes.isEmpty ? nil : SectionChanges(inner: [.init(from: 0, to: 0, changes: changes)])
        }

        /// What is to be done to show other sections. `nil` when nothing is.
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
