internal import PigeonBase
internal import PigeonCore

/// One load of a resource: the request that brings its content, and what becomes of the answer.
final class Load: Sendable {
    /// What is to be done once the answer has landed.
    enum Landing: Sendable {
        case nothing
        case received(Payload, [CacheWrite])
        case validated(Payload)
    }

    private struct State {
        var landing = Landing.nothing
        /// The client's fetch that it is for, once that is begun.
        var generation: UInt64?
        var isClaimed = false
        var isReleased = false
        /// Whether another load took its place before it was sent, and its request ends as that one's does.
        var isReplaced = false
        /// Whether the client has its answer, or wants none any more.
        var isLanded = false
        /// Whether its request has ended.
        var hasEnded = false
        /// Whether who begins it is to start its request, once observers were told, in their own task.
        var isCallerPresent = false
        var isStartLeftToCaller = false
        var tellsProgress = false
    }

    let resource: Resource
    let request: any Request
    /// Whether what is found in a persistent cache will do.
    let acceptsCached: Bool
    let end = Outcome()
    private let state = Locked(State())

    /// - Parameter request: Its hooks wait until ``release()``.
    init(_ resource: Resource, _ request: any Request, acceptsCached: Bool = false) {
        self.resource = resource
        self.request = request
        self.acceptsCached = acceptsCached
        (request as? LiveRequest)?.hold()
    }

    deinit {
        release()
    }

    /// Whether the answer can still become the content.
    var isUnderWay: Bool { state.withLock { !$0.isLanded } }

    /// Whether its request is over, and the client has what came of it.
    var isOver: Bool { state.withLock { $0.isLanded && $0.hasEnded } }

    /// Whether its request has ended.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func noteLanded() {
        state.withLock { $0.isLanded = true }
    }

    func noteEnded(_ info: ResponseInfo) {
        state.withLock { $0.hasEnded = true }
        end.set(info)
    }

    /// Counts as under way from here on, though it may wait: for the network, or for a persistent cache.
    func start() {
        (request as? LiveRequest)?.begin()
    }

    /// Whether a server was asked.
    var isSent: Bool { (request as? LiveRequest)?.isSent ?? (request.state != .notStarted) }

    func send() {
        if let live = request as? LiveRequest { live.send() } else { request.start() }
    }

    var isReplaced: Bool { state.withLock { $0.isReplaced } }

    /// Has its request end as that of a load that took its place does.
    func end(as other: Load) {
        state.withLock { $0.isReplaced = true }
        other.request.followLate { [self] info in
            (request as? LiveRequest)?.broadcastResponse(info)
            release()
        }
    }

    var isCancelled: Bool { (request as? LiveRequest)?.info?.isCancellation ?? false }

    /// Whether the client is about to be told of it.
    var isBeginning: Bool { generation == nil && request.state != .completed }

    var generation: UInt64? {
        get { state.withLock { $0.generation } }
        set { state.withLock { $0.generation = newValue } }
    }

    /// Takes it for one fetch. Two would both wait for its end, and the one that is given up would end it.
    ///
    /// - Returns: Whether nobody took it before.
    func claim() -> Bool {
        state.withLock { state in
            defer { state.isClaimed = true }
            return !state.isClaimed
        }
    }

    /// Who begins it waits to start its request.
    func awaitStart() {
        state.withLock { $0.isCallerPresent = true }
    }

    /// - Returns: Whether nobody waits to start the request, so that the caller is to.
    func begin() -> Bool {
        state.withLock { state in
            state.isStartLeftToCaller = state.isCallerPresent
            return !state.isCallerPresent
        }
    }

    /// Waits no more.
    ///
    /// - Returns: Whether the request is to be started.
    func endWait() -> Bool {
        state.withLock { state in
            state.isCallerPresent = false
            return state.isStartLeftToCaller
        }
    }

    /// - Returns: Whether the caller is the one to tell observers of its progress.
    func beginTellingProgress() -> Bool {
        state.withLock { state in
            defer { state.tellsProgress = true }
            return !state.tellsProgress
        }
    }

    /// Has the request's hooks called.
    func release() {
        let isFirst = state.withLock { state in
            defer { state.isReleased = true }
            return !state.isReleased
        }
        if isFirst { (request as? LiveRequest)?.release() }
    }

    func land(_ new: Landing) {
        let old = state.withLock { state in
            defer { state.landing = new }
            return state.landing
        }
        _ = old
    }

    func takeLanding() -> Landing {
        state.withLock { state in
            defer { state.landing = .nothing }
            return state.landing
        }
    }
}

/// Hands a load to the fetch that is begun for it: once, so that a later fetch makes a load of its own.
final class LoadTicket: Sendable {
    private let load: Locked<Load?>

    init(_ load: Load) {
        self.load = Locked(load)
    }

    func take() -> Load? {
        load.withLock { load in
            defer { load = nil }
            return load
        }
    }
}
