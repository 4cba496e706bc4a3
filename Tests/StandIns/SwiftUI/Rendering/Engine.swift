/// Keeps the tree of one screen up to date.
@MainActor
final class Engine {
    /// What happens after an evaluation, in this order.
    enum Moment: CaseIterable {
        case appear, change, disappear
    }

    let inbox = Inbox()
    /// How many rows of a list there is room for.
    var room: Int
    private(set) var root: Node?
    private(set) var environment = EnvironmentValues()
    private var nodes: [ObjectIdentifier: Node] = [:]
    private var actions: [Moment: [@MainActor () -> Void]] = [:]
    private var evaluations: [ObjectIdentifier: Int] = [:]
    private var isSettling = false

    init(room: Int) {
        self.room = room
    }

    func register(_ node: Node) { nodes[node.handle.identifier] = node }

    func unregister(_ node: Node) { nodes[node.handle.identifier] = nil }

    /// Runs `action` when the evaluation under way is done.
    func afterEvaluation(_ moment: Moment, _ action: @escaping @MainActor () -> Void) {
        actions[moment, default: []].append(action)
    }

    /// How often the body of views of a type was evaluated.
    func evaluations(of type: any View.Type) -> Int { evaluations[ObjectIdentifier(type), default: 0] }
}

// MARK: - Evaluation

extension Engine {
    /// Puts a view at the root: the first, or the one made anew.
    func show(_ view: any View) {
        var plan = Plan()
        plan.add(view)
        guard let entry = plan.entries.first else { return }
        Update.run {
            if let root, root.type == entry.type { return root.rebuild(entry) }
            root?.remove()
            var surroundings = Surroundings()
            surroundings.environment = environment
            let root = Node(entry, below: nil, engine: self, surroundings: surroundings)
            self.root = root
            root.evaluate()
            root.show()
        }
        settle()
    }

    /// Changes the environment of the whole tree.
    func setEnvironment(_ change: (inout EnvironmentValues) -> Void) {
        change(&environment)
        guard let root else { return }
        var surroundings = root.surroundings
        surroundings.environment = environment
        Update.run { root.refresh(surroundings) }
        settle()
    }

    /// Takes everything off the screen.
    func close() {
        Update.run {
            root?.remove()
            root = nil
        }
        settle()
    }

    /// Evaluates until nothing is left to do.
    func settle() {
        guard !isSettling else { return }
        isSettling = true
        defer { isSettling = false }
        for _ in 0..<10_000 {
            if Update.run({ evaluateNext() || fillRows() }) || act() { continue }
            return
        }
        fatalError("The views change without end: a body or an action changes what it depends on")
    }

    /// Evaluates what was marked, from the root down: a parent may take a marked child away.
    private func evaluateNext() -> Bool {
        let marked = inbox.empty().compactMap { nodes[$0.identifier] }
        for node in marked.sorted(by: { $0.depth < $1.depth }) where node.handle.isDirty { node.evaluate() }
        return !marked.isEmpty
    }

    private func act() -> Bool {
        for moment in Moment.allCases {
            let due = actions[moment, default: []]
            guard !due.isEmpty else { continue }
            actions[moment] = nil
            for action in due { action() }
            return true
        }
        return false
    }

    /// The views below `view`, after its properties were brought up to date.
    func plan(of view: any View, in node: Node) -> Plan {
        var plan = Plan()
        if let drawn = view as? any Drawn {
            drawn.plan(&plan, in: node)
        } else {
            plan.add(body(of: view, in: node))
        }
        return plan
    }

    private func body<Content: View>(of view: Content, in node: Node) -> any View {
        evaluations[ObjectIdentifier(Content.self), default: 0] += 1
        var installed = view
        Installation(node: node).install(&installed)
        return installed.body
    }
}

// MARK: - Rows

extension Engine {
    /// Wakes rows that there is room for, and takes those off the screen for which there is none any more.
    private func fillRows() -> Bool {
        guard let root else { return false }
        return fillRows(in: root)
    }

    private func fillRows(in node: Node) -> Bool {
        guard !node.isWaiting else { return false }
        var changed = false
        if node.view is any RowContainer {
            var left = room
            for child in node.children where child.key.role == .content { fill(child, left: &left, changed: &changed) }
        }
        for child in node.children where fillRows(in: child) { changed = true }
        return changed
    }

    private func fill(_ node: Node, left: inout Int, changed: inout Bool) {
        if node.isWaiting {
            guard left > 0 else { return }
            node.wake()
            changed = true
        } else if node.setBelowEdge(left <= 0) {
            changed = true
        }
        guard node.isStructure else {
            left -= 1
            return
        }
        for child in node.children where child.key.role == .content { fill(child, left: &left, changed: &changed) }
    }
}
