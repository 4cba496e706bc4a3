internal import PigeonBase
internal import PigeonCore

/// One load of a resource: the request that brings its content, and what becomes of the answer.
///
/// The request is a program's handle on a fetch of the client. A load ties one to the other: the request ends with what the
/// server says, and its hooks run once the client has it.
final class Load: @unchecked Sendable {  // `life` is guarded by the lock of the resource
    let resource: Resource
    let request: any Request
    /// True if content that is found in a persistent cache will do.
    let acceptsCached: Bool
    fileprivate var life = Life()

    init(_ resource: Resource, _ request: any Request, acceptsCached: Bool = false) {
        self.resource = resource
        self.request = request
        self.acceptsCached = acceptsCached
    }

    deinit {
        if life.isJoined, !life.isReleased { live?.release() }
    }

    /// The request, where it is one of the library's own.
    var live: LiveRequest? { request as? LiveRequest }

    /// True once a server was asked.
    var isSent: Bool { live?.isSent ?? (request.state != .notStarted) }

    func send() {
        if let live { live.send() } else { request.start() }
    }

    /// Makes the request part of the load. Its hooks wait for ``release()``.
    ///
    /// - Parameter follower: Called when the request has ended.
    func join(_ follower: @escaping RequestLife.EndFollower) {
        if let live { live.join(follower) } else { request.followToEnd(follower) }
    }

    private func change<Result>(_ body: (inout Life) -> Result) -> Result {
        resource.state.withLock { _ in body(&life) }
    }

    // MARK: The fetch

    /// The fetch of the client that the load is for.
    var generation: UInt64? {
        get { change { $0.generation } }
        set { change { $0.generation = newValue } }
    }

    /// Takes the load for one attempt of a fetch, which ends with it. Two would both wait for its end, and the one that is
    /// stopped would end it.
    ///
    /// - Returns: `nil` if another attempt took it before.
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

    /// Ends the attempt that the load was taken for, unless it has ended.
    func finish(_ info: ResponseInfo) {
        if let run = change({ $0.takeRun() }) { resource.finish(self, with: info, run) }
    }

    /// True if its request ended, or will end as that of another load does.
    var isNotToBeSent: Bool { change { $0.end != nil || $0.isReplaced } }

    /// The fetch is ready to send the request.
    ///
    /// - Returns: False if the caller that began the load does so, once observers were notified in its own task.
    func isToBeSentByFetch() -> Bool {
        change { life in
            life.isReady = true
            return !life.isCallerPresent
        }
    }

    /// The caller that began the load does not wait to send the request any more.
    ///
    /// - Returns: True if the caller is to send it now.
    func callerLeaves() -> Bool {
        change { life in
            life.isCallerPresent = false
            return life.isReady
        }
    }

    /// Has the hooks of the request called.
    func release() {
        if change({ $0.release() }) { live?.release() }
    }

    /// Ends the request as that of a load that took its place does.
    func end(as other: Load) {
        change { $0.isReplaced = true }
        other.request.followLate { [self] info in
            live?.broadcastResponse(info)
            release()
        }
    }

    /// - Returns: True if the caller is the one to notify observers of its progress.
    func beginReportingProgress() -> Bool {
        change { life in
            defer { life.reportsProgress = true }
            return !life.reportsProgress
        }
    }
}

extension Load {
    /// How a load stood when an attempt took it.
    enum Claim {
        /// Its request is to be sent.
        case taken
        /// Its request ends as that of another load does.
        case replaced
        /// Its request has ended, with this response.
        case ended(ResponseInfo)
    }

    /// All that changes in a load. Calls no one.
    fileprivate struct Life {
        var generation: UInt64?
        var isClaimed = false
        /// True if a load that was asked for later took its place before it was sent.
        var isReplaced = false
        /// True while the caller that began it waits to send the request itself.
        var isCallerPresent = true
        /// True once the fetch left it to that caller to send the request.
        var isReady = false
        /// How the request ended.
        var end: ResponseInfo?
        /// The attempt that the load was taken for, until that has ended.
        var run: FetchRun?
        /// True once the client has the answer, or wants none any more.
        var isLanded = false
        /// True once the hooks of the request wait for it.
        var isJoined = false
        var isReleased = false
        var reportsProgress = false

        /// - Returns: The attempt to end. Once.
        mutating func takeRun() -> FetchRun? {
            defer { run = nil }
            return run
        }

        /// - Returns: True if the hooks of the request wait for it, and did not stop before.
        mutating func release() -> Bool {
            defer { isReleased = true }
            return isJoined && !isReleased
        }
    }
}

/// The loads of a resource that are not over, first to last asked. Each answer lands unless that of a later one has.
/// Guarded by the lock of the resource; calls no one.
struct Loads {
    private(set) var all: [Load] = []

    /// The newest load, and how it stands.
    struct Current {
        let load: Load
        /// True if the client is about to be told of it.
        let isBeginning: Bool
        let isCancelled: Bool
    }

    /// The newest load whose answer can become the content.
    var current: Current? {
        all.last { !$0.life.isLanded }.map { load in
            Current(
                load: load, isBeginning: load.life.generation == nil && load.life.end == nil,
                isCancelled: load.life.end?.isCancellation ?? false)
        }
    }

    /// The newest load, if the client has a fetch for it that has not begun.
    var waiting: Load? {
        guard let load = current?.load, load.life.generation != nil, !load.life.isClaimed else { return nil }
        return load
    }

    /// Adds the newest load. One whose request has ended waited to be tried again, and this is that.
    ///
    /// - Returns: Loads to be released outside of the lock.
    mutating func add(_ load: Load) -> [Load] {
        let old = all
        load.life.isJoined = true
        all.removeAll { $0.life.end != nil || $0 === load }
        all.append(load)
        return old
    }

    struct Ended {
        let old: [Load]
        /// The attempt to end.
        let run: FetchRun?
        /// The fetch to cancel, if the request was cancelled.
        let generation: UInt64?
    }

    /// The request of a load has ended. A cancelled one is over at once, so that the next to ask finds no load.
    mutating func end(_ load: Load, _ info: ResponseInfo) -> Ended {
        load.life.end = info
        if info.isCancellation { load.life.isLanded = true }
        let old = all
        if load.life.isLanded { all.removeAll { $0 === load } }
        return Ended(
            old: old, run: load.life.takeRun(), generation: info.isCancellation ? load.life.generation : nil)
    }

    /// The client has the answer of a load, or wants none any more.
    ///
    /// - Parameter isOver: False if the fetch is to be tried again.
    mutating func land(_ load: Load, isOver: Bool) -> (old: [Load], releases: Bool) {
        let old = all
        if isOver { load.life.isLanded = true }
        if load.life.isLanded, load.life.end != nil { all.removeAll { $0 === load } }
        return (old, load.life.release())
    }

    /// Forgets a load that the client refused.
    mutating func remove(_ load: Load) -> [Load] {
        let old = all
        all.removeAll { $0 === load }
        return old
    }
}
