internal import Foundation
internal import PigeonBase

/// What a request takes from the service that it belongs to.
struct RequestSurroundings: Sendable {
    var clock: any QueryClock = SystemClock()
    var wallClock: @Sendable () -> Date = { Date() }
    /// Where hooks are called that were written on no actor.
    var callbacks = CallbackDelivery.main
}

/// The one kind of request: it keeps to the rules, its delegate does the asking.
final class LiveRequest: Request {
    fileprivate struct State {
        var state = RequestState.notStarted
        var info: ResponseInfo?
        /// Told at once and within the call that ends the request, before any hook.
        var followers: [@Sendable (ResponseInfo) -> Void] = []
        /// Told of progress at once; with 1 before those who are told of the end.
        var progressFollowers: [@Sendable (Double) -> Void] = []
        /// Told when hooks may be called, before them.
        var lateFollowers: [@Sendable (ResponseInfo) -> Void] = []
        var hooks: [Hook] = []
        /// For how many loads that the request is a part of to land hooks wait.
        var holds = 0
        var isDelivering = false
        /// Whether the delegate was asked to begin.
        var isSent = false
        /// Whether the delegate is being asked to begin: it is not told to end within that.
        var isBeginning = false
        var isToBeEnded = false
        var progress = 0.0
        var progressHooks: [ProgressHook] = []
        var alarm: AlarmHandle?
        var isWatchingProgress = false
    }

    struct Hook: Sendable {
        let call: @Sendable (ResponseInfo) async -> Void
    }

    struct ProgressHook: Sendable {
        let call: @Sendable (Double) async -> Void
        var told: Double?

        init(call: @escaping @Sendable (Double) async -> Void) {
            self.call = call
        }
    }

    let delegate: any RequestDelegate
    let surroundings: RequestSurroundings
    private let storage = Locked(State())

    init(_ delegate: any RequestDelegate, in surroundings: RequestSurroundings = RequestSurroundings()) {
        self.delegate = delegate
        self.surroundings = surroundings
    }

    var info: ResponseInfo? { storage.withLock { $0.info } }
    var state: RequestState { storage.withLock { $0.state } }

    // MARK: Life

    func start() -> any Request {
        if begin() { send() }
        return self
    }

    /// Counts as started from here on, and waits for ``send()``.
    ///
    /// - Returns: Whether it was not started before.
    @discardableResult
    func begin() -> Bool {
        storage.withLock { state in
            guard state.state == .notStarted else { return false }
            state.state = .inProgress
            return true
        }
    }

    /// Whether the delegate was asked to begin.
    var isSent: Bool { storage.withLock { $0.isSent } }

    /// Has the delegate begin, unless it was asked to before, or the request is over.
    func send() {
        let isFirst = storage.withLock { state in
            guard state.state == .inProgress, !state.isSent else { return false }
            state.isSent = true
            state.isBeginning = true
            return true
        }
        guard isFirst else { return }
        SiestaLog.log(.network, "\(delegate.requestDescription) started")
        let handler = CompletionHandler(self)
        follow { _ in handler.letGo() }
        delegate.startUnderlyingOperation(passingResponseTo: handler)
        let isToBeEnded = storage.withLock { state in
            state.isBeginning = false
            return state.isToBeEnded
        }
        if isToBeEnded { delegate.cancelUnderlyingOperation() } else { watchProgress() }
    }

    func cancel() {
        let wasSent = isSent
        guard end(with: ResponseInfo(response: .failure(.cancelled(nil, at: surroundings.wallClock())))) else { return }
        SiestaLog.log(.network, "\(delegate.requestDescription) cancelled")
        guard wasSent else { return }
        let isBeginning = storage.withLock { state in
            state.isToBeEnded = true
            return state.isBeginning
        }
        if !isBeginning { delegate.cancelUnderlyingOperation() }
    }

    func repeated() -> any Request {
        LiveRequest(delegate.repeated(), in: surroundings)
    }

    func broadcastResponse(_ newInfo: ResponseInfo) {
        guard end(with: newInfo) else {
            return SiestaLog.log(.networkDetails, "\(delegate.requestDescription): a response came too late")
        }
        SiestaLog.log(.network, "\(delegate.requestDescription): \(newInfo.summary)")
    }

    func willIgnore(_ responseInfo: ResponseInfo) -> Bool {
        storage.withLock { $0.info != nil }
    }

    /// - Returns: Whether this ended it.
    private func end(with info: ResponseInfo) -> Bool {
        guard let ending = storage.withLock({ $0.end(with: info) }) else { return false }
        ending.alarm?.cancel()
        for follower in ending.progressFollowers { follower(1) }
        for follower in ending.followers { follower(info) }
        tellLateFollowers()
        deliverSoon()
        return true
    }

    // MARK: Following

    /// Tells of the end at once, before hooks are called. Of one that has ended: now.
    func follow(_ follower: @escaping @Sendable (ResponseInfo) -> Void) {
        let known = storage.withLock { state -> ResponseInfo? in
            if state.info == nil { state.followers.append(follower) }
            return state.info
        }
        if let known { follower(known) }
    }

    /// Tells of progress at once, and of 1 before the end is told.
    func followProgress(_ follower: @escaping @Sendable (Double) -> Void) {
        let isOver = storage.withLock { state in
            if state.info == nil { state.progressFollowers.append(follower) }
            return state.info != nil
        }
        if isOver { follower(1) } else { watchProgress() }
    }

    /// Tells of the end as soon as hooks may be called. Of one that has come so far: now.
    func followLate(_ follower: @escaping @Sendable (ResponseInfo) -> Void) {
        storage.withLock { $0.lateFollowers.append(follower) }
        tellLateFollowers()
    }

    private func tellLateFollowers() {
        let (info, followers) = storage.withLock { state -> (ResponseInfo?, [@Sendable (ResponseInfo) -> Void]) in
            guard let info = state.info, state.holds == 0 else { return (nil, []) }
            defer { state.lateFollowers = [] }
            return (info, state.lateFollowers)
        }
        guard let info else { return }
        for follower in followers { follower(info) }
    }

    /// Lets hooks wait until ``release()``, so that they find the resource as the response left it.
    func hold() {
        storage.withLock { $0.holds += 1 }
    }

    /// Takes one ``hold()`` back.
    func release() {
        storage.withLock { $0.holds -= 1 }
        tellLateFollowers()
        deliverSoon()
    }

    // MARK: Hooks

    func add(_ hook: Hook) -> any Request {
        storage.withLock { $0.hooks.append(hook) }
        deliverSoon()
        return self
    }

    func add(_ hook: ProgressHook) -> any Request {
        storage.withLock { $0.progressHooks.append(hook) }
        watchProgress()
        deliverSoon()
        return self
    }

    /// Has the hooks called in a task of its own, one after the other, if there is something to call them with.
    private func deliverSoon() {
        let isMine = storage.withLock { state in
            guard !state.isDelivering, Self.hasNext(state) else { return false }
            state.isDelivering = true
            return true
        }
        guard isMine else { return }
        Task { await self.deliver() }
    }

    private static func hasNext(_ state: State) -> Bool {
        if hasProgress(state) { return true }
        return state.info != nil && state.holds == 0 && !state.hooks.isEmpty
    }

    private static func hasProgress(_ state: State) -> Bool {
        state.state != .notStarted && state.progressHooks.contains { $0.told != state.progress }
    }

    private enum Step {
        case progress([ProgressHook], Double)
        case end(Hook, ResponseInfo)
    }

    private func deliver() async {
        while let step = storage.withLock({ state in next(&state) }) {
            switch step {
            case .progress(let hooks, let progress):
                for hook in hooks { await hook.call(progress) }
            case .end(let hook, let info): await hook.call(info)
            }
        }
    }

    private func next(_ state: inout State) -> Step? {
        guard Self.hasNext(state) else {
            state.isDelivering = false
            return nil
        }
        if Self.hasProgress(state) {
            let due = state.progressHooks.filter { $0.told != state.progress }
            for index in state.progressHooks.indices { state.progressHooks[index].told = state.progress }
            if state.info != nil { state.progressHooks = [] }
            return .progress(due, state.progress)
        }
        guard let info = state.info else { return nil }
        return .end(state.hooks.removeFirst(), info)
    }

    // MARK: Progress

    var progress: Double {
        let isRunning = storage.withLock { $0.state == .inProgress && $0.isSent }
        if isRunning { measure() }
        return storage.withLock { $0.progress }
    }

    /// - Returns: Those who are told at once, if it has come further.
    @discardableResult
    private func measure() -> [@Sendable (Double) -> Void] {
        let now = min(max(delegate.computeProgress(), 0), 1)
        return storage.withLock { state in
            guard state.info == nil, now > state.progress else { return [] }
            state.progress = now
            return state.progressFollowers
        }
    }

    /// Asks for the progress now and then, while somebody wants to know.
    private func watchProgress() {
        let isMine = storage.withLock { state in
            let isWanted = !state.progressHooks.isEmpty || !state.progressFollowers.isEmpty
            guard state.state == .inProgress, state.isSent, isWanted, !state.isWatchingProgress else { return false }
            state.isWatchingProgress = true
            return true
        }
        if isMine { scheduleProgress() }
    }

    private func scheduleProgress() {
        let interval = delegate.progressReportingInterval
        guard interval > 0, let wait = Duration(untrustedSeconds: interval) else { return }
        let alarm = surroundings.clock.schedule(at: surroundings.clock.now().advanced(by: wait)) { [weak self] in
            self?.reportProgress()
        }
        let spare = storage.withLock { state -> AlarmHandle? in
            guard state.info == nil else { return alarm }
            state.alarm = alarm
            return nil
        }
        spare?.cancel()
    }

    private func reportProgress() {
        let followers = measure()
        let progress = storage.withLock { $0.progress }
        for follower in followers { follower(progress) }
        deliverSoon()
        scheduleProgress()
    }
}

extension LiveRequest.State {
    typealias Ending = (
        followers: [@Sendable (ResponseInfo) -> Void], progressFollowers: [@Sendable (Double) -> Void],
        alarm: AlarmHandle?
    )

    /// - Returns: What is left to do outside of the lock. `nil` when it was over already.
    fileprivate mutating func end(with info: ResponseInfo) -> Ending? {
        guard self.info == nil else { return nil }
        self.info = info
        state = .completed
        progress = 1
        defer { (followers, progressFollowers, alarm) = ([], [], nil) }
        return (followers, progressFollowers, alarm)
    }
}
