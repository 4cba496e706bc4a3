internal import PigeonBase
internal import PigeonHTTP

/// Runs a future apart from its type and its owner's handles: holds the state, and notifies handlers and followers.
///
/// It does not know the type of the value. This makes it three times as fast, since generic code looks up types at each
/// step.
///
/// The sources of a future retain the machine, so a started future continues when its owner releases the last handle.
/// A future that waits for another one retains its machine, and not its handle: a future with an action must notice
/// when the action has released the handle.
final class FutureMachine: FutureSource {
    private let state: Locked<FutureState>

    init(begin: @escaping FutureState.Begin) {
        state = Locked(FutureState(begin: begin))
    }

    var phase: FutureState.Phase { state.withLock { $0.phase } }
    var isOpen: Bool { state.withLock { $0.isOpen } }
    var progress: TransferProgress { state.withLock { $0.progress } }

    // MARK: Start and end

    func start(by handle: FutureHandle) {
        guard let begin = state.withLock({ $0.start(by: handle) }) else { return }
        begin(self, handle)
        state.withLock { $0.didBegin() }
    }

    /// Ends the future from outside, and cancels its sources.
    func finish(_ outcome: FutureState.Outcome) {
        close(state.withLock { $0.end(outcome) })
    }

    func cancel() {
        close(state.withLock { $0.cancel() })
    }

    /// Called when the handle has been released. Ends the future if only the owner of the handle could.
    func abandon() {
        close(state.withLock { $0.abandon() })
    }

    private func close(_ ending: FutureState.Ending?) {
        guard let ending else { return }
        for source in ending.sources { source.cancel() }
        deliverSoon()
    }

    /// Ends the future from a source, which has ended.
    func settle(_ outcome: FutureState.Outcome) async {
        guard state.withLock({ $0.end(outcome) }) != nil else { return }
        await deliver(from: firstStep())
    }

    // MARK: Sources

    /// Retains the handle until the future has ended.
    func retain(_ handle: FutureHandle) {
        state.withLock { $0.retain(handle) }
    }

    /// Starts a task, which ends the future or lets it wait for another one. The end of the future cancels the task.
    func run(_ work: @escaping @Sendable () async -> Void) {
        let task = TaskHandle()
        if state.withLock({ $0.add(task) }) { task.launch(launchImmediately, work) }
    }

    /// Calls `end` when another future has ended, which the caller starts afterwards. The end of this future cancels
    /// that one.
    ///
    /// - Parameter report: Receives the progress of the other future. By default, it is this future's progress.
    func wait(
        for source: FutureMachine, report: TransferReport? = nil,
        _ end: @escaping @Sendable (FutureState.Outcome) async -> Void
    ) {
        guard state.withLock({ $0.add(source) }) else { return source.cancel() }
        source.attach(FutureFollower(end: end, report: report ?? update))
    }

    /// Starts another future by its handle, and ends as it does.
    func follow(_ source: FutureMachine, of handle: FutureHandle) {
        wait(for: source) { await self.settle($0) }
        source.start(by: handle)
    }

    /// Starts the future by its handle, and waits for its end. Cancelling the caller's task cancels the future.
    func value(of handle: FutureHandle) async throws -> AnyFutureValue {
        if case .ended(let outcome) = phase { return try outcome.get() }
        let end = SharedOneShot<AnyFutureValue>()
        attach(FutureFollower { end.resolve($0) })
        if Task.isCancelled { cancel() }
        start(by: handle)
        return try await end.value(onCancel: .calls(cancel))
    }

    // MARK: Closures of the owner

    /// Calls a closure of the future's owner on its actor, unless the future has ended.
    func call<Output: Sendable>(
        on isolation: isolated (any Actor)?, _ body: @Sendable () async throws -> Output
    ) async throws -> Output {
        guard isOpen else { throw CancellationError() }
        return try await body()
    }

    /// Calls the action of the future's owner, on this thread as far as its actor allows. A thrown error ends the
    /// future.
    func act(on isolation: (any Actor)?, _ action: @escaping @Sendable () async throws -> Void) {
        launchImmediately {
            do {
                try await self.call(on: isolation, action)
            } catch {
                self.finish(.failed(error))
            }
        }
    }

    // MARK: Delivery

    func attach(_ closure: FutureHandler.Closure, on isolation: (any Actor)? = nil) {
        state.withLock { $0.attach(FutureHandler(isolation: isolation, closure: closure)) }
        deliverSoon()
    }

    func attach(_ follower: FutureFollower) {
        state.withLock { $0.attach(follower) }
        deliverSoon()
    }

    func update(_ progress: TransferProgress) {
        let reports = state.withLock { $0.report(progress) }
        for report in reports { report(progress) }
        deliverSoon()
    }

    /// Notifies handlers on this thread as far as the actors of their closures allow.
    private func deliverSoon() {
        guard let step = firstStep() else { return }
        launchImmediately { await self.deliver(from: step) }
    }

    private func deliver(from first: FutureState.Step?) async {
        var step = first
        while case .call(let calls) = step {
            for call in calls { await perform(call, on: call.isolation) }
            step = nextStep()
        }
        guard case .end(let outcome, let followers) = step else { return }
        for follower in followers.dropLast() { launchImmediately { await follower.end(outcome) } }
        await followers.last?.end(outcome)
    }

    private func firstStep() -> FutureState.Step? {
        var released = FutureState.Retained()
        return state.withLock { $0.begin(releasing: &released) }
    }

    private func nextStep() -> FutureState.Step? {
        var released = FutureState.Retained()
        return state.withLock { $0.next(releasing: &released) }
    }

    /// Checks on the handler's own actor whether the call is still valid. After a cancellation there, no handler is
    /// called.
    private func perform(_ call: FutureCall, on isolation: isolated (any Actor)?) async {
        guard state.withLock({ $0.claim(call.event) }) else { return }
        do {
            try await call.body()
        } catch {
            _ = state.withLock { $0.fail(error) }
        }
    }
}

extension TaskHandle: FutureSource {}
