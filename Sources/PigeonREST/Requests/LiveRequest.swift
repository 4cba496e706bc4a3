internal import Foundation
internal import PigeonBase

/// The clocks of a request, and the place where its hooks are called. A request of a resource takes them from its
/// service.
struct RequestSurroundings: Sendable {
    var clock: any QueryClock = SystemClock()
    var wallClock: @Sendable () -> Date = { Date() }
    /// The place where hooks without an actor are called.
    var callbacks = CallbackDelivery.main
}

/// The library's implementation of ``Request``: a ``RequestLife`` behind a lock. Its delegate performs the operation.
final class LiveRequest: Request {
    let delegate: any RequestDelegate
    let surroundings: RequestSurroundings
    private let life = Locked(RequestLife())

    init(_ delegate: any RequestDelegate, in surroundings: RequestSurroundings = RequestSurroundings()) {
        self.delegate = delegate
        self.surroundings = surroundings
    }

    var info: ResponseInfo? { life.withLock { $0.info } }
    var state: RequestState { life.withLock { $0.state } }

    // MARK: Life

    func start() -> any Request {
        let handler = CompletionHandler(self)
        if life.withLock({ $0.begin() && $0.beginSending(handler) }) { startDelegate(handler) }
        return self
    }

    /// True once the delegate has been asked to start.
    var isSent: Bool { life.withLock { $0.isSent } }

    /// Asks the delegate to start, unless it has been asked before or the request is not in progress.
    func send() {
        let handler = CompletionHandler(self)
        if life.withLock({ $0.beginSending(handler) }) { startDelegate(handler) }
    }

    private func startDelegate(_ handler: CompletionHandler) {
        SiestaLog.log(.network, "\(delegate.requestDescription) started")
        delegate.startUnderlyingOperation(passingResponseTo: handler)
        switch life.withLock({ $0.endSending() }) {
        case .toBeCancelled: delegate.cancelUnderlyingOperation()
        case .running(let watchesProgress): if watchesProgress { scheduleProgress() }
        }
    }

    func cancel() {
        let info = ResponseInfo(response: .failure(.cancelled(nil, at: surroundings.wallClock())))
        guard let (effects, cancelsDelegate) = life.withLock({ $0.cancel(info) }) else { return }
        perform(effects, with: info)
        SiestaLog.log(.network, "\(delegate.requestDescription) cancelled")
        if cancelsDelegate { delegate.cancelUnderlyingOperation() }
    }

    func repeated() -> any Request {
        LiveRequest(delegate.repeated(), in: surroundings)
    }

    func broadcastResponse(_ newInfo: ResponseInfo) {
        guard let effects = life.withLock({ $0.end(with: newInfo) }) else {
            return SiestaLog.log(.networkDetails, "\(delegate.requestDescription): a response came too late")
        }
        perform(effects, with: newInfo)
        SiestaLog.log(.network, "\(delegate.requestDescription): \(newInfo.summary)")
    }

    func willIgnore(_ responseInfo: ResponseInfo) -> Bool {
        info != nil
    }

    /// Makes the request part of a load. The request counts as started, but its delegate starts with ``send()``. Its
    /// hooks run after ``release()``, so that they find the resource as the response left it.
    ///
    /// - Parameter listener: Called within the call that completes the request, before any hook. Called at once if the
    ///   request has already completed.
    func join(_ listener: @escaping RequestLife.EndListener) {
        if let info = life.withLock({ $0.join(listener) }) { listener(info) }
    }

    /// Removes one of the loads that hold back the hooks. The hooks can run once no load is left.
    func release() {
        let (effects, info) = life.withLock { ($0.release(), $0.info) }
        perform(effects, with: info)
    }

    private func perform(_ effects: RequestLife.Effects, with info: ResponseInfo?) {
        effects.alarm?.cancel()
        for listener in effects.progressListeners { listener(effects.progress) }
        if let info {
            for listener in effects.listeners { listener(info) }
            for listener in effects.lateListeners { listener(info) }
        }
        if effects.startsHooks { Task { await self.callHooks() } }
    }

    // MARK: Following

    /// Calls a listener within the call that completes the request, before any hook. Calls it at once if the request
    /// has already completed.
    func follow(_ listener: @escaping RequestLife.EndListener) {
        if let info = life.withLock({ $0.follow(listener) }) { listener(info) }
    }

    /// Calls a listener as soon as the hooks for the response may run, before the first of them. Calls it at once if
    /// they may already run.
    func followLate(_ listener: @escaping RequestLife.EndListener) {
        if let info = life.withLock({ $0.followLate(listener) }) { listener(info) }
    }

    /// Calls a listener with the progress as it is reported, and with 1 before the listeners of the response are
    /// called.
    func followProgress(_ listener: @escaping RequestLife.ProgressListener) {
        let (isOver, watches) = life.withLock { $0.followProgress(listener) }
        if isOver { listener(1) }
        if watches { scheduleProgress() }
    }

    // MARK: Hooks

    func add(_ hook: RequestLife.Hook) -> any Request {
        perform(life.withLock { $0.add(hook) }, with: nil)
        return self
    }

    func add(_ hook: RequestLife.ProgressHook) -> any Request {
        let (effects, watches) = life.withLock { $0.add(hook) }
        perform(effects, with: nil)
        if watches { scheduleProgress() }
        return self
    }

    private func callHooks() async {
        while let step = life.withLock({ $0.nextHooks() }) {
            switch step {
            case .progress(let hooks, let progress):
                for hook in hooks { await hook.call(progress) }
            case .end(let hook, let info): await hook.call(info)
            }
        }
    }

    // MARK: Progress

    var progress: Double {
        let (isRunning, progress) = life.withLock { ($0.isRunning, $0.progress) }
        guard isRunning else { return progress }
        let measured = delegate.computeProgress()
        return life.withLock { life in
            life.note(measured)
            return life.progress
        }
    }

    private func reportProgress() {
        let measured = delegate.computeProgress()
        perform(life.withLock { $0.report(measured) }, with: nil)
        scheduleProgress()
    }

    /// Schedules a report of the progress after the delegate's interval. Each report schedules the next one, until the
    /// request has completed.
    private func scheduleProgress() {
        let interval = delegate.progressReportingInterval
        guard interval > 0, let wait = Duration(untrustedSeconds: interval) else { return }
        let alarm = surroundings.clock.schedule(at: surroundings.clock.now().advanced(by: wait)) { [weak self] in
            self?.reportProgress()
        }
        if !life.withLock({ $0.keep(alarm) }) { alarm.cancel() }
    }
}

/// Receives the response of a request, and retains the request until it has completed.
///
/// A delegate may retain the handler for longer than that. Since the request retains its delegate, the handler releases
/// the request at the end, to avoid a retain cycle.
final class CompletionHandler: RequestCompletionHandler, @unchecked Sendable {  // the request's lock guards `retained`
    private weak var request: LiveRequest?  // set once
    private var retained: LiveRequest?

    init(_ request: LiveRequest) {
        self.request = request
        retained = request
    }

    func broadcastResponse(_ newInfo: ResponseInfo) {
        request?.broadcastResponse(newInfo)
    }

    func willIgnore(_ responseInfo: ResponseInfo) -> Bool {
        request?.willIgnore(responseInfo) ?? true
    }

    /// Stops retaining the request. Called under the request's lock.
    ///
    /// - Returns: The request, to be released outside the lock.
    func release() -> LiveRequest? {
        defer { retained = nil }
        return retained
    }
}

extension LiveRequest {
    func onCompletion(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (ResponseInfo) -> Void
    ) -> any Request {
        add(RequestLife.Hook { [surroundings] in await surroundings.callbacks.call(callback, $0) })
    }

    func onSuccess(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Entity<any Sendable>) -> Void
    ) -> any Request {
        add(
            RequestLife.Hook { [surroundings] in
                if case .success(let entity) = $0.response { await surroundings.callbacks.call(callback, entity) }
            })
    }

    func onNewData(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Entity<any Sendable>) -> Void
    ) -> any Request {
        add(
            RequestLife.Hook { [surroundings] in
                if $0.isNew, case .success(let entity) = $0.response {
                    await surroundings.callbacks.call(callback, entity)
                }
            })
    }

    func onNotModified(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable () -> Void
    ) -> any Request {
        add(
            RequestLife.Hook { [surroundings] in
                if !$0.isNew, case .success = $0.response { await surroundings.callbacks.call(callback) }
            })
    }

    func onFailure(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (RequestError) -> Void
    ) -> any Request {
        add(
            RequestLife.Hook { [surroundings] in
                if case .failure(let error) = $0.response { await surroundings.callbacks.call(callback, error) }
            })
    }

    func onProgress(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Double) -> Void
    ) -> any Request {
        add(RequestLife.ProgressHook { [surroundings] in await surroundings.callbacks.call(callback, $0) })
    }
}
