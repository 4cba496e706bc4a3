internal import PigeonBase
internal import PigeonCore

/// One load of a resource: the request for its content, and the handling of the response.
///
/// To the program, a load is a request. To the client, it is a fetch. A load connects the two: the request completes
/// with the server's response, and its hooks run once the response is stored in the client.
final class Load: @unchecked Sendable {  // the resource's lock guards `life`
    let resource: Resource
    let request: any Request
    /// True if the request need not be sent when a persistent cache has content that is up to date.
    let acceptsCached: Bool
    fileprivate var life = Life()

    /// - Parameter generation: The generation of the client's fetch to which the load belongs, if it is known already.
    init(_ resource: Resource, _ request: any Request, acceptsCached: Bool = false, of generation: UInt64? = nil) {
        self.resource = resource
        self.request = request
        self.acceptsCached = acceptsCached
        life.generation = generation
    }

    deinit {
        if life.holdsHooks { live?.release() }
    }

    var live: LiveRequest? { request as? LiveRequest }

    var isSent: Bool { live?.isSent ?? (request.state != .notStarted) }

    func send() {
        if let live { live.send() } else { request.start() }
    }

    /// Makes the request part of the load. Its hooks wait for ``release()``, if it is a ``LiveRequest``.
    ///
    /// - Parameter listener: Called when the request has completed.
    func join(_ listener: @escaping RequestLife.EndListener) {
        if let live { live.join(listener) } else { request.followToEnd(listener) }
    }

    private func change<Result>(_ body: (inout Life) -> Result) -> Result {
        resource.state.withLock { _ in body(&life) }
    }

    // MARK: The fetch

    func belong(to generation: UInt64) {
        change { $0.generation = generation }
    }

    /// Claims the load for one run of a fetch, which ends when the load ends. If two runs shared the load, both would
    /// wait for its end, and stopping one of them would end it for both.
    ///
    /// - Returns: `nil` if another run has claimed the load before.
    func claim(for run: FetchRun) -> Claim? {
        change { life in
            guard !life.isClaimed else { return nil }
            life.isClaimed = true
            life.generation = run.generation
            life.run = run
            if let end = life.end { return .ended(end) }
            return life.isReplaced ? .replaced : .taken
        }
    }

    /// Finishes the fetch run that has claimed the load, unless the run has ended already.
    func finish(_ info: ResponseInfo) {
        if let run = change({ $0.takeRun() }) { resource.finish(self, with: info, run) }
    }

    /// True if the request has completed, or will complete with the response of another load.
    var isNotToBeSent: Bool { change { $0.end != nil || $0.isReplaced } }

    /// True if no fetch run has claimed the load, and one is needed to complete its request.
    var isUnclaimed: Bool { change { !$0.isClaimed && $0.end == nil && !$0.isReplaced } }

    func release() {
        if change({ $0.release() }) { live?.release() }
    }

    /// Completes the request with the response of a load that has replaced this one.
    func end(as other: Load) {
        change { life in
            life.isReplaced = true
            life.isCommitted = true  // otherwise a later fetch could take the load, with the response of another one
        }
        other.request.followLate { [self] info in
            live?.broadcastResponse(info)
            release()
        }
    }
}

extension Load {
    /// The state of a load when an attempt claims it.
    enum Claim {
        /// The caller must send the request.
        case taken
        case replaced
        case ended(ResponseInfo)
    }

    fileprivate struct Life {
        var generation: UInt64?
        var isClaimed = false
        /// True if a later load has replaced this one before it was sent.
        var isReplaced = false
        /// True while the caller that began the load waits to send the request itself.
        var isCallerPresent = false
        /// True once the fetch is ready for the request to be sent.
        var isReady = false
        /// The response of the request, once it has completed.
        var end: ResponseInfo?
        /// The fetch run that has claimed the load, until the run has ended.
        var run: FetchRun?
        /// True once the response is stored in the client, or can no longer be.
        var isCommitted = false
        /// True while the hooks of the request wait for the load.
        var holdsHooks = false
        var reportsProgress = false

        /// Removes and returns the fetch run to finish, if any.
        mutating func takeRun() -> FetchRun? {
            defer { run = nil }
            return run
        }

        /// - Returns: True if the hooks of the request have waited for the load until now.
        mutating func release() -> Bool {
            defer { holdsHooks = false }
            return holdsHooks
        }
    }
}

/// The loads of a resource that are not over, in the order in which they were requested. Each response is stored, unless
/// the response to a later load has been stored first. Guarded by the resource's lock. Calls no other code.
struct Loads {
    private(set) var all: [Load] = []
    /// The generation of the newest fetch, if its last attempt has failed and there is no load for the next one yet.
    private(set) var retried: UInt64?

    struct Current {
        let load: Load
        /// True if the client has not begun a fetch for the load yet.
        let isBeginning: Bool
    }

    /// The newest load whose response can become the content.
    var current: Current? {
        all.last { !$0.life.isCommitted }.map { load in
            Current(load: load, isBeginning: load.life.generation == nil && load.life.end == nil)
        }
    }

    /// The newest load, if it belongs to a fetch of the client whose next attempt has not started.
    var waiting: Load? {
        guard let load = current?.load, load.life.generation != nil, !load.life.isClaimed else { return nil }
        return load
    }

    /// Adds the newest load. Removes loads whose requests have completed.
    ///
    /// - Parameter isCallerPresent: True if the caller will send the request, after it has notified observers in its own
    ///   task.
    /// - Returns: The previous loads, to be released outside the lock.
    mutating func add(_ load: Load, isCallerPresent: Bool) -> [Load] {
        let old = all
        load.life.holdsHooks = true
        load.life.isCallerPresent = isCallerPresent
        all.removeAll { $0.life.end != nil }
        all.append(load)
        retried = nil
        return old
    }

    /// Records that the fetch is ready for the request to be sent.
    ///
    /// - Returns: False if the caller that began the load will send the request.
    mutating func becomeReady(_ load: Load) -> Bool {
        load.life.isReady = true
        return !load.life.isCallerPresent
    }

    /// Records that the caller that began the load no longer waits to send the request.
    ///
    /// - Returns: True if the caller must send the request now.
    mutating func callerLeaves(_ load: Load) -> Bool {
        load.life.isCallerPresent = false
        return load.life.isReady
    }

    /// - Returns: The newest load, if its progress is not reported to observers yet. The caller must then report it.
    mutating func beginReportingProgress() -> Load? {
        guard let load = current?.load, !load.life.reportsProgress else { return nil }
        load.life.reportsProgress = true
        return load
    }

    struct Ended {
        let old: [Load]
        /// The fetch run to finish, if any.
        let run: FetchRun?
        let generation: UInt64?
    }

    /// Records that the request of a load has completed. A cancelled load is over at once, so that the next caller does
    /// not find it.
    mutating func end(_ load: Load, _ info: ResponseInfo) -> Ended {
        load.life.end = info
        if info.isCancellation { load.life.isCommitted = true }
        let old = all
        if load.life.isCommitted { all.removeAll { $0 === load } }
        return Ended(
            old: old, run: load.life.takeRun(), generation: info.isCancellation ? load.life.generation : nil)
    }

    /// Records that the response of a load is stored in the client, or can no longer be.
    ///
    /// - Parameter isRetried: True if the fetch will be retried, which takes another load.
    mutating func land(_ load: Load, isRetried: Bool) -> (old: [Load], releases: Bool) {
        let old = all
        // If it is not the newest load, the retry has begun, or another fetch has replaced this one.
        if isRetried, all.last === load { retried = load.life.generation }
        load.life.isCommitted = true
        if load.life.end != nil { all.removeAll { $0 === load } }
        return (old, load.life.release())
    }

    /// Removes a load that the client has rejected.
    mutating func remove(_ load: Load) -> [Load] {
        let old = all
        all.removeAll { $0 === load }
        return old
    }
}
