/// What makes one list of sections into another.
///
/// Sections that stay do so one by one: what happens to one does not make the others be shown anew.
public struct SectionChanges: Hashable, Sendable {
    /// What happens to the items of a section that stays.
    public struct Inner: Hashable, Sendable {
        /// Where the section was, among the old ones.
        public var from: Int
        /// Where the section is, among the new ones.
        public var to: Int
        /// What happens to its items.
        public var changes: ListChanges

        /// Creates an inner change.
        public init(from: Int, to: Int, changes: ListChanges) {
            self.from = from
            self.to = to
            self.changes = changes
        }
    }

    /// Whether all is to be shown from scratch: nothing is known of what is shown. All else is empty then.
    public private(set) var isReload = false
    /// Positions among the old sections of those that go, ascending. One that changes its place goes, and comes again.
    public var removals: [Int] = []
    /// Positions among the new sections of those that come, ascending.
    public var insertions: [Int] = []
    /// Positions among the new sections of those with another header or footer, ascending: shown anew as a whole.
    public var reloads: [Int] = []
    /// What happens to the items of the other sections, where anything does; ascending.
    public var inner: [Inner] = []

    /// All is to be shown from scratch.
    public static let reload: SectionChanges = {
        var changes = SectionChanges()
        changes.isReload = true
        return changes
    }()

    /// Creates changes.
    public init(removals: [Int] = [], insertions: [Int] = [], reloads: [Int] = [], inner: [Inner] = []) {
        self.removals = removals
        self.insertions = insertions
        self.reloads = reloads
        self.inner = inner
    }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { self == SectionChanges() }

    /// Finds what makes one list of sections into another.
    ///
    /// - Parameters:
    ///   - old: The sections that are shown.
    ///   - new: The sections that are to be shown.
    ///   - changes: Finds what makes the items of one section into those of another.
    public init<ID, Item>(
        from old: [ListSection<ID, Item>], to new: [ListSection<ID, Item>],
        items changes: ([Item], [Item]) -> ListChanges
    ) {
        self.init()
        let outer = ListChanges(from: old.map(\.id), to: new.map(\.id))
        removals = (outer.removals + outer.moves.map(\.from)).sorted()
        insertions = (outer.insertions + outer.moves.map(\.to)).sorted()
        let stays = zip(old.indices.without(removals), new.indices.without(insertions))
        for (from, to) in stays {
            guard old[from].header == new[to].header, old[from].footer == new[to].footer else {
                reloads.append(to)
                continue
            }
            let changes = changes(old[from].items, new[to].items)
            if !changes.isEmpty { inner.append(Inner(from: from, to: to, changes: changes)) }
        }
    }
}

extension Range<Int> {
    fileprivate func without(_ others: [Int]) -> [Int] {
        let others = Set(others)
        return filter { !others.contains($0) }
    }
}
