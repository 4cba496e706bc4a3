internal import PigeonBase

/// A server that fetches ask, and the number of them that ask it at a time.
///
/// ```swift
/// let catalog = Upstream("catalog", limit: 20, queue: 200)
/// client.setDefaults(for: "products") { $0.upstream = catalog }       // or .upstream(catalog) on a definition
/// ```
///
/// More fetches than ``limit`` wait, and of those at most ``queue``. The next one is the first that came of those whose
/// tasks have the highest priority. Every eighth is the one that has waited longest, so none waits for ever. If the queue
/// is full, the fetch with the lowest priority that came last ends with ``QueryError/overloaded(key:upstream:)``. Callers
/// who accept a stale value then receive it.
///
/// Each attempt and each page has a place from its beginning to its end. A fetch that waits for its next attempt, for
/// another process or for another query (``FetchContext/fetch(_:_:)``) has none. The time in the queue counts for time
/// limits, and a fetch that is cancelled leaves the queue. Several clients can use one upstream.
public final class Upstream: Sendable {
    /// The name, for errors and metrics.
    public let name: String
    /// The most fetches that ask at a time, at least 1.
    public let limit: Int
    /// The most fetches that wait, at least 0.
    public let queue: Int

    private let state = Locked(State())

    /// Creates an upstream. To count together, definitions must have the same object.
    ///
    /// - Parameters:
    ///   - name: The name, for errors and metrics.
    ///   - limit: The most fetches that ask at a time. A number below 1 counts as 1.
    ///   - queue: The most fetches that wait. Default 1,000. A number below 0 counts as 0.
    public init(_ name: String, limit: Int, queue: Int = 1000) {
        (self.name, self.limit, self.queue) = (name, max(1, limit), max(0, queue))
    }

    /// The fetches of an upstream at one point in time.
    public struct Load: Sendable, Hashable {
        /// The number of fetches that ask.
        public var running = 0
        /// The number of fetches that wait.
        public var waiting = 0
        /// The number of fetches so far that were refused because the queue was full.
        public var refused = 0
    }

    /// The current fetches.
    public var load: Load { state.withLock { $0.load } }

    /// Waits for a place. The caller must ``leave()`` it.
    ///
    /// - Parameter returning: True for a fetch that had a place and gave it up. It comes before all others, and is not
    ///   refused.
    /// - Returns: True if the fetch had to wait.
    /// - Throws: ``QueryError/overloaded(key:upstream:)``, or `CancellationError` if the task is cancelled.
    @discardableResult
    func enter(for key: QueryKey, returning: Bool = false) async throws -> Bool {
        let queued = QueuedFetch(rank: returning ? .max : Task.currentPriority.rawValue)
        let (isFree, refused) = state.withLock { $0.enter(queued, limit: limit, queue: queue) }
        guard !isFree else { return false }
        refused?.isAdmitted.resolve(.success(false))
        do {
            guard try await queued.isAdmitted.value(onCancel: .resolves) else {
                throw QueryError.overloaded(key: key, upstream: name)
            }
            return true
        } catch is CancellationError {
            state.withLock { $0.leaveQueue(queued) }
            throw CancellationError()
        }
    }

    /// Leaves a place, which the next in the queue takes.
    func leave() {
        // A fetch that was cancelled in the meantime does not take the place.
        while let next = state.withLock({ $0.leave() }), !next.isAdmitted.resolve(.success(true)) {}
    }

    private final class QueuedFetch: @unchecked Sendable {  // `isOver` is guarded by the upstream's lock
        let rank: UInt8
        /// True for a place, false for a refusal.
        let isAdmitted = OneShot<Bool>()
        /// Increases with each arrival.
        var number: UInt64 = 0
        /// True if it has left the queue.
        var isOver = false

        init(rank: UInt8) {
            self.rank = rank
        }
    }

    /// The queued fetches of one rank, in order. Those that are over stay until they are at an end, or too many.
    private struct Lane {
        let rank: UInt8
        private var fetches: [QueuedFetch] = []
        private var first = 0
        private var count = 0

        init(rank: UInt8) {
            self.rank = rank
        }

        var isEmpty: Bool { count == 0 }
        var head: QueuedFetch? { isEmpty ? nil : fetches[first] }

        mutating func append(_ queued: QueuedFetch) {
            fetches.append(queued)
            count += 1
        }

        mutating func remove(_ queued: QueuedFetch) {
            queued.isOver = true
            count -= 1
            while first < fetches.count, fetches[first].isOver { first += 1 }
            while let last = fetches.last, last.isOver, first < fetches.count { fetches.removeLast() }
            guard fetches.count > 2 * count + 16 else { return }
            fetches = fetches[first...].filter { !$0.isOver }
            first = 0
        }

        var last: QueuedFetch? { isEmpty ? nil : fetches.last }
    }

    private struct State {
        var load = Load()
        /// The queue, from the highest rank to the lowest.
        private var lanes: [Lane] = []
        private var lastNumber: UInt64 = 0
        private var turnCount: UInt64 = 0

        /// - Returns: True if there is a place, and a queued fetch that is refused.
        mutating func enter(_ queued: QueuedFetch, limit: Int, queue: Int) -> (isFree: Bool, refused: QueuedFetch?) {
            guard load.running >= limit else {
                load.running += 1
                return (true, nil)
            }
            lastNumber += 1
            queued.number = lastNumber
            let index = lanes.firstIndex { $0.rank <= queued.rank } ?? lanes.count
            if index == lanes.count || lanes[index].rank != queued.rank {
                lanes.insert(Lane(rank: queued.rank), at: index)
            }
            lanes[index].append(queued)
            load.waiting += 1
            guard load.waiting > queue, queued.rank != .max, let last = lanes.last?.last else { return (false, nil) }
            load.refused += 1
            leaveQueue(last)
            return (false, last)
        }

        mutating func leaveQueue(_ queued: QueuedFetch) {
            guard !queued.isOver, let index = lanes.firstIndex(where: { $0.rank == queued.rank }) else { return }
            lanes[index].remove(queued)
            load.waiting -= 1
            if lanes[index].isEmpty { lanes.remove(at: index) }
        }

        /// Gives a place to the next in the queue, which is returned, or leaves it free.
        mutating func leave() -> QueuedFetch? {
            turnCount += 1
            let heads = lanes.lazy.compactMap(\.head)
            let isOldestTurn = turnCount % 8 == 0
            guard let next = isOldestTurn ? heads.min(by: { $0.number < $1.number }) : heads.first else {
                load.running -= 1
                return nil
            }
            leaveQueue(next)
            return next
        }
    }
}

extension Upstream: Equatable {
    /// True if both are the same object.
    public static func == (one: Upstream, other: Upstream) -> Bool { one === other }
}

// MARK: - Fetches

extension FetchRun {
    /// A fetch's use of its upstream.
    struct Visit: Sendable {
        enum Place: Sendable {
            case none
            case held
            /// Given up while the fetch waits for other queries.
            case away
        }

        var place = Place.none
        /// Number of the visit: each attempt makes one.
        var number = 0
        /// Number of other queries that the fetch waits for.
        var waitCount = 0
    }

    /// Runs `ask` in a place at the upstream, if the fetch has an upstream.
    func atUpstream<Answer: Sendable>(_ ask: @Sendable () async throws -> Answer) async throws -> Answer {
        try await enterUpstream()
        defer { leaveUpstream() }
        return try await ask()
    }

    /// True if an attempt may have to wait before it calls its server.
    var mayWait: Bool { upstream != nil || interval > .zero }

    /// Waits until the key may be requested again, and then for a place at the upstream. A request that a renewal of
    /// credentials needs takes no place, because those who have one may wait for the renewal.
    ///
    /// - Throws: ``QueryError/overloaded(key:upstream:)``, or `CancellationError` if the fetch is stopped.
    func enterUpstream() async throws {
        var hasWaited = try await keepInterval()
        defer { if hasWaited { noteRequested() } }
        guard let upstream, OngoingWork.current == nil else { return }
        if try await upstream.enter(for: key) {
            hasWaited = true
            if interval > .zero, let client = client.client {
                client.state.withLock { $0.requestTimes.renew(key, at: client.clock.now(), every: interval) }
            }
        }
        let isStopped = state.withLock { state in
            guard !state.isStopped else { return true }
            state.visit.number += 1
            state.visit.place = .held
            return false
        }
        guard isStopped else { return }
        upstream.leave()
        throw CancellationError()
    }

    /// Notes that the request is sent only now.
    package func noteRequested() {
        client.client?.transact { state in
            state.send(.requested(generation: generation), to: slot)
            note(state.nextItemOrder(of: slot))
        }
    }

    /// Waits until the interval since the last request of the key is over.
    ///
    /// - Returns: True if the fetch had to wait.
    private func keepInterval() async throws -> Bool {
        guard interval > .zero, let environment = client.client?.environment else { return false }
        var hasWaited = false
        while let client = client.client {
            let rest = client.state.withLock { state in
                state.requestTimes.note(key, at: environment.clock.now(), every: interval)
            }
            guard rest > .zero else { break }
            hasWaited = true
            try await environment.clock.sleep(for: rest)
        }
        return hasWaited
    }

    /// Ends the visit, if the fetch is at its upstream.
    func leaveUpstream() {
        guard let upstream else { return }
        let held = state.withLock { state in
            defer { state.visit.place = .none }
            return state.visit.place == .held
        }
        if held { upstream.leave() }
    }

    /// Waits for another query without a place at the upstream. The fetch returns to its place when it no longer waits for
    /// any query: with a place, it could wait for a query that waits for that place.
    func awayFromUpstream<Answer: Sendable>(_ wait: () async throws -> Answer) async throws -> Answer {
        guard let upstream else { return try await wait() }
        let held = state.withLock { state in
            state.visit.waitCount += 1
            guard state.visit.place == .held else { return false }
            state.visit.place = .away
            return true
        }
        if held { upstream.leave() }
        let result: Result<Answer, any Error>
        do { result = .success(try await wait()) } catch { result = .failure(error) }
        let visit = state.withLock { state -> Int? in
            state.visit.waitCount -= 1
            return state.visit.waitCount == 0 && state.visit.place == .away ? state.visit.number : nil
        }
        // In a task of its own, because the fetch may continue although this caller of it is cancelled.
        if let visit, let environment = client.client?.environment {
            await environment.launch { await self.returnToUpstream(visit) }.value
        }
        return try result.get()
    }

    private func returnToUpstream(_ visit: Int) async {
        guard let upstream, (try? await upstream.enter(for: key, returning: true)) != nil else { return }
        // In the meantime, the visit may have ended, or the fetch may wait for another query.
        let isNeeded = state.withLock { state in
            guard state.visit.number == visit, state.visit.place == .away, state.visit.waitCount == 0, !state.isStopped
            else { return false }
            state.visit.place = .held
            return true
        }
        if !isNeeded { upstream.leave() }
    }
}
