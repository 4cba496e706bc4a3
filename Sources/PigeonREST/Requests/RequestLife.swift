internal import PigeonBase

/// The state of a request, and the rules by which it changes. Calls no other code, but returns the effects that the
/// caller must perform.
struct RequestLife {
    typealias EndListener = @Sendable (ResponseInfo) -> Void
    typealias ProgressListener = @Sendable (Double) -> Void

    struct Hook: Sendable {
        let call: @Sendable (ResponseInfo) async -> Void
    }

    struct ProgressHook: Sendable {
        let call: @Sendable (Double) async -> Void
        /// The progress with which the hook was last called.
        var reported: Double?

        init(call: @escaping @Sendable (Double) async -> Void) {
            self.call = call
        }
    }

    /// Effects to perform after the lock is released, in this order.
    struct Effects {
        var alarm: AlarmHandle?
        var progress = 1.0
        var progressListeners: [ProgressListener] = []
        var listeners: [EndListener] = []
        var lateListeners: [EndListener] = []
        /// True if the caller must start a task that calls the hooks.
        var startsHooks = false
        /// Released last, because it may be the last reference to the request.
        var request: LiveRequest?
    }

    private(set) var state = RequestState.notStarted
    private(set) var info: ResponseInfo?
    private(set) var progress = 0.0
    private(set) var isSent = false

    /// Number of loads whose result must be stored before hooks run.
    private var holds = 0
    /// Called within the call that completes the request, before any hook.
    private var listeners: [EndListener] = []
    /// Called as soon as the hooks for the response may run, before them.
    private var lateListeners: [EndListener] = []
    private var progressListeners: [ProgressListener] = []
    private var hooks: [Hook] = []
    private var progressHooks: [ProgressHook] = []
    private var isCallingHooks = false

    /// True while the delegate is being asked to start. It is not asked to cancel within that call.
    private var isBeginning = false
    private var isCancelledWhileBeginning = false
    private weak var handler: CompletionHandler?

    private var isWatchingProgress = false
    private var alarm: AlarmHandle?

    // MARK: Start and end

    /// Marks the request as started.
    ///
    /// - Returns: False if it has been started before.
    mutating func begin() -> Bool {
        guard state == .notStarted else { return false }
        state = .inProgress
        return true
    }

    /// - Parameter handler: Retains the request until it has completed.
    /// - Returns: False if the delegate has been asked to start before, or if the request is not in progress.
    mutating func beginSending(_ handler: CompletionHandler) -> Bool {
        guard state == .inProgress, !isSent else { return false }
        isSent = true
        isBeginning = true
        self.handler = handler
        return true
    }

    enum Sent {
        case running(watchesProgress: Bool)
        case toBeCancelled
    }

    /// Called after the delegate has been asked to start.
    mutating func endSending() -> Sent {
        isBeginning = false
        return isCancelledWhileBeginning ? .toBeCancelled : .running(watchesProgress: beginWatchingProgress())
    }

    /// - Returns: `nil` if the request has already completed.
    mutating func end(with info: ResponseInfo) -> Effects? {
        guard self.info == nil else { return nil }
        self.info = info
        state = .completed
        progress = 1
        var effects = Effects()
        effects.alarm = alarm
        effects.progressListeners = progressListeners
        effects.listeners = listeners
        effects.request = handler?.release()
        (alarm, progressListeners, listeners) = (nil, [], [])
        wake(&effects)
        return effects
    }

    /// Completes the request as cancelled.
    ///
    /// - Returns: The effects, and true if the delegate must be asked to cancel. `nil` if the request has already
    ///   completed.
    mutating func cancel(_ info: ResponseInfo) -> (effects: Effects, cancelsDelegate: Bool)? {
        guard let effects = end(with: info) else { return nil }
        isCancelledWhileBeginning = isBeginning
        return (effects, isSent && !isBeginning)
    }

    mutating func release() -> Effects {
        holds -= 1
        var effects = Effects()
        wake(&effects)
        return effects
    }

    /// Holds back the hooks until one more load has been stored, and marks the request as started.
    ///
    /// - Returns: The response if the request has already completed. The caller must then call the listener.
    mutating func join(_ listener: @escaping EndListener) -> ResponseInfo? {
        holds += 1
        _ = begin()
        return follow(listener)
    }

    private mutating func wake(_ effects: inout Effects) {
        if info != nil, holds == 0 { swap(&effects.lateListeners, &lateListeners) }
        guard !isCallingHooks, hasNextHook else { return }
        isCallingHooks = true
        effects.startsHooks = true
    }

    // MARK: Following

    /// - Returns: The response if the request has already completed. The caller must then call the listener.
    mutating func follow(_ listener: @escaping EndListener) -> ResponseInfo? {
        if info == nil { listeners.append(listener) }
        return info
    }

    /// - Returns: The response if the hooks for it may already run. The caller must then call the listener.
    mutating func followLate(_ listener: @escaping EndListener) -> ResponseInfo? {
        guard let info, holds == 0 else {
            lateListeners.append(listener)
            return nil
        }
        return info
    }

    /// - Returns: `isOver` is true if the request has already completed. The caller must then call the listener with 1.
    ///   `watches` is true if the caller must schedule progress reports.
    mutating func followProgress(_ listener: @escaping ProgressListener) -> (isOver: Bool, watches: Bool) {
        guard info == nil else { return (true, false) }
        progressListeners.append(listener)
        return (false, beginWatchingProgress())
    }

    // MARK: Hooks

    mutating func add(_ hook: Hook) -> Effects {
        hooks.append(hook)
        var effects = Effects()
        wake(&effects)
        return effects
    }

    mutating func add(_ hook: ProgressHook) -> (effects: Effects, watchesProgress: Bool) {
        progressHooks.append(hook)
        var effects = Effects()
        wake(&effects)
        return (effects, beginWatchingProgress())
    }

    enum HookStep {
        case progress([ProgressHook], Double)
        case end(Hook, ResponseInfo)
    }

    /// Returns the hooks to call next. If there are none, returns `nil`, and the task that calls hooks must end.
    mutating func nextHooks() -> HookStep? {
        isCallingHooks = hasNextHook
        guard isCallingHooks else { return nil }
        guard !hasNewProgress else {
            let due = progressHooks.filter { $0.reported != progress }
            for index in progressHooks.indices { progressHooks[index].reported = progress }
            if info != nil { progressHooks = [] }
            return .progress(due, progress)
        }
        return info.map { .end(hooks.removeFirst(), $0) }
    }

    private var hasNextHook: Bool { hasNewProgress || info != nil && holds == 0 && !hooks.isEmpty }

    private var hasNewProgress: Bool {
        state != .notStarted && progressHooks.contains { $0.reported != progress }
    }

    // MARK: Progress

    /// True while the delegate can compute the progress.
    var isRunning: Bool { state == .inProgress && isSent }

    /// Stores the progress that the delegate has computed, if it is higher than before.
    ///
    /// - Returns: True if the progress has increased.
    @discardableResult
    mutating func note(_ measured: Double) -> Bool {
        let measured = min(max(measured, 0), 1)
        guard info == nil, measured > progress else { return false }
        progress = measured
        return true
    }

    /// Stores the progress that the delegate has computed, and reports it to listeners and hooks.
    mutating func report(_ measured: Double) -> Effects {
        var effects = Effects()
        if note(measured) { (effects.progress, effects.progressListeners) = (progress, progressListeners) }
        wake(&effects)
        return effects
    }

    /// - Returns: True if the caller must schedule progress reports.
    private mutating func beginWatchingProgress() -> Bool {
        let isWanted = !progressHooks.isEmpty || !progressListeners.isEmpty
        guard isRunning, isWanted, !isWatchingProgress else { return false }
        isWatchingProgress = true
        return true
    }

    /// Stores the alarm for the next progress report.
    ///
    /// - Returns: False if the request has completed. The caller must then cancel the alarm.
    mutating func keep(_ alarm: AlarmHandle) -> Bool {
        guard info == nil else { return false }
        self.alarm = alarm
        return true
    }
}
