/// A future's state: created, started, ended once. Changed under a lock; what a change sets free is returned, so that
/// nobody's deinit runs there.
struct FutureState {
    /// Starts the work of a future, on behalf of the handle that started it.
    typealias Begin = @Sendable (FutureMachine, FutureHandle) -> Void

    enum Phase {
        case created(Begin)
        case started
        /// The outcome is known, and those who wait for it are being told.
        case ending(FutureOutcome<AnyFutureValue>)
        case ended(FutureOutcome<AnyFutureValue>)
    }

    /// What an end sets free.
    struct Ending {
        let old: Phase
        let stop: (@Sendable () -> Void)?
        let mustDeliver: Bool
        var handle: FutureHandle?
    }

    var phase: Phase
    var handlers: [FutureHandler] = []
    var waiters: [FutureWaiter] = []
    var stop: (@Sendable () -> Void)?
    var isSourceOver = false
    var progress: TransferProgress?
    /// What a success handler threw that was attached after the end.
    var lateError: (any Error)?
    var isDelivering = false
    /// Whether somebody has been told of the outcome, which then is no longer open.
    var isTold = false
    var handleCount = 0
    /// True if only the owner of a handle can end the future.
    var needsHandle: Bool
    /// The handle that started the future, retained until it has ended and its handlers have been called.
    var handle: FutureHandle?

    init(needsHandle: Bool, begin: @escaping Begin) {
        self.needsHandle = needsHandle
        phase = .created(begin)
    }

    var outcome: FutureOutcome<AnyFutureValue>? {
        switch phase {
        case .created, .started: nil
        case .ending(let outcome), .ended(let outcome): outcome
        }
    }

    var isOpen: Bool { outcome == nil }

    // MARK: Changes

    mutating func start(by handle: FutureHandle) -> Begin? {
        guard case .created(let begin) = phase else { return nil }
        phase = .started
        if !needsHandle { self.handle = handle }
        return begin
    }

    /// - Returns: `nil` when the future has ended already.
    mutating func end(_ outcome: FutureOutcome<AnyFutureValue>) -> Ending? {
        guard isOpen else { return nil }
        let mustDeliver = !isDelivering && !(handlers.isEmpty && waiters.isEmpty)
        defer {
            phase = isDelivering || mustDeliver ? .ending(outcome) : .ended(outcome)
            isDelivering = isDelivering || mustDeliver
            stop = nil
            if !isDelivering { handle = nil }
        }
        return Ending(old: phase, stop: stop, mustDeliver: mustDeliver, handle: handle)
    }

    /// Takes what a handler threw: the outcome from now on, or, after the end, what later handlers are told.
    ///
    /// - Returns: What was the outcome before.
    mutating func fail(_ error: any Error) -> FutureOutcome<AnyFutureValue>? {
        switch phase {
        case .ending(let old):
            phase = .ending(FutureOutcome(error))
            return old
        case .ended:
            lateError = lateError ?? error
            return nil
        case .created, .started:
            return nil
        }
    }

    /// Ends the future as its owner wishes, who has the last word until somebody has been told otherwise.
    mutating func cancel() -> Ending? {
        guard case .ending = phase, !isTold else { return end(.cancelled) }
        defer { phase = .ending(.cancelled) }
        return Ending(old: phase, stop: nil, mustDeliver: false)
    }

    /// Ends the future as its source has ended.
    mutating func settle(_ outcome: FutureOutcome<AnyFutureValue>) -> Ending? {
        isSourceOver = true
        return end(outcome)
    }

    /// Takes what ends the source of the future, which from now on does without handles.
    ///
    /// - Returns: Whether the future wants a source, and what has no use: the one before, or the new one, which is to be
    ///   called when the future has ended without its source.
    mutating func setStop(_ new: @escaping @Sendable () -> Void) -> (isOpen: Bool, unused: (@Sendable () -> Void)?) {
        guard isOpen else { return (false, isSourceOver ? nil : new) }
        defer { stop = new }
        needsHandle = false
        return (true, stop)
    }

    // MARK: Handles

    mutating func addHandle() { handleCount += 1 }

    /// - Returns: The handle that was retained before.
    mutating func retain(_ new: FutureHandle) -> FutureHandle? {
        guard case .started = phase, !needsHandle else { return nil }
        defer { handle = new }
        return handle
    }

    /// - Returns: Whether nobody is left who could end the future.
    mutating func dropHandle() -> Bool {
        handleCount -= 1
        guard case .started = phase else { return false }
        return needsHandle && handleCount == 0
    }
}
