internal import PigeonHTTP

/// The object that the owner of a future holds: a ``ResponseFuture`` or a ``Promise``.
typealias FutureHandle = any AnyObject & Sendable

/// The work of a future: its task, or another future that it waits for.
protocol FutureSource: AnyObject, Sendable {
    func cancel()
}

/// The state of a future: created, started, ended once. It changes under a lock. Each change returns the values it
/// releases, so that no deinit runs under the lock.
struct FutureState {
    /// Cancellation is the error `CancellationError`, and no other error means it.
    typealias Outcome = Result<AnyFutureValue, any Error>
    /// Starts the work of a future, for the handle that started it.
    typealias Begin = @Sendable (FutureMachine, FutureHandle) -> Void

    enum Phase {
        case created(Begin)
        case started
        /// The outcome is known, and the handlers are being called. It is final once one of them has received it.
        case ending(Outcome, isFinal: Bool)
        case ended(Outcome)
    }

    /// The objects that the future retains until it has ended and its handlers have been called.
    struct Retained {
        var handlers: [FutureHandler] = []
        /// The work that ends the future. Without any, only the owner of the handle can end it.
        var sources: [any FutureSource] = []
        var handle: FutureHandle?
    }

    /// The phase before the end, and the work to be cancelled.
    typealias Ending = (old: Phase, sources: [any FutureSource])

    private(set) var phase: Phase
    private var retained = Retained()
    private var followers: [FutureFollower] = []
    private(set) var progress = TransferProgress()
    /// True if the handlers have not received the progress yet.
    private var hasProgress = false
    /// The failure of a handler that was attached after the end.
    private var lateFailure: Outcome?
    private var isDelivering = false

    init(begin: @escaping Begin) {
        phase = .created(begin)
    }

    var isOpen: Bool { outcome == nil }

    private var outcome: Outcome? {
        switch phase {
        case .created, .started: nil
        case .ending(let outcome, _), .ended(let outcome): outcome
        }
    }

    // MARK: Changes

    mutating func start(by handle: FutureHandle) -> Begin? {
        guard case .created(let begin) = phase else { return nil }
        phase = .started
        retain(handle)
        return begin
    }

    /// Releases the handle if only its owner can end the future.
    mutating func didBegin() {
        if isOpen, retained.sources.isEmpty { retained.handle = nil }
    }

    mutating func retain(_ handle: FutureHandle) {
        if isOpen { retained.handle = retained.handle ?? handle }
    }

    /// - Returns: False if the future has already ended.
    mutating func add(_ source: any FutureSource) -> Bool {
        if isOpen { retained.sources.append(source) }
        return isOpen
    }

    /// - Returns: `nil` if the future has already ended.
    mutating func end(_ outcome: Outcome) -> Ending? {
        guard isOpen else { return nil }
        defer { phase = .ending(outcome, isFinal: false) }
        return (phase, retained.sources)
    }

    /// Cancels the future. The owner can still change the outcome until the first handler has received it.
    mutating func cancel() -> Ending? {
        guard case .ending(_, isFinal: false) = phase else { return end(.cancelled) }
        defer { phase = .ending(.cancelled, isFinal: false) }
        return (phase, [])
    }

    /// Ends the future, whose handle has been released, if no work is left that could end it.
    mutating func abandon() -> Ending? {
        guard case .started = phase, retained.sources.isEmpty else { return nil }
        return end(.failure(FutureError.abandoned))
    }

    /// Takes an error that a handler threw. It becomes the outcome or, after the end, the error for later handlers.
    ///
    /// - Returns: The phase before.
    mutating func fail(_ error: any Error) -> Phase {
        let (old, new) = (phase, Outcome.failed(error))
        if case .ending = old {
            phase = .ending(new, isFinal: true)
        } else if !new.isCancelled {
            lateFailure = lateFailure ?? new
        }
        return old
    }
}

// The order of delivery.

extension FutureState {
    /// The next action, to be carried out outside the lock.
    enum Step {
        case call([FutureCall])
        case end(Outcome, [FutureFollower])
    }

    mutating func attach(_ handler: FutureHandler) { retained.handlers.append(handler) }
    mutating func attach(_ follower: FutureFollower) { followers.append(follower) }

    /// Records the progress of the sources. A handler that is slower than the progress receives the newest.
    ///
    /// - Returns: The closures of followers that receive it, too.
    mutating func report(_ new: TransferProgress) -> [TransferReport] {
        guard isOpen else { return [] }
        (progress, hasProgress) = (new, true)
        return followers.compactMap(\.report)
    }

    /// Called right before a handler is called. If it is called with the outcome, that is final.
    ///
    /// - Returns: False if the future has been cancelled since the call was taken.
    mutating func claim(_ event: FutureEvent) -> Bool {
        guard case .ending(let outcome, isFinal: false) = phase else { return true }
        guard case .outcome(let taken) = event else { return !outcome.isCancelled }
        guard taken.isCancelled == outcome.isCancelled else { return false }
        phase = .ending(outcome, isFinal: true)
        return true
    }

    /// Begins to deliver, unless another caller is delivering. Returns the first step as ``next(releasing:)`` does.
    mutating func begin(releasing released: inout Retained) -> Step? {
        isDelivering ? nil : next(releasing: &released)
    }

    /// Returns the next step: progress first, then the outcome, then the completion, and finally the followers.
    ///
    /// - Parameter released: Receives the objects that the future no longer needs.
    /// - Returns: `nil` if there is none. That and the step of the followers end the delivery.
    mutating func next(releasing released: inout Retained) -> Step? {
        isDelivering = true
        if hasProgress {
            hasProgress = false
            let calls = retained.handlers.compactMap { $0.call(with: .progress(progress)) }
            if !calls.isEmpty { return .call(calls) }
        }
        guard let outcome else {
            isDelivering = false
            return nil
        }
        if let step = takeHandler(for: .outcome(outcome)) { return step }
        if let lateFailure, let step = takeHandler(for: .outcome(lateFailure)) { return step }
        phase = .ended(outcome)
        if let step = takeHandler(for: .completion) { return step }
        isDelivering = false
        swap(&retained, &released)
        defer { followers = [] }
        return followers.isEmpty ? nil : .end(outcome, followers)
    }

    private mutating func takeHandler(for event: FutureEvent) -> Step? {
        for (index, handler) in retained.handlers.enumerated() {
            guard let call = handler.call(with: event) else { continue }
            retained.handlers.remove(at: index)
            return .call([call])
        }
        return nil
    }
}

extension Result where Failure == any Error {
    static var cancelled: Self { .failure(CancellationError()) }

    /// The outcome that an error means. Errors that mean "cancelled" are no failures.
    static func failed(_ error: any Error) -> Self {
        if case .cancelled = HTTPError(error) { .cancelled } else { .failure(error) }
    }

    var isCancelled: Bool {
        if case .failure(is CancellationError) = self { true } else { false }
    }
}
