/// A view that calls functions when it comes and goes.
struct Appearing<Content: View>: Drawn, Lifecycle {
    let content: Content
    let appear: (() -> Void)?
    let disappear: (() -> Void)?

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }

    func appeared(_ node: Node) { appear?() }

    func disappeared(_ node: Node) { disappear?() }
}

/// A view with a task that runs while the view is on the screen.
struct Working<Content: View, ID: Equatable>: Drawn, Lifecycle {
    let content: Content
    let id: ID
    let priority: TaskPriority
    let action: @concurrent @Sendable () async -> Void

    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(content)
        guard let work = node.memory as? Work, work.id != id else { return }
        node.engine.afterEvaluation(.change) { start(node) }
    }

    func appeared(_ node: Node) { start(node) }

    func disappeared(_ node: Node) { stop(node) }

    func removed(_ node: Node) { stop(node) }

    private func start(_ node: Node) {
        stop(node)
        guard node.isShown else { return }
        node.memory = Work(id: id, task: Task(priority: priority, operation: action))
    }

    private func stop(_ node: Node) {
        (node.memory as? Work)?.task.cancel()
        node.memory = nil
    }

    /// The task that runs, and for what.
    private final class Work {
        let id: ID
        let task: Task<Void, Never>

        init(id: ID, task: Task<Void, Never>) {
            self.id = id
            self.task = task
        }
    }
}

extension View {
    /// Stands for `View.onAppear(perform:)`.
    public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        Appearing(content: self, appear: action, disappear: nil)
    }

    /// Stands for `View.onDisappear(perform:)`.
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        Appearing(content: self, appear: nil, disappear: action)
    }

    /// Stands for `View.task(priority:_:)`.
    public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @concurrent @Sendable () async -> Void
    ) -> some View {
        Working(content: self, id: 0, priority: priority, action: action)
    }

    /// Stands for `View.task(id:priority:_:)`.
    public func task<T: Equatable>(
        id value: T, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @concurrent @Sendable () async -> Void
    ) -> some View {
        Working(content: self, id: value, priority: priority, action: action)
    }
}
