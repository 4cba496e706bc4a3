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
