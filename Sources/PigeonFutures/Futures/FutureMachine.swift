internal import PigeonBase
internal import PigeonHTTP

/// Runs a future apart from its type and its owner's handles: holds the state and notifies handlers and waiters.
///
/// It does not know the type of the value. This makes it twice as fast, since generic code looks up types at each step.
///
/// The future's source retains the machine, so a started future continues when its owner releases the last handle. A
/// stage retains the machine of the stage before it while it waits, and that machine retains the stage. The end of
/// either releases both.
///
/// A running machine also retains the handle that started it, so that a weak reference to the handle can cancel the
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

    /// Ends the future from outside, and stops its source.
    func finish(_ outcome: FutureOutcome<AnyFutureValue>) {
        close(state.withLock { $0.end(outcome) })
    }

    func cancel() {
        close(state.withLock { $0.cancel() })
    }

    private func close(_ ending: FutureState.Ending?) {
        guard let ending else { return }
        ending.stop?()
        if ending.mustDeliver { deliverSoon() }
    }

    /// Ends the future from its source, which has ended.
    func settle(_ outcome: FutureOutcome<AnyFutureValue>) async {
        guard let ending = state.withLock({ $0.settle(outcome) }), ending.mustDeliver else { return }
        await deliver()
    }

    /// Sets how to stop the future's source. If the future has already ended, the source is stopped at once.
    ///
    /// - Returns: True if the future still wants a source.
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
        _ = old  // released outside the lock
    }

    func dropHandle() {
        if state.withLock({ $0.dropHandle() }) { finish(.failure(FutureError.abandoned)) }
    }

    // MARK: Delivery

    /// Notifies handlers on this thread as far as the actors of their closures allow.
    private func deliverSoon() {
        launchImmediately { await self.deliver() }
    }

    private func deliver() async {
        while let step = state.withLock({ $0.next() }) {
            switch step {
            case .call(let handlers, let event):
                for handler in handlers { await call(handler, event) }
            case .release: break
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

    /// Checks on the handler's own actor whether the event is still valid. After a cancellation there, no handler is
    /// called.
    private func deliver(
        _ event: FutureEvent, to handler: FutureHandler, on isolation: isolated (any Actor)?
    ) async throws {
        guard state.withLock({ $0.claim(event) }) else { return }
        try await handler.call(event)
    }
}

/// Gives a ``FutureMachine`` the type of its value. All values go in and out through it.
struct FutureCore<T: Sendable>: Sendable {
    let machine: FutureMachine

    init(_ machine: FutureMachine) {
        self.machine = machine
    }

    /// - Parameter begin: Called once, at the start of the future.
    init(begin: @escaping @Sendable (FutureCore<T>) -> Void) {
        machine = FutureMachine { machine, _ in begin(FutureCore(machine)) }
    }

    /// Creates the core of a future that the owner of a handle has to end.
    ///
    /// - Parameter begin: Called once, when the future is started, with the handle that started it.
    init(endedByHandle begin: @escaping @Sendable (FutureCore<T>, FutureHandle) -> Void) {
        machine = FutureMachine(needsHandle: true) { machine, handle in begin(FutureCore(machine), handle) }
    }

    func finish(_ outcome: FutureOutcome<T>) {
        machine.finish(outcome.map { FutureValue($0) as AnyFutureValue })
    }

    func settle(_ outcome: FutureOutcome<T>) async {
        await machine.settle(outcome.map { FutureValue($0) as AnyFutureValue })
    }

    /// Calls a closure when the future has ended and its handlers have been called.
    func whenEnded(
        _ end: @escaping @Sendable (FutureOutcome<T>) async -> Void, progress: TransferReport? = nil
    ) {
        machine.attach(FutureWaiter(end: { await end($0.map(FutureValue<T>.open)) }, progress: progress))
    }
}

extension FutureCore {
    /// Runs the code that creates the future's source, on this thread as far as its actor allows. A thrown error ends
    /// the future.
    func begin(_ work: @escaping @Sendable () async throws -> Void) {
        launchImmediately {
            do {
                try await work()
            } catch {
                finish(FutureOutcome(error))
            }
        }
    }
}

extension FutureCore {
    /// Starts another future by its handle and calls `end` when it has ended. Cancelling this future cancels the other
    /// one, and the progress of the other one is this future's progress.
    func wait<U>(
        for source: FutureCore<U>, of handle: FutureHandle,
        _ end: @escaping @Sendable (FutureOutcome<U>, FutureCore<T>) async -> Void
    ) {
        guard machine.onStop(source.machine.cancel) else { return }
        source.whenEnded({ await end($0, self) }, progress: machine.update)
        source.machine.start(by: handle)
    }

    /// Starts another future and ends as it does.
    func follow(_ source: FutureCore<T>, of handle: FutureHandle) {
        wait(for: source, of: handle) { outcome, core in await core.settle(outcome) }
    }

    /// Follows the future that a closure returned. `nil` cancels.
    func follow(_ source: ResponseFuture<T>?) async {
        guard let source else { return await settle(.cancelled) }
        follow(source.core, of: source)
    }

    /// Calls a closure of the future's owner on its actor, unless the future has ended.
    func run<Output: Sendable>(
        on isolation: isolated (any Actor)?, _ body: @Sendable () async throws -> Output
    ) async throws -> Output {
        guard machine.isOpen else { throw CancellationError() }
        return try await body()
    }

    /// Returns a future that continues with this one's value. Its error is this one's error, or the error thrown by
    /// `next`.
    ///
    /// - Parameter handle: This future's handle, which the stage retains until it is started.
    func stage<U>(
        of handle: FutureHandle, _ next: @escaping @Sendable (T, FutureCore<U>) async throws -> Void
    ) -> ResponseFuture<U> {
        outcomeStage(of: handle) { outcome, stage in
            do {
                try await next(try outcome.get(), stage)
            } catch {
                await stage.settle(FutureOutcome(error))
            }
        }
    }

    /// Like ``stage(of:_:)``, but `next` receives failures and cancellations too.
    func outcomeStage<U>(
        of handle: FutureHandle, _ next: @escaping @Sendable (FutureOutcome<T>, FutureCore<U>) async -> Void
    ) -> ResponseFuture<U> {
        ResponseFuture<U>(FutureCore<U> { stage in stage.wait(for: self, of: handle, next) })
    }

    /// Starts the future by its handle, and waits for its end. Cancelling the caller's task cancels the future.
    func outcome(of handle: FutureHandle) async -> FutureOutcome<T> {
        if case .ended(let outcome) = machine.phase { return outcome.map(FutureValue<T>.open) }
        return await withCancellationHandler {
            await withCheckedContinuation { continuation in
                whenEnded { continuation.resume(returning: $0) }
                machine.start(by: handle)
            }
        } onCancel: {
            machine.cancel()
        }
    }
}
