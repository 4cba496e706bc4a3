/// One place in the tree on the screen: it lives as long as the view at this place keeps its identity.
@MainActor
final class Node {
    let handle: Handle
    let key: Plan.Key
    let type: any View.Type
    let depth: Int
    unowned let engine: Engine
    private(set) weak var parent: Node?
    private(set) var children: [Node] = []
    private(set) var surroundings: Surroundings
    /// The view as it is now; nil as long as the node waits for room.
    private(set) var view: (any View)?
    /// What properties of the view keep between evaluations, by where they lie in the view.
    var slots: [Int: AnyObject] = [:]
    /// What a view of the screen's own keeps.
    var memory: AnyObject?
    /// A number that stays the same as long as the view is not made anew.
    private(set) var version = 0
    /// The environment values that the last evaluation read.
    var environmentReads: [EnvironmentRead] = []
    private(set) var isShown = false
    private var isCovered: Bool
    /// True if rows above have pushed this row below the edge of its list, where it keeps its state.
    private var isBelowEdge = false
    /// True from the view's `onAppear` until its `onDisappear`.
    private var isTold = false
    private var entry: Plan.Entry

    init(_ entry: Plan.Entry, below parent: Node?, engine: Engine, surroundings: Surroundings) {
        handle = Handle(inbox: engine.inbox)
        key = entry.key
        type = entry.type
        depth = (parent?.depth ?? -1) + 1
        isCovered = entry.isCovered
        self.entry = entry
        self.engine = engine
        self.parent = parent
        self.surroundings = surroundings
        engine.register(self)
    }

    /// True if the node has no view yet because a list has no room for it.
    var isWaiting: Bool { view == nil }

    /// True if the view is only structure, so that a list counts the views below it as rows.
    var isStructure: Bool { (view as? any Drawn)?.isStructure ?? true }

    /// The children of one role, without those that wait, those that are covered and those below the edge.
    func children(_ role: Plan.Role) -> [Node] {
        children.filter { $0.key.role == role && !$0.isWaiting && !$0.isCovered && !$0.isBelowEdge }
    }
}

// MARK: - Evaluation

extension Node {
    /// Makes the view if it waited, and brings what is below it up to date.
    func evaluate() {
        handle.begin()
        environmentReads = []
        let plan = Reader.run(for: handle) {
            let made = entry.make()
            let view = (Swift.type(of: made) as? any OptionalView.Type)?.possible(made) ?? made
            self.view = view
            return engine.plan(of: view, in: self)
        }
        reconcile(plan)
    }

    private func reconcile(_ plan: Plan) {
        let before = children
        let byKey = Dictionary(uniqueKeysWithValues: before.map { ($0.key, $0) })
        children = plan.entries.map { entry in
            if let child = byKey[entry.key], child.type == entry.type { return child }
            return Node(entry, below: self, engine: engine, surroundings: surroundings)
        }
        let kept = Set(children.map(\.handle.identifier))
        let gone = before.filter { !kept.contains($0.handle.identifier) }
        for (child, entry) in zip(children, plan.entries) {
            child.receive(entry, surroundings: below(entry))
        }
        for child in gone { child.remove() }
    }

    private func below(_ entry: Plan.Entry) -> Surroundings {
        var result = surroundings
        if !isStructure { result.isLazy = false }
        entry.adjust?(&result)
        return result
    }

    private func receive(_ entry: Plan.Entry, surroundings: Surroundings) {
        let isSame = entry.version != nil && entry.version == self.entry.version && !isWaiting
        self.entry = entry
        isCovered = entry.isCovered
        if isSame {
            refresh(surroundings)
        } else {
            version += 1
            self.surroundings = surroundings
            if !isWaiting || !isRow { evaluate() }
        }
        settleVisibility()
    }

    /// True if the node may wait until a list has room for it.
    private var isRow: Bool { surroundings.isLazy && parent?.view is any RowParent }

    /// Takes the node out of the waiting ones.
    func wake() {
        evaluate()
        settleVisibility()
    }

    /// Hands changed surroundings down; only what read them is evaluated again.
    func refresh(_ surroundings: Surroundings) {
        self.surroundings = surroundings
        guard !isWaiting else { return }
        guard !environmentReads.contains(where: { $0.isOutdated(in: surroundings.environment) }) else {
            return evaluate()
        }
        for child in children { child.refresh(below(child.entry)) }
    }
}

// MARK: - Coming and going

extension Node {
    /// Shows or hides what is at this place, according to what is around it.
    private func settleVisibility() {
        setShown((parent?.isShown ?? true) && !isCovered && !isWaiting && !isBelowEdge)
    }

    /// Takes a row off the screen, or back onto it.
    ///
    /// - Returns: False if the row is there already, or if the node is no row.
    func setBelowEdge(_ isBelowEdge: Bool) -> Bool {
        guard isRow, isBelowEdge != self.isBelowEdge else { return false }
        self.isBelowEdge = isBelowEdge
        settleVisibility()
        return true
    }

    private func setShown(_ shown: Bool) {
        guard shown != isShown else { return }
        isShown = shown
        for child in children { child.settleVisibility() }
        guard let lifecycle = view as? any Lifecycle else { return }
        engine.afterEvaluation(shown ? .appear : .disappear) { self.tell(lifecycle) }
    }

    /// Tells the view where it is, unless it has come and gone since it was told.
    private func tell(_ lifecycle: any Lifecycle) {
        guard isShown != isTold else { return }
        isTold = isShown
        if isShown { lifecycle.appeared(self) } else { lifecycle.disappeared(self) }
    }

    /// Shows the root.
    func show() {
        settleVisibility()
    }

    /// Takes over the root made anew.
    func rebuild(_ entry: Plan.Entry) {
        receive(entry, surroundings: surroundings)
    }

    /// Takes the node and all below it out of the tree and frees what they kept.
    func remove() {
        handle.end()
        setShown(false)
        for child in children { child.remove() }
        children = []
        (view as? any Lifecycle)?.removed(self)
        slots = [:]
        environmentReads = []
        engine.unregister(self)
    }
}
