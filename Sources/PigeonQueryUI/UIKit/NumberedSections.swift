#if canImport(UIKit) && !os(watchOS)
    internal import PigeonBase
    internal import UIKit

    /// The sections of a table or a collection, with a number for each section and each item.
    ///
    /// Diffable data sources identify items by their values, and end the program if two are equal. Here, numbers
    /// identify items: an item keeps its number when its position or content changes, and equal items have different
    /// numbers.
    struct NumberedSections<Item> {
        typealias ListSnapshot = NSDiffableDataSourceSnapshot<Int, Int>

        struct Section {
            var number: Int
            var header: String?
            var footer: String?
            var rows: [Int] = []
        }

        private(set) var sections: [Section] = []
        private var items: [Int: Item] = [:]
        private var last = 0

        func item(_ number: Int) -> Item? { items[number] }

        func section(at index: Int) -> Section? { sections.indices.contains(index) ? sections[index] : nil }

        func item(at place: IndexPath) -> Item? {
            guard let rows = section(at: place.section)?.rows, rows.indices.contains(place.item) else { return nil }
            return items[rows[place.item]]
        }

        /// - Returns: The snapshot for the data source. It configures items with new content again.
        mutating func show<ID>(_ new: [ListSection<ID, Item>], after changes: SectionChanges) -> ListSnapshot {
            let old = changes.isReload ? [] : sections
            let numbers = carry(
                old.map(\.number), to: new.count, without: changes.removals, with: changes.insertions)
            let before = Dictionary(uniqueKeysWithValues: old.map { ($0.number, $0.rows) })
            let inner = Dictionary(changes.inner.map { ($0.to, $0.changes) }) { $1 }
            let anew = Set(changes.insertions + changes.reloads)
            sections = new.enumerated().map { index, section in
                let rows = anew.contains(index) || changes.isReload ? nil : before[numbers[index]]
                return Section(
                    number: numbers[index], header: section.header, footer: section.footer,
                    rows: carry(rows ?? [], to: section.items.count, inner[index] ?? ListChanges()))
            }
            items = [:]
            for (section, shown) in zip(new, sections) {
                for (item, number) in zip(section.items, shown.rows) { items[number] = item }
            }
            return snapshot(after: changes)
        }

        private func snapshot(after changes: SectionChanges) -> ListSnapshot {
            var snapshot = ListSnapshot()
            snapshot.appendSections(sections.map(\.number))
            for section in sections { snapshot.appendItems(section.rows, toSection: section.number) }
            for inner in changes.inner where sections.indices.contains(inner.to) {
                let rows = sections[inner.to].rows
                snapshot.reconfigureItems(inner.changes.updates.filter(rows.indices.contains).map { rows[$0] })
            }
            snapshot.reloadSections(changes.reloads.filter(sections.indices.contains).map { sections[$0].number })
            return snapshot
        }

        private mutating func carry(_ old: [Int], to count: Int, _ changes: ListChanges) -> [Int] {
            carry(old, to: count, without: changes.removals, with: changes.insertions, moves: changes.moves)
        }

        /// Returns the numbers after a change. Items that stay keep their numbers, in order, and inserted items get new
        /// ones. No number is used twice, even if the changes are wrong.
        private mutating func carry(
            _ old: [Int], to count: Int, without removals: [Int], with insertions: [Int],
            moves: [ListChanges.Move] = []
        ) -> [Int] {
            var new = [Int?](repeating: nil, count: count)
            var left = old.map(Optional.some)
            for move in moves where left.indices.contains(move.from) && new.indices.contains(move.to) {
                new[move.to] = left[move.from]
                left[move.from] = nil
            }
            for index in removals where left.indices.contains(index) { left[index] = nil }
            var staying = left.lazy.compactMap { $0 }.makeIterator()
            let coming = Set(insertions + moves.map(\.to))
            return new.indices.map { index in
                if let number = new[index] { return number }
                if !coming.contains(index), let number = staying.next() { return number }
                last += 1
                return last
            }
        }
    }

    extension UIView {
        /// Retains an object until the view is released or retains another one. A list view does not retain its data
        /// source, and cannot show further rows after the data source is released.
        func keep(_ object: AnyObject) {
            objc_setAssociatedObject(self, &keptKey, object, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        }
    }

    nonisolated(unsafe) private var keptKey: UInt8 = 0  // only its address is used

    extension SectionChanges {
        /// True if the changes may be animated: if the view is on screen, has shown sections before, and the user does not
        /// prefer less motion.
        @MainActor
        func mayMove(in view: UIView?) -> Bool {
            !isReload && view?.window != nil && !UIAccessibility.isReduceMotionEnabled
        }
    }
#endif
