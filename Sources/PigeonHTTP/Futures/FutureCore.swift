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
