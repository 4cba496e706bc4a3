/// Finds entries by path and by tag. The cost depends on the number of matches, not on the number of entries.
///
/// An invalidation of a path or a tag marks the path or the tag, and visits only the entries that are engaged: those
/// that are observed, awaited or fetched. The others learn of it when they are looked at next.
struct KeyIndex {
    /// A path that has entries below it.
    final class Node: Ranked {
        let path: String
        /// Unowned, because a parent exists while it has children. `nil` at the root.
        unowned(unsafe) let parent: Node?

        // Accesses cannot overlap under the lock.

        @exclusivity(unchecked) var position: Int32 = 0
        /// The entries one component below this path.
        @exclusivity(unchecked) var members = Ranks<Slot>()
        /// The paths one component below this one that have entries below them. Engaged are those with engaged entries.
        @exclusivity(unchecked) var children = Ranks<Node>()
        @exclusivity(unchecked) var mark: InvalidationMark?

        init(path: String, parent: Node?) {
            self.path = path
            self.parent = parent
        }

        var isEngaged: Bool { members.engagedCount > 0 || children.engagedCount > 0 }
    }

    private var nodes: [String: Node] = [:]
    private let root = Node(path: "", parent: nil)
    private var tagged: [String: [ObjectIdentifier: Slot]] = [:]
    private var tagMarks: [String: InvalidationMark] = [:]
    private var engagedCount = 0

    mutating func insert(_ slot: Slot) {
        let node = node(above: slot.key.queryKeyValue)
        slot.node = node
        node.members.insert(slot)
    }

    mutating func tag(_ slot: Slot, with tags: [String]) {
        for tag in tags { tagged[tag, default: [:]][ObjectIdentifier(slot)] = slot }
    }

    mutating func remove(_ slot: Slot) {
        for tag in slot.tags {
            tagged[tag]?[ObjectIdentifier(slot)] = nil
            guard tagged[tag]?.isEmpty == true else { continue }
            tagged[tag] = nil
            tagMarks[tag] = nil
        }
        guard let node = slot.node else { return }
        setEngaged(slot, false)
        node.members.remove(slot)
        slot.node = nil
        prune(node)
    }

    // MARK: Engaged entries

    /// Moves an entry to the engaged ones, or back.
    mutating func setEngaged(_ slot: Slot, _ isEngaged: Bool) {
        guard slot.isEngaged != isEngaged, var node = slot.node else { return }
        slot.isEngaged = isEngaged
        engagedCount += isEngaged ? 1 : -1
        let wasEngaged = node.isEngaged
        node.members.setEngaged(slot, isEngaged)
        var hasChanged = wasEngaged != node.isEngaged
        while hasChanged, let parent = node.parent {
            let wasEngaged = parent.isEngaged
            parent.children.setEngaged(node, isEngaged)
            hasChanged = wasEngaged != parent.isEngaged
            node = parent
        }
    }

    // MARK: Marks

    /// Marks a scope of several keys. Does nothing for a single key.
    ///
    /// - Returns: The engaged entries of the scope, except an entry at the path itself, which the mark does not concern.
    mutating func mark(_ scope: QueryRecordScope, _ mark: InvalidationMark) -> [Slot] {
        switch scope {
        case .key: return []
        case .all:
            root.mark = mark
            return entries(below: nil, engaged: true)
        case .path(let path):
            start(path)?.mark = mark
            return entries(below: path, engaged: true)
        case .tag(let tag):
            guard let slots = tagged[tag] else { return [] }
            tagMarks[tag] = mark
            guard slots.count > engagedCount else { return slots.values.filter(\.isEngaged) }
            return entries(below: nil, engaged: true).filter { $0.tags.contains(tag) }
        }
    }

    /// The newest mark that concerns an entry. `nil` if there is none.
    func newestMark(of slot: Slot) -> InvalidationMark? {
        var newest: InvalidationMark?
        func consider(_ mark: InvalidationMark?) {
            if let mark, mark.number > newest?.number ?? 0 { newest = mark }
        }
        var node = slot.node
        while let next = node {
            consider(next.mark)
            node = next.parent
        }
        for tag in slot.tags { consider(tagMarks[tag]) }
        return newest
    }

    // MARK: Finding entries

    /// The entries strictly below a path, or all entries if the path is `nil`. If `isEngaged` is true, only the engaged
    /// ones, without visiting the others.
    func entries(below path: QueryKey?, engaged isEngaged: Bool = false) -> [Slot] {
        var found: [Slot] = []
        guard let start = start(path) else { return found }
        var pending = [start]
        while let node = pending.popLast() {
            found += isEngaged ? node.members.engaged : node.members.all[...]
            pending += isEngaged ? node.children.engaged : node.children.all[...]
        }
        return found
    }

    /// The entries with a tag, in no order.
    func entries(tagged tag: String) -> some Sequence<Slot> { (tagged[tag] ?? [:]).values }

    // MARK: Nodes

    private func start(_ path: QueryKey?) -> Node? {
        guard let path else { return root }
        return nodes[path.queryKeyValue]
    }

    private mutating func node(above text: String) -> Node {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return root }
        return node(at: String(text[..<slash]))
    }

    private mutating func node(at path: String) -> Node {
        if let node = nodes[path] { return node }
        let parent = node(above: path)
        let node = Node(path: path, parent: parent)
        parent.children.insert(node)
        nodes[path] = node
        return node
    }

    private mutating func prune(_ node: Node) {
        var node = node
        while let parent = node.parent, node.members.isEmpty, node.children.isEmpty {
            parent.children.remove(node)
            nodes[node.path] = nil
            node = parent
        }
    }
}

/// An invalidation of several keys.
struct InvalidationMark {
    /// Marks with larger numbers came later. The first mark has number 1.
    let number: UInt64
    let cause: Cause
}

/// An object in ``Ranks``.
protocol Ranked: AnyObject {
    /// The object's position. Set by ``Ranks`` only.
    var position: Int32 { get set }
}

/// Objects in no particular order, except that the engaged ones come first, so that they are found without visiting the
/// others. All changes take constant time.
struct Ranks<Element: Ranked> {
    private(set) var all: [Element] = []
    private(set) var engagedCount = 0

    var isEmpty: Bool { all.isEmpty }
    var engaged: ArraySlice<Element> { all[..<engagedCount] }

    /// Adds an object that is not engaged.
    mutating func insert(_ element: Element) {
        element.position = Int32(truncatingIfNeeded: all.count)
        all.append(element)
    }

    /// Removes an object that is not engaged.
    mutating func remove(_ element: Element) {
        swap(Int(element.position), all.count - 1)
        all.removeLast()
    }

    /// Moves an object whose state differs.
    mutating func setEngaged(_ element: Element, _ isEngaged: Bool) {
        if !isEngaged { engagedCount -= 1 }
        swap(Int(element.position), engagedCount)
        if isEngaged { engagedCount += 1 }
    }

    private mutating func swap(_ one: Int, _ other: Int) {
        guard one != other else { return }
        all.swapAt(one, other)
        all[one].position = Int32(truncatingIfNeeded: one)
        all[other].position = Int32(truncatingIfNeeded: other)
    }
}
