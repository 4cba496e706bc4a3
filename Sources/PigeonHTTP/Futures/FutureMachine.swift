internal import PigeonBase

/// What a future is, apart from its type and the handles its owner has: the state, and who is told of it.
///
/// It does not know the type of its value, which makes it twice as fast: generic code looks up types at each step.
///
/// Whoever works for the future retains this, so a started future runs on when its owner releases the last handle. A
/// stage retains the machine of the stage before it while it waits, and that machine retains the stage; the end of either
/// releases both.
///
/// A running machine also retains the handle it was started by, so that a weak reference to the handle can cancel the
/// future. Handles that an action must end are the exception: they belong to the action.
final class FutureMachine: Sendable {
    private let state: Locked<FutureState>

    /// - Parameters:
    ///   - needsHandle: True if only the owner of a handle can end the future.
    ///   - begin: Called once, when the future is started, with the handle that started it.
    init(needsHandle: Bool = false, begin: @escaping FutureState.Begin) {
        state = Locked(FutureState(needsHandle: needsHandle, begin: begin))
    }

    var phase: FutureState.Phase { state.withLock { $0.phase } }
    var isOpen: Bool { state.withLock { $0.isOpen } }

    func start(by handle: FutureHandle) {
        guard let begin = state.withLock({ $0.start(by: handle) }) else { return }
        begin(self, handle)
    }

    /// Ends the future from outside: what it waits for is stopped, too.
    func finish(_ outcome: FutureOutcome<AnyFutureValue>) {
        close(state.withLock { $0.end(outcome) })
    }

    /// Cancels the future, and what it waits for.
    func cancel() {
        close(state.withLock { $0.cancel() })
    }

    private func close(_ ending: FutureState.Ending?) {
        guard let ending else { return }
        ending.stop?()
        if ending.mustDeliver { deliverSoon() }
    }

    /// Ends the future from its source, which is over.
    func settle(_ outcome: FutureOutcome<AnyFutureValue>) async {
        guard let ending = state.withLock({ $0.settle(outcome) }), ending.mustDeliver else { return }
        await deliver()
    }

    /// Says how the future's source is stopped. It is at once where the future has ended.
    ///
    /// - Returns: Whether the future still wants a source.
    @discardableResult
    func onStop(_ stop: @escaping @Sendable () -> Void) -> Bool {
        let (isOpen, unused) = state.withLock { $0.setStop(stop) }
        if !isOpen { unused?() }
        return isOpen
    }

    func attach(_ handler: FutureHandler) {
        if state.withLock({ $0.attach(handler) }) { deliverSoon() }
    }

    func attach(_ waiter: FutureWaiter) {
        if state.withLock({ $0.attach(waiter) }) { deliverSoon() }
    }

    func update(_ progress: TransferProgress) {
        let report = state.withLock { $0.report(progress) }
        for watcher in report.watchers { watcher(progress) }
        if report.mustDeliver { deliverSoon() }
    }

    // MARK: Handles

    func addHandle() { state.withLock { $0.addHandle() } }

    /// Retains a handle until the future has ended, if it is running and another future ends it.
    func retain(_ handle: FutureHandle) {
        let old = state.withLock { $0.retain(handle) }
        _ = old  // released outside of the lock
    }

    func dropHandle() {
        if state.withLock({ $0.dropHandle() }) { finish(.failure(FutureError.abandoned)) }
    }

    // MARK: Delivery

    /// Calls back on this thread as far as the closures' actors allow.
    private func deliverSoon() {
        launchImmediately { await self.deliver() }
    }

    private func deliver() async {
        while let step = state.withLock({ $0.next() }) {
            switch step {
            case .call(let handlers, let event):
                for handler in handlers { await call(handler, event) }
            case .release, .releaseHandle: break
            case .resume(let waiters, let outcome):
                for waiter in waiters.dropLast() { launchImmediately { await waiter.end(outcome) } }
                await waiters.last?.end(outcome)
                return
            }
        }
    }

    private func call(_ handler: FutureHandler, _ event: FutureEvent) async {
        do {
            try await deliver(event, to: handler, on: handler.isolation)
        } catch {
            _ = state.withLock { $0.fail(error) }
        }
    }

    /// Asks on the handler's own actor whether there is still something to tell: what is cancelled there tells nothing
    /// more.
    private func deliver(
        _ event: FutureEvent, to handler: FutureHandler, on isolation: isolated (any Actor)?
    ) async throws {
        guard state.withLock({ $0.claim(event) }) else { return }
        try await handler.call(event)
    }
}
