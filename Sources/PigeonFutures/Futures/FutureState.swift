internal import PigeonHTTP

/// The state of a future: created, started, ended once. It changes under a lock. Each change returns the values it
/// releases, so that no deinit runs under the lock.
struct FutureState {
    /// Starts the work of a future, for the handle that started it.
    typealias Begin = @Sendable (FutureMachine, FutureHandle) -> Void

    enum Phase {
        case created(Begin)
        case started
        /// The outcome is known, and the handlers are being called.
        case ending(FutureOutcome<AnyFutureValue>)
        case ended(FutureOutcome<AnyFutureValue>)
    }

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
    /// The error of a success handler that was attached after the end.
    var lateError: (any Error)?
    var isDelivering = false
    /// True once a handler has received the outcome. It can no longer change then.
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

    /// - Returns: `nil` if the future has already ended.
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

    /// Takes an error that a handler threw. It becomes the outcome or, after the end, the error for later handlers.
    ///
    /// - Returns: The outcome before.
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

    /// Cancels the future. The owner can still change the outcome until the first handler has received it.
    mutating func cancel() -> Ending? {
        guard case .ending = phase, !isOutcomeFinal else { return end(.cancelled) }
        defer { phase = .ending(.cancelled) }
        return Ending(old: phase, stop: nil, mustDeliver: false)
    }

    /// Ends the future with the outcome of its source.
    mutating func settle(_ outcome: FutureOutcome<AnyFutureValue>) -> Ending? {
        isSourceOver = true
        return end(outcome)
    }

    /// Sets the closure that stops the source of the future. After that, the future needs no handle.
    ///
    /// - Returns: True if the future wants a source, and the closure that is not needed. This is the previous closure
    ///   or, if the future ended without its source, the new one, which the caller must call.
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

    /// - Returns: True if no code is left that could end the future.
    mutating func dropHandle() -> Bool {
        handleCount -= 1
        guard case .started = phase else { return false }
        return needsHandle && handleCount == 0
    }
}

// The order of delivery.

extension FutureState {
    /// The next action, to be carried out outside the lock.
    enum Step {
        case call([FutureHandler], FutureEvent)
        case release([FutureHandler], FutureHandle?)
        case resume([FutureWaiter], FutureOutcome<AnyFutureValue>)
    }

    /// - Returns: True if the caller must deliver.
    mutating func attach(_ handler: FutureHandler) -> Bool {
        handlers.append(handler)
        return claimDelivery()
    }

    /// - Returns: True if the caller must deliver.
    mutating func attach(_ waiter: FutureWaiter) -> Bool {
        waiters.append(waiter)
        return claimDelivery()
    }

    /// Records the progress of the source. A handler that is slower than the progress receives the newest.
    mutating func report(_ new: TransferProgress) -> (watchers: [TransferReport], mustDeliver: Bool) {
        guard isOpen else { return ([], false) }
        guard handlers.contains(where: { $0.kinds.contains(.progress) }) else {
            return (waiters.compactMap(\.progress), false)
        }
        progress = new
        defer { isDelivering = true }
        return (waiters.compactMap(\.progress), !isDelivering)
    }

    /// True if an event that is about to be delivered is still valid. After that, the outcome is final.
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

    /// Returns the next delivery: progress first, then the outcome, then the completion, and finally the waiters.
    ///
    /// - Returns: `nil` if there is none, and the caller stops delivering.
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
            defer { handlers.removeAll { !$0.kinds.contains(.completion) } }
            return .release(handlers, nil)
        }
        if let index = handlers.firstIndex(where: { $0.kinds.contains(.completion) }) {
            return .call([handlers.remove(at: index)], .completion)
        }
        if !handlers.isEmpty || handle != nil {
            defer { (handlers, handle) = ([], nil) }
            return .release(handlers, handle)
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
}
