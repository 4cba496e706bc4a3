extension PageLoader {
    /// Reloads one page, and those beside it for as long as items have moved between them, or the next page has another
    /// identifier (A103). The others stay as they are.
    ///
    /// An item has moved if it stands on a page that was not reloaded, too, and if it has left an end of its page and stands
    /// nowhere else: then it may be on the page beside it.
    func refreshOne(_ wanted: PageID, _ run: FetchRun) async throws -> FetchOutcome {
        guard let stored = (run.previous as? PayloadOf<List>)?.value,
            let first = stored.indices.first(where: { areEqual(stored.loaded(at: $0).id, wanted) })
        else { return .unneeded }
        var work = PartialRefresh(stored, items: run.pageItems)
        work.pending = [first]
        while let position = work.pending.min() {
            work.pending.remove(position)
            guard let asked = work.identifier(at: position) else { continue }
            try Task.checkCancellation()
            let old = work.list.loaded(at: position)
            var loaded = try await request(asked, replacing: areEqual(old.id, asked) ? old : nil, run)
            // A page that is equal leaves the list as it is (A3).
            if areEqual(old.id, asked), areEqual(old.page, loaded.page) { loaded = old }
            work.replace(
                at: position, by: loaded, next: next(loaded.page, asked),
                previous: position == 0 ? previous(loaded.page, asked) : nil)
        }
        run.resetAnswer()
        return work.isUnchanged ? .unneeded : .page(Replacement(old: stored, new: work.list))
    }

    /// A list of which some pages are reloaded.
    private struct PartialRefresh {
        private(set) var list: List
        private let stored: List
        /// The positions of the pages that are still to be loaded.
        var pending: Set<Int> = []
        /// The identifiers of the pages after those that were loaded.
        private var following: [Int: PageID?] = [:]
        private var loadCounts: [Int: Int] = [:]
        /// The items of each page, in order. Empty if they are unknown.
        private var items: [[ItemKey]]
        private let itemsOf: (Payload, Int) -> [ItemKey]

        init(_ list: List, items: @escaping (Payload, Int) -> [ItemKey]) {
            (self.list, stored, itemsOf) = (list, list, items)
            let payload = PayloadOf(list)
            self.items = list.indices.map { items(payload, $0) }
        }

        var isUnchanged: Bool { PageLoader.isUnchanged(list, from: stored) }

        /// The identifier by which a page is loaded now. `nil` if it is not loaded any more: because it is gone, or because the
        /// server keeps changing the list.
        func identifier(at position: Int) -> PageID? {
            guard position < list.count, loadCounts[position, default: 0] < 3 else { return nil }
            return following[position - 1] ?? list.loaded(at: position).id
        }

        mutating func replace(at position: Int, by loaded: List.Loaded, next: PageID?, previous: PageID?) {
            let old = list.loaded(at: position)
            list.replace(at: position, by: loaded)
            loadCounts[position, default: 0] += 1
            following[position] = .some(next)
            if position == 0 { list.previousID = previous }
            if next == nil { removePages(after: position) }
            if position == list.count - 1 {
                list.nextID = next
            } else if !areEqual(next, list.loaded(at: position + 1).id) {
                pending.insert(position + 1)
            }
            if old.stamp != loaded.stamp { follow(position) }
        }

        private mutating func removePages(after position: Int) {
            guard position < list.count - 1 else { return }
            list.removePages(after: position)
            items.removeSubrange((position + 1)...)
            pending = pending.filter { $0 <= position }
        }

        /// Marks the pages to which the items of a page have moved, or from which they have come.
        private mutating func follow(_ position: Int) {
            let before = items[position]
            items[position] = itemsOf(PayloadOf(list), position)
            let now = Set(items[position])
            let came = now.subtracting(before)
            var others: Set<ItemKey> = []
            for other in list.indices where other != position {
                others.formUnion(items[other])
                if loadCounts[other] == nil, !came.isDisjoint(with: items[other]) { pending.insert(other) }
            }
            // What an empty page had is unknown.
            func isGone(_ item: ItemKey?) -> Bool {
                item.map { !now.contains($0) && !others.contains($0) } ?? !now.isEmpty
            }
            if isGone(before.first), position > 0, loadCounts[position - 1] == nil { pending.insert(position - 1) }
            if isGone(before.last), position < list.count - 1, loadCounts[position + 1] == nil {
                pending.insert(position + 1)
            }
        }
    }

    /// Reloaded pages, in place of those from before.
    private final class Replacement: LoadedPage {
        private let old: List
        private let new: List

        init(old: List, new: List) {
            (self.old, self.new) = (old, new)
        }

        func added(to pages: Payload) -> Payload? {
            guard var list = (pages as? PayloadOf<List>)?.value, list.count == old.count else { return nil }
            for position in new.indices {
                let (before, page) = (old.loaded(at: position), new.loaded(at: position))
                guard before.stamp != page.stamp else { continue }
                // If somebody has changed the page, it is loaded again. A source of truth makes a page of its own of each load.
                let now = list.loaded(at: position)
                guard now.stamp == before.stamp || areEqual(now.id, before.id) && areEqual(now.page, before.page) else {
                    return nil
                }
                list.replace(at: position, by: page)
            }
            if new.count < list.count { list.removePages(after: new.count - 1) }
            (list.nextID, list.previousID) = (new.nextID, new.previousID)
            return PayloadOf(list)
        }
    }
}

/// The request for one page of a list, which a fetch of the whole list carries.
final class OnePage: FetchRequest {
    let id: any Sendable
    /// How often the page was changed while it was on its way.
    let changes: Int

    init(_ id: any Sendable, changes: Int = 0) {
        (self.id, self.changes) = (id, changes)
    }

    /// The request after another change. `nil` if there were too many: the whole list is fetched then.
    var again: OnePage? { changes < 2 ? OnePage(id, changes: changes + 1) : nil }

    func fetchEnded(_ end: FetchEnd) {}
}

extension FetchRun {
    /// The page that is to be reloaded. `nil` if all are.
    var onePage: OnePage? { isPartial ? request as? OnePage : nil }

    /// Reads the items of a page of a list, in order: the elements of the lists that the definition names. Calls code of the
    /// program.
    fileprivate var pageItems: (Payload, Int) -> [ItemKey] {
        let containment = client.client?.state.withLock { _ in slot.extras?.contents?.containment }
        return { list, position in containment?.listed(in: list, page: position) ?? [] }
    }
}
