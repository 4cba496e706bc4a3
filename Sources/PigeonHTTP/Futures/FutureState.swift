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
    var isOutcomeFinal = false
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
        guard case .ending = phase, !isOutcomeFinal else { return end(.cancelled) }
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

// Whom to tell what next.

extension FutureState {
    /// What is to be done next, outside of the lock.
    enum Step {
        case call([FutureHandler], FutureEvent)
        case release([FutureHandler])
        case releaseHandle(FutureHandle)
        case resume([FutureWaiter], FutureOutcome<AnyFutureValue>)
    }

    /// - Returns: Whether the caller must deliver.
    mutating func attach(_ handler: FutureHandler) -> Bool {
        handlers.append(handler)
        return claimDelivery()
    }

    /// - Returns: Whether the caller must deliver.
    mutating func attach(_ waiter: FutureWaiter) -> Bool {
        waiters.append(waiter)
        return claimDelivery()
    }

    /// Takes how far the source has come. Handlers that are slower than progress get the newest.
    mutating func report(_ new: TransferProgress) -> (watchers: [TransferReport], mustDeliver: Bool) {
        guard isOpen else { return ([], false) }
        guard handlers.contains(where: { $0.kinds.contains(.progress) }) else {
            return (waiters.compactMap(\.progress), false)
        }
        progress = new
        defer { isDelivering = true }
        return (waiters.compactMap(\.progress), !isDelivering)
    }

    /// Whether an event that is about to be told is still true. From then on the outcome stands.
    mutating func claim(_ event: FutureEvent) -> Bool {
        switch (event, outcome) {
        case (.progress, .cancelled): return false
        case (.progress, _): return !isOutcomeFinal
        case (.completion, _): return true
        case (.success, .success), (.failure, .failure), (.cancellation, .cancelled):
            isOutcomeFinal = true
            return true
        case (.failure, .success): return lateError != nil
        default: return false
        }
    }

    /// The next to be told: of progress, then of the outcome, then of the completion; at last whoever goes on from there.
    ///
    /// - Returns: `nil` when there is nobody, and the caller delivers no longer.
    mutating func next() -> Step? {
        if let progress {
            self.progress = nil
            return .call(handlers.filter { $0.kinds.contains(.progress) }, .progress(progress))
        }
        guard let outcome else { return rest() }
        for event in events(of: outcome) {
            if let index = handlers.firstIndex(where: { $0.kinds.contains(event.kind) }) {
                return .call([handlers.remove(at: index)], event)
            }
        }
        if case .ending = phase {
            phase = .ended(outcome)
            return .release(removeHandlers { !$0.kinds.contains(.completion) })
        }
        if let index = handlers.firstIndex(where: { $0.kinds.contains(.completion) }) {
            return .call([handlers.remove(at: index)], .completion)
        }
        if !handlers.isEmpty { return .release(removeHandlers { _ in true }) }
        if let handle {
            self.handle = nil
            return .releaseHandle(handle)
        }
        guard !waiters.isEmpty else { return rest() }
        isDelivering = false
        defer { waiters = [] }
        return .resume(waiters, outcome)
    }

    private func events(of outcome: FutureOutcome<AnyFutureValue>) -> [FutureEvent] {
        switch outcome {
        case .success(let value): [.success(value)] + (lateError.map { [.failure($0)] } ?? [])
        case .failure(let error): [.failure(error)]
        case .cancelled: [.cancellation]
        }
    }

    private mutating func rest() -> Step? {
        isDelivering = false
        return nil
    }

    private mutating func claimDelivery() -> Bool {
        guard case .ended = phase, !isDelivering else { return false }
        isDelivering = true
        return true
    }

    private mutating func removeHandlers(where isOver: (FutureHandler) -> Bool) -> [FutureHandler] {
        let old = handlers
        handlers.removeAll(where: isOver)
        return old
    }
}
