/// What goes on when a future has ended and its handlers have been called: the next stage, or who awaits the value.
struct FutureWaiter: Sendable {
    let end: @Sendable (FutureOutcome<AnyFutureValue>) async -> Void
    var progress: TransferReport?
}
