/// Finds entries by path and by tag. The cost depends on the number of matches, not on the number of entries.
struct KeyIndex {
    /// A path that has entries below it.
    final class Node {
        let path: String
        weak var parent: Node?
        /// The entries one component below this path.
        var members: [Slot] = []
        /// The paths one component below this one that have entries below them.
        var children: [ObjectIdentifier: Node] = [:]

        init(path: String, parent: Node?) {
            self.path = path
            self.parent = parent
        }
    }

    private var nodes: [String: Node] = [:]
    private let root = Node(path: "", parent: nil)
    private var tagged: [String: [ObjectIdentifier: Slot]] = [:]

    mutating func insert(_ slot: Slot) {
        let node = node(above: slot.key.queryKeyValue)
        slot.node = node
        slot.position = Int32(truncatingIfNeeded: node.members.count)
        node.members.append(slot)
    }

    mutating func tag(_ slot: Slot, with tags: [String]) {
        for tag in tags { tagged[tag, default: [:]][ObjectIdentifier(slot)] = slot }
    }

    mutating func remove(_ slot: Slot) {
        for tag in slot.tags {
            tagged[tag]?[ObjectIdentifier(slot)] = nil
            if tagged[tag]?.isEmpty == true { tagged[tag] = nil }
        }
        guard let node = slot.node else { return }
        let position = Int(slot.position)
        let last = node.members.removeLast()
        if last !== slot {
            node.members[position] = last
            last.position = slot.position
        }
        slot.node = nil
        prune(node)
    }

    /// Appends all entries strictly below a path, or every entry if the path is `nil`.
    func append(below path: QueryKey?, to found: inout [Slot]) {
        guard let start = path == nil ? root : nodes[path?.queryKeyValue ?? ""] else { return }
        var pending = [start]
        while let node = pending.popLast() {
            found.append(contentsOf: node.members)
            pending.append(contentsOf: node.children.values.sorted { $0.path < $1.path })
        }
    }

    func forEach(tagged tag: String, _ body: (Slot) -> Void) {
        guard let slots = tagged[tag] else { return }
        for slot in slots.values { body(slot) }
    }

    private mutating func node(above text: String) -> Node {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return root }
        return node(at: String(text[..<slash]))
    }

    private mutating func node(at path: String) -> Node {
        if let node = nodes[path] { return node }
        let parent = node(above: path)
        let node = Node(path: path, parent: parent)
        parent.children[ObjectIdentifier(node)] = node
        nodes[path] = node
        return node
    }

    private mutating func prune(_ node: Node) {
        var node = node
        while node !== root, node.members.isEmpty, node.children.isEmpty {
            nodes[node.path] = nil
            guard let parent = node.parent else { return }
            parent.children[ObjectIdentifier(node)] = nil
            node = parent
        }
    }
}
