internal import Foundation

/// Keeps server data in memory and in caches, fetches it, and notifies observers of changes.
///
/// A client can be used from any thread, and does not need a main run loop. All code that uses one client shares its
/// data.
///
/// ```swift
/// let client = QueryClient()
/// let user = try await client.fetch(.user(42))                  // fresh: from memory; in flight: joins; else fetches
/// for await snapshot in client.observe(.user(42)) { show(snapshot) }
/// await client.invalidate(.path("users"))
/// ```
///
/// A client cancels its fetches when it is released. Observers and waiting callers retain it.
public final class QueryClient: Sendable {
    /// The client of code that names none. The engine itself never uses it.
    ///
    /// It has no cache and no dependencies, unless the program has set another one with ``setShared(_:)``.
    public static var shared: QueryClient { SharedState.current.client }

    /// Makes a client the one of code that names none, so that `Query(.user(42))` uses the program's cache and dependencies.
    ///
    /// ```swift
    /// QueryClient.setShared(QueryClient(dependencies: Dependencies(LiveServer() as any UserServer)))
    /// ```
    ///
    /// Call it once, at the start of the program. What has used ``shared`` before goes on with the client that it has, and
    /// that client reports the misuse.
    public static func setShared(_ client: QueryClient) {
        guard let old = SharedState.current.replaceClient(by: client), old !== client else { return }
        old.reportMisuse("setShared: a shared client was in use already; what has it keeps it")
    }

    /// The clock, the random numbers and the surroundings of the client.
    public let environment: QueryEnvironment

    /// The cache of persisted definitions that name no cache.
    public let cache: (any QueryCacheType)?

    /// What fetchers and mutations reach through their contexts.
    public let dependencies: Dependencies

    let parts: [any ClientPart]
    /// The one of ``parts`` that shares values.
    let sharer: (any SharingPart)?

    /// Objects of other modules that belong to the client, by names of their choice.
    package let attachments = Locked<[String: any Sendable]>([:])

    let faults = Locked<[QueryKey: FetchFault]>([:])
    /// The number of ``faults``, so that fetches without any need no lock.
    let faultCount = AtomicNumber()

    /// 1 once the client is closed.
    let closing = AtomicNumber()
    /// Follows the fetches, for traces. ``isTraced`` is 1 if there is one.
    let tracing = Locked<(any FetchTracing)?>(nil)
    let isTraced = AtomicNumber()

    let state: Locked<ClientState>
    let options: OptionLayers
    package let reference: ClientReference
    let writer = RecordWriter()
    let budget: Int?
    let clock: any QueryClock
    private let minimumAway: Duration
    let subscriptions: Locked<[QuerySubscription]>

    /// The date at the clock's zero.
    let origin: Date

    /// Creates a client that shares no data with others.
    ///
    /// - Parameters:
    ///   - cache: The cache of persisted definitions that name none. `nil` for no cache.
    ///   - dependencies: What fetchers and mutations reach through their contexts.
    ///   - options: Default options of every definition.
    ///   - budget: Maximum size of all values in memory, in bytes. Above it, unused entries are evicted, least recently
    ///     used first. `nil` for no limit.
    ///   - minimumAway: Shortest time in the background after which a return to the foreground refetches. 5 seconds by
    ///     default.
    ///   - environment: The clock, the random numbers and the surroundings of the client.
    public convenience init(
        cache: (any QueryCacheType)? = nil, dependencies: Dependencies = Dependencies(),
        options: QueryOptions = QueryOptions(), budget: Int? = nil, minimumAway: Duration = .seconds(5),
        environment: QueryEnvironment = QueryEnvironment()
    ) {
        self.init(
            parts: [], cache: cache, dependencies: dependencies, options: options, budget: budget,
            minimumAway: minimumAway, environment: environment)
    }

    package init(
        parts setups: [(any ClientPartSetup)?], cache: (any QueryCacheType)?, dependencies: Dependencies,
        options: QueryOptions, budget: Int?, minimumAway: Duration, environment: QueryEnvironment
    ) {
        self.environment = environment
        self.cache = cache
        self.dependencies = dependencies
        self.minimumAway = minimumAway
        clock = environment.clock
        origin = environment.wallClock().addingTimeInterval(-Double(environment.clock.now().nanoseconds) / 1e9)
        reference = ClientReference()
        parts = Self.makeParts(setups, reference, environment)
        sharer = parts.lazy.compactMap { $0 as? any SharingPart }.first
        self.budget = budget.map { max(0, $0) }
        self.options = OptionLayers(options)
        var state = ClientState(
            client: reference, isOnline: environment.connectivity.isOn, isActive: environment.activity.isOn,
            cache: cache, hasSharer: sharer != nil, budget: Budget(limit: self.budget))
        if let cache { _ = state.records.queue(of: cache) }
        if !state.isActive { state.leftAt = clock.now() }
        self.state = Locked(state)
        subscriptions = Locked([])
        reference.client = self
        listenToSurroundings()
        for part in parts { part.open() }
        environment.onClient?(self)
    }

    deinit {
        for part in parts { part.close() }
        let (runs, requests, alarm, records) = state.withLock { state in
            let runs = state.entries.slots.values.flatMap { $0.takeRuns() }
            let requests = state.entries.slots.values.flatMap { $0.entry.requests }
            return (runs, requests, state.alarms.timer, state.records.queues.compactMap { $0.take() })
        }
        alarm?.cancel()
        for run in runs { run.stop() }
        for request in requests { request.fetchEnded(.cancelled) }
        for (queue, _) in records { queue.underWay = nil }  // would retain itself
        guard !records.isEmpty else { return }
        // Writes the values that are pending when the client is released within its write delay.
        let (now, date) = (clock.now(), environment.wallClock())
        Task.detached {
            for (queue, work) in records { _ = queue.write(work, now: now, date: date) }
        }
    }

    // MARK: Transactions

    /// Runs `body` under the lock, and then carries out the resulting work.
    func transact<Result>(_ body: (inout ClientState) throws -> Result) rethrows -> Result {
        var work = Work()
        defer { carryOut(work) }
        return try state.withLock { state in
            state.now = clock.now()
            defer { swap(&work, &state.work) }
            return try body(&state)
        }
    }

    /// Carries out the effects of a transaction. User code may block, so the order limits what it can delay: timers come
    /// before it, and what follows from the change comes after observers know of it. Each step may re-enter the client.
    private func carryOut(_ work: Work, isDelivered wasDelivered: Bool = false) {
        if work.hasItems { return carryOutWithItems(work) }
        // Timers come first, so that no user code delays them.
        if let deadline = work.alarm { arm(for: deadline) }
        for (core, slot, error) in work.rare?.expulsions ?? [] { expel(core, from: slot, error) }
        let hasDeliveries = !work.deliveries.isEmpty || !work.recorders.isEmpty
        let isDelivered =
            wasDelivered || hasDeliveries && JointDelivery.current?.take(work, of: self) ?? false
        if !isDelivered { work.deliveries.forEach { deliver($0.slot, fromObserver: $0.first) } }
        if work.hasActivity { announceActivity() }
        if !isDelivered { for recorder in work.recorders { recorder.deliverRecorded() } }
        for (core, slot) in work.rare?.announcements ?? [] { deliver(slot, to: core) }
        for (waiter, result) in work.resumptions { waiter.outcome.resolve(result) }
        for turn in work.rare?.turns ?? [] { turn.resume() }
        if work.recordsAreDue { writeRecords() }
        for wait in work.rare?.endedMutations ?? [] { wait.end() }
        // Before the fetches that follow from them.
        if let sharer { for change in work.rare?.changes ?? [] { sharer.hear(change) } }
        for run in work.stops { run.stop() }
        for (request, end) in work.rare?.endedRequests ?? [] { request.fetchEnded(end) }
        for run in work.starts { launch(run) }
        if !work.sourceSteps.isEmpty { perform(work.sourceSteps) }
        if work.hasUndelayedRecords { writeUndelayedRecords() }
        // Events come last. Listeners see them in one order, whichever thread calls them.
        if work.hasEvents { deliverEvents() }
    }

    /// Carries out the effects of a transaction that changed a value with items. Observers learn of it when all entries that
    /// contain a newer item have it.
    private func carryOutWithItems(_ work: Work) {
        var work = work
        work.hasItems = false
        if let deadline = work.alarm.take() { arm(for: deadline) }
        let isDelivered = delivered(asOne: {
            let isTaken = JointDelivery.current?.take(work, of: self) ?? false
            let replaced = spreadItems()
            if !replaced.isEmpty { work.replaceResults(by: replaced) }
            return isTaken
        })
        carryOut(work, isDelivered: isDelivered)
    }

    private func arm(for deadline: MonotonicInstant) {
        let reference = reference
        let handle = clock.schedule(at: deadline) { reference.client?.timePassed() }
        // If another thread has changed the deadline in the meantime, that thread's timer is the one to keep.
        let spare = state.withLock { state -> AlarmHandle? in
            guard state.alarms.armedFor == deadline else { return handle }
            defer { state.alarms.timer = handle }
            return state.alarms.timer
        }
        spare?.cancel()
    }

    private func timePassed() {
        transact { $0.timePassed() }
    }

    private func writeRecords() {
        let reference = reference
        _ = environment.launch { if let client = reference.client { await client.writer.write(for: client) } }
    }

    // MARK: Surroundings

    private func listenToSurroundings() {
        let reference = reference
        let made = [
            environment.connectivity.follow { reference.client?.setOnline($0) },
            environment.activity.follow { reference.client?.setActive($0) },
            environment.memoryPressure.onChange { if $0 { reference.client?.dropUnobserved(.memoryPressure) } },
        ]
        subscriptions.withLock { $0 = made }
    }

    private func setOnline(_ isOnline: Bool) {
        transact { state in
            guard state.isOnline != isOnline else { return }
            state.isOnline = isOnline
            guard isOnline else {
                state.forgetReconnect()
                return state.notifyEntries(of: .conditions)
            }
            state.resumeMutations(then: .reconnected)
        }
    }

    private func setActive(_ isActive: Bool) {
        transact { state in
            guard state.isActive != isActive else { return }
            state.isActive = isActive
            let leftAt = state.leftAt
            state.leftAt = isActive ? nil : state.now
            guard isActive else { return }
            let away = leftAt?.duration(to: state.now) ?? .zero
            state.resumeMutations(then: away >= minimumAway ? .returned : .conditions)
        }
    }

    // MARK: Writing records

    /// Waits until this process could end and nothing would be lost: until all values received or written so far are in
    /// their caches, and on disk if the cache uses one, and until those who share its values can know all changes.
    ///
    /// The client goes on. To let another process send the mutations of an outbox at once, call ``close(within:)``.
    ///
    /// - Returns: The values that could not be written, with the reasons, ordered by key. An item without a key comes
    ///   first if a store could not carry out invalidations or removals and had no value to write, or if those who share
    ///   its values do not know all changes. Empty if everything was written. The client retries what a store refused. It drops a
    ///   value that cannot be encoded, and returns it from the next flush only.
    @discardableResult
    public func flush() async -> [QueryCacheProblem] {
        let unwritten = await environment.writing.during {
            let unwritten = await writer.writeAll(for: self)
            await writer.flush(state.withLock { $0.records.queues.map(\.cache) })
            return unwritten
        }
        let known = Set(unwritten.compactMap(\.key))
        let refused = state.withLock { $0.records.queues.flatMap { $0.takeRefused() } }
            .filter { problem in !(problem.key.map(known.contains) ?? false) }
        let unshared = await sharer?.settle()
        return (unwritten + refused + (unshared.map { [$0] } ?? [])).sorted {
            ($0.key?.queryKeyValue ?? "") < ($1.key?.queryKeyValue ?? "")
        }
    }

    /// Writes all values received or written so far to their caches.
    package func writeAllRecords() async { await writer.writeAll(for: self) }

    /// Writes the records that have no delay, until there are none. A thread that finds another one writing to a cache
    /// leaves its work to that thread, so an older value never overwrites a newer one.
    private func writeUndelayedRecords() {
        while writeUndelayedBatch() {}
    }

    /// - Returns: False if there is none.
    private func writeUndelayedBatch() -> Bool {
        guard let (queue, work) = state.withLock({ $0.records.queues.first { $0.isDue }?.take() }) else { return false }
        write(work, of: queue)
        return true
    }

    /// Writes one batch to each of some caches, unless another thread is writing to it. Called by the writer only.
    ///
    /// - Returns: The values that could not be written, and the caches that other threads are writing to, each with a
    ///   waiter for the end of that write.
    func writeBatches(
        of queues: [RecordQueue]
    ) -> (unwritten: [QueryCacheProblem], busy: [(queue: RecordQueue, end: WaitingCaller)]) {
        var unwritten: [QueryCacheProblem] = []
        var busy: [(queue: RecordQueue, end: WaitingCaller)] = []
        for queue in queues {
            let (end, batch) = state.withLock { _ in (queue.waiterIfBusy(), queue.take()) }
            if let end { busy.append((queue, end)) }
            if let batch { unwritten += write(batch.work, of: queue) }
        }
        // Other threads may add work without end, so a task of its own writes what they have left to this one.
        if state.withLock({ _ in queues.contains { $0.isDue } }) {
            _ = environment.launch {
                // A launched task begins on this thread, and must not keep one of the pool for itself.
                repeat { await Task.yield() } while self.writeUndelayedBatch()
            }
        }
        return (unwritten, busy)
    }

    /// - Returns: The values that could not be written. Those that the cache refused are also kept for the next ``flush()``.
    @discardableResult
    private func write(_ records: RecordWork, of queue: RecordQueue) -> [QueryCacheProblem] {
        let outcome = queue.write(records, now: clock.now(), date: environment.wallClock())
        // User values are released outside the lock.
        let unfollowed = withExtendedLifetime((records, outcome)) {
            transact { state in
                state.finishWrite(of: queue, failed: outcome.failed)
                if outcome.failed == nil {
                    state.noteWritten(records, by: queue)
                    queue.refuse(outcome.unwritten, of: records)
                }
                for problem in outcome.problems {
                    state.emit(.cacheProblem(problem.description), key: problem.key, .written)
                }
                return queue.beginFollowing()
            }
        }
        if let unfollowed { follow(unfollowed, of: queue) }
        return outcome.unwritten
    }

    package func report(_ problems: [QueryCacheProblem]) {
        guard !problems.isEmpty else { return }
        transact { state in
            for problem in problems {
                state.emit(.cacheProblem(problem.description), key: problem.key, .cached)
            }
        }
    }
}
