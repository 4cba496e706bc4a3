internal import Foundation
internal import PigeonBase

/// What a request takes from the service that it belongs to.
struct RequestSurroundings: Sendable {
    var clock: any QueryClock = SystemClock()
    var wallClock: @Sendable () -> Date = { Date() }
    /// Where hooks are called that were written on no actor.
    var callbacks = CallbackDelivery.main
}

/// The one kind of request: ``RequestLife`` behind a lock. Its delegate does the asking.
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

    /// True once the delegate was asked to begin.
    var isSent: Bool { life.withLock { $0.isSent } }

    /// Asks the delegate to begin, unless it was asked before, or the request is over.
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

    /// Makes the request part of a load. It counts as started, and waits for ``send()``; its hooks wait for ``release()``,
    /// so that they find the resource as the response left it.
    ///
    /// - Parameter follower: Called within the call that ends the request, before hooks; now if the request is over.
    func join(_ follower: @escaping RequestLife.EndFollower) {
        if let info = life.withLock({ $0.join(follower) }) { follower(info) }
    }

    /// One load has landed.
    func release() {
        let (effects, info) = life.withLock { ($0.release(), $0.info) }
        perform(effects, with: info)
    }

    private func perform(_ effects: RequestLife.Effects, with info: ResponseInfo?) {
        effects.alarm?.cancel()
        for follower in effects.progressFollowers { follower(effects.progress) }
        if let info {
            for follower in effects.followers { follower(info) }
            for follower in effects.lateFollowers { follower(info) }
        }
        if effects.startsHooks { Task { await self.callHooks() } }
    }

    // MARK: Following

    /// Calls a follower within the call that ends the request, before hooks; now if the request is over.
    func follow(_ follower: @escaping RequestLife.EndFollower) {
        if let info = life.withLock({ $0.follow(follower) }) { follower(info) }
    }

    /// Calls a follower as soon as hooks may run, before them; now if they may.
    func followLate(_ follower: @escaping RequestLife.EndFollower) {
        if let info = life.withLock({ $0.followLate(follower) }) { follower(info) }
    }

    /// Calls a follower with the progress, and with 1 before the followers of the end.
    func followProgress(_ follower: @escaping RequestLife.ProgressFollower) {
        let (isOver, watches) = life.withLock { $0.followProgress(follower) }
        if isOver { follower(1) }
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

    /// Calls hooks, one after the other, until there is nothing to call them with.
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
        guard life.withLock({ $0.isRunning }) else { return life.withLock { $0.progress } }
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

    /// Reports the progress after each interval, until the request is over.
    private func scheduleProgress() {
        let interval = delegate.progressReportingInterval
        guard interval > 0, let wait = Duration(untrustedSeconds: interval) else { return }
        let alarm = surroundings.clock.schedule(at: surroundings.clock.now().advanced(by: wait)) { [weak self] in
            self?.reportProgress()
        }
        if !life.withLock({ $0.keep(alarm) }) { alarm.cancel() }
    }
}

/// Takes the response of a request, and retains the request until it is over.
///
/// A delegate may keep this for longer, and the request retains the delegate.
final class CompletionHandler: RequestCompletionHandler, @unchecked Sendable {  // `retained` by the lock of the request
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

    /// Under the lock of the request.
    ///
    /// - Returns: The request, to be released outside of the lock.
    func release() -> LiveRequest? {
        defer { retained = nil }
        return retained
    }
}
