internal import PigeonBase

/// A ``FutureMachine`` whose value has a type: all that goes in and out goes through here.
struct FutureCore<T: Sendable>: Sendable {
    let machine: FutureMachine

    init(_ machine: FutureMachine) {
        self.machine = machine
    }

    /// - Parameter begin: Called when the future is started, once.
    init(begin: @escaping @Sendable (FutureCore<T>) -> Void) {
        machine = FutureMachine { machine, _ in begin(FutureCore(machine)) }
    }

    /// Creates the core of a future that the owner of a handle has to end.
    ///
    /// - Parameter begin: Called once, when the future is started, with the handle that started it.
    init(endedByHandle begin: @escaping @Sendable (FutureCore<T>, FutureHandle) -> Void) {
        machine = FutureMachine(needsHandle: true) { machine, handle in begin(FutureCore(machine), handle) }
    }

    /// Ends the future from outside: what it waits for is stopped, too.
    func finish(_ outcome: FutureOutcome<T>) {
        machine.finish(outcome.map { FutureValue($0) as AnyFutureValue })
    }

    /// Ends the future from its source, which is over.
    func settle(_ outcome: FutureOutcome<T>) async {
        await machine.settle(outcome.map { FutureValue($0) as AnyFutureValue })
    }

    /// Has something done when the future has ended and its handlers have been called.
    func whenEnded(
        _ end: @escaping @Sendable (FutureOutcome<T>) async -> Void, progress: TransferReport? = nil
    ) {
        machine.attach(FutureWaiter(end: { await end($0.map(FutureValue<T>.open)) }, progress: progress))
    }
}

extension FutureCore {
    /// Runs what makes the future's source, on this thread as far as its actor allows. What it throws ends the future.
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
    /// Starts another future by its handle and goes on when it has ended. Cancelling this one cancels it; its progress is
    /// this one's.
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

    /// Follows what a closure returns. `nil` cancels.
    func follow(_ source: ResponseFuture<T>?) async {
        guard let source else { return await settle(.cancelled) }
        follow(source.core, of: source)
    }

    /// Calls a closure of the future's owner on its actor, unless the future has ended meanwhile.
    func run<Output: Sendable>(
        on isolation: isolated (any Actor)?, _ body: @Sendable () async throws -> Output
    ) async throws -> Output {
        guard machine.isOpen else { throw CancellationError() }
        return try await body()
    }

    /// A future that goes on from this one's value. Its error is what `next` throws, or this one's.
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

    /// A future that goes on from this one's end.
    func outcomeStage<U>(
        of handle: FutureHandle, _ next: @escaping @Sendable (FutureOutcome<T>, FutureCore<U>) async -> Void
    ) -> ResponseFuture<U> {
        ResponseFuture<U>(FutureCore<U> { stage in stage.wait(for: self, of: handle, next) })
    }

    /// Starts the future by its handle, and waits for its end. Cancelling the caller's task cancels it.
    func outcome(of handle: FutureHandle) async -> FutureOutcome<T> {
        if case .ended(let outcome) = machine.phase { return outcome.map(FutureValue<T>.open) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                whenEnded { continuation.resume(returning: $0) }
                machine.start(by: handle)
            }
        } onCancel: {
            machine.cancel()
        }
    }
}
