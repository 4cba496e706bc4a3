internal import Foundation
internal import PigeonBase
public import PigeonCore

/// The processes that share a store of records, and this client's part in it.
///
/// ```swift
/// let client = QueryClient(fleet: Fleet.Setup(store: store))
/// let price = QueryDefinition<Price>("prices", sku) { _ in try await shop.price(sku) }
///     .staleAfter(.seconds(60))
///     .shared()
/// ```
///
/// A value that one process has fetched is the value of all, for as long as it is fresh. While one process fetches a key,
/// the others wait for its value. What one process invalidates or writes turns stale in all of them.
///
/// The client follows the log of the store. While it cannot, it neither reads nor writes the store, each process fetches
/// for itself, and a shared value turns stale at the latest ``Setup/staleBound`` after it was last known to be right.
public final class Fleet: Sendable {
    /// The store of a fleet, and its limits.
    public struct Setup: ClientPartSetup {
        /// The store.
        public var store: any FleetStore
        /// The longest time for which this process shows a value that another one has invalidated. Default 10 seconds.
        /// While the store can be reached, it is the time of a message.
        public var staleBound: Duration
        /// The longest time that a call of the store takes. Default 500 milliseconds.
        public var callLimit: Duration
        /// The time after which another process takes over from one that ended during a fetch. Default 3 seconds.
        public var leaseTime: Duration
        /// The time for which the store keeps a value that is no longer fresh. Default 10 minutes.
        public var keepFor: Duration

        /// Describes a fleet.
        public init(
            store: any FleetStore, staleBound: Duration = .seconds(10), callLimit: Duration = .milliseconds(500),
            leaseTime: Duration = .seconds(3), keepFor: Duration = .seconds(600)
        ) {
            (self.store, self.keepFor) = (store, max(keepFor, .zero))
            self.staleBound = max(staleBound, .milliseconds(100))
            self.callLimit = max(callLimit, .milliseconds(1))
            self.leaseTime = max(leaseTime, .milliseconds(100))
        }
    }

    let setup: Setup
    /// Identifies the client in the log.
    let member: String
    let state = Locked(FleetState())
    let environment: QueryEnvironment
    let reference: ClientReference
    let (following, patrolling) = (TaskHandle(), TaskHandle())
    private let settling = Locked<[SharedOneShot<Void>]>([])

    var clock: any QueryClock { environment.clock }
    var store: any FleetStore { setup.store }

    init(_ setup: Setup, reference: ClientReference, environment: QueryEnvironment) {
        (self.setup, self.reference, self.environment) = (setup, reference, environment)
        member = IdempotencyKey(random: environment.random).text
    }

    /// True while the store is used: its log is followed.
    public var isConnected: Bool { state.withLock { $0.isConnected } }

    /// Numbers of the fetches of shared values so far.
    public var counts: Counts { state.withLock { $0.counts } }

    /// Numbers of fetches of shared values, by how they ended.
    public struct Counts: Sendable, Hashable {
        /// The store had the value.
        public var found = 0
        /// Another member fetched the value, or failed to.
        public var awaited = 0
        /// This member asked the server, for all.
        public var led = 0
        /// This member asked the server for itself, because the store could not be used.
        public var alone = 0
    }

    // MARK: Following the log

    func follow() async {
        var failures = 0
        while !Task.isCancelled {
            let (position, isConnected) = state.withLock { ($0.position, $0.isConnected) }
            let time = isConnected ? min(.seconds(1), setup.staleBound / 4) : .zero
            let limit = min(setup.callLimit, setup.staleBound / 4)
            do {
                let reading = try await call(within: limit + time, isAbandoned: true) { store in
                    try await store.news(after: position, waiting: time)
                }
                take(reading)
                failures = 0
            } catch {
                guard !Task.isCancelled else { return }
                lose(error)
                failures = min(failures + 1, 7)
                let pause = Duration.milliseconds(50) * (1 << failures)
                try? await clock.sleep(for: pause * (0.5 + environment.random().fraction / 2))
            }
        }
    }

    private func take(_ reading: FleetReading) {
        let consequence = state.withLock { $0.take(reading, as: member, at: clock.now()) }
        if let client = reference.client {
            switch consequence {
            case .changes(let changes): for change in changes { carryOut(change, in: client) }
            case .everythingIsStale: client.invalidateShared { _, entry in !entry.isInvalidated || entry.isBusy }
            }
        }
        resumeSettling()
        publish()
    }

    private func carryOut(_ change: FleetNews.Change, in client: QueryClient) {
        switch change {
        case .stale(let scope): client.invalidate(scope.filter, refetch: .active, cause: .otherProcess)
        case .removed(let scope): client.remove(scope.filter, cause: .otherProcess)
        }
    }

    /// Stops using the store until its log can be followed again.
    func lose(_ error: any Error) {
        if state.withLock({ $0.lose(at: clock.now()) }) {
            reference.client?.report([
                QueryCacheProblem(description: "the fleet's store cannot be used: \(TransientError.label(error))")
            ])
        }
        resumeSettling()
        guard state.withLock({ $0.beginPatrol() }) else { return }
        patrolling.launch(environment.launch) { [self] in await patrol() }
    }

    /// Until the store can be reached again, marks values stale that were last confirmed too long ago. Handles one part
    /// of the keys at a time.
    private func patrol() async {
        let (parts, half) = (16, setup.staleBound / 2)
        var part = 0
        while !Task.isCancelled {
            let (isOver, contact, lostAt) = state.withLock { ($0.endsPatrol(), $0.lastContact, $0.lostAt) }
            guard !isOver else { return }
            let limit = clock.now().advanced(by: .zero - half)
            if contact <= limit {
                // A value that arrived before the loss was noticed is only known to be right as of the last contact.
                let end = max(limit, lostAt)
                reference.client?.invalidateShared { [part] key, entry in
                    entry.writtenAt <= end && !entry.isInvalidated && key.part(of: parts) == part
                }
            }
            part = (part + 1) % parts
            do { try await clock.sleep(for: half / parts) } catch { return }
        }
    }

    // MARK: Publishing

    func publish() {
        guard let (changes, count) = state.withLock({ $0.takeUnpublished() }) else { return }
        _ = environment.launch { [self] in await publish(changes, count) }
    }

    private func publish(_ changes: [ClientChange], _ count: Int) async {
        var (rest, position) = (changes[...], FleetPosition?.none)
        var isRefused = false
        do {
            while let first = rest.first {
                if case .written(let key) = first, let write = reference.client?.written(at: key) {
                    position = try await publish(first.news, of: write.entry.key)
                    rest = rest.dropFirst()
                } else {
                    let plain = rest.prefix { $0 == first || !$0.isWrite }
                    position = try await call { [member] in try await $0.publish(plain.map(\.news), by: member) }
                    rest = rest.dropFirst(plain.count)
                }
            }
        } catch FleetError.refused {
            isRefused = true
        } catch {
            lose(error)
        }
        state.withLock { [position, isRefused] in
            $0.endPublishing(at: position, count, rest: Array(rest), isRefused: isRefused)
        }
        resumeSettling()
        if isRefused { try? await clock.sleep(for: .seconds(1)) }
        publish()
    }

    /// Publishes a write. Members that learn of it find the lease taken, and wait for the value.
    private func publish(_ change: FleetNews.Change, of key: QueryKey) async throws -> FleetPosition {
        guard var position = state.withLock({ $0.position }) else { throw FleetError.unreachable }
        // The position of the change is not known yet. It comes after all that others know.
        position.number = Self.newest
        let ask = ask(for: key, at: position, isForced: true)
        _ = try await call { try await $0.lease(key, for: ask) }
        position = try await call { [member] in try await $0.publish([change], by: member) }
        _ = environment.launch { [self, position] in await give(key, ask, at: position) }
        return position
    }

    /// A number that no log reaches, and that a script of Redis can compare.
    private static let newest: UInt64 = 1 << 52

    /// Shares the value of a published write with the other members. If they do not receive it, they fetch it.
    private func give(_ key: QueryKey, _ ask: FleetAsk, at position: FleetPosition) async {
        // A change of another member that the log has before this one may have made the value wrong.
        try? await wait { $0.hasRead(position) }
        let isKnown = state.withLock { $0.hasRead(position) }
        let outcome = (isKnown ? reference.client?.written(at: key) : nil).flatMap { entry, payload in
            entry.record(of: payload).map { record in
                let age = max(.zero, entry.writtenAt.duration(to: clock.now()))
                let lifetime = entry.lifetime(of: payload, named: nil) ?? Self.longest
                return FleetOutcome.value(
                    FleetValue(record: record, age: age, position: position), keepFor: lifetime + setup.keepFor)
            }
        }
        _ = try? await call { try await $0.end(key, for: ask, with: outcome ?? .nothing) }
    }

    // MARK: Calling the store

    func ask(
        for key: QueryKey, at position: FleetPosition, isForced: Bool = false, acceptedFailureAge: Duration = .zero,
        interval: Duration = .zero
    ) -> FleetAsk {
        FleetAsk(
            holder: IdempotencyKey(random: environment.random).text, number: position.number,
            needed: state.withLock { $0.needed(for: key) }, isForced: isForced, time: setup.leaseTime,
            acceptedFailureAge: acceptedFailureAge, interval: interval)
    }

    /// Calls the store, for a limited time.
    ///
    /// - Parameter isAbandoned: True to cancel the call when the caller is cancelled. Otherwise, the call continues.
    func call<Result: Sendable>(
        within limit: Duration? = nil, isAbandoned: Bool = false,
        _ body: @escaping @Sendable (any FleetStore) async throws -> Result
    ) async throws -> Result {
        let answer = SharedOneShot<Result>()
        let task = environment.launch { [store] in
            do { answer.resolve(.success(try await body(store))) } catch { answer.resolve(.failure(error)) }
        }
        let alarm = clock.schedule(at: clock.now().advanced(by: limit ?? setup.callLimit)) {
            if answer.resolve(.failure(FleetError.timedOut)) { task.cancel() }
        }
        defer { alarm.cancel() }
        do {
            return try await answer.value(onCancel: .resolves)
        } catch {
            if isAbandoned { task.cancel() }
            throw error
        }
    }

    // MARK: Settling

    /// Waits until the log was read up to the changes that this member has made so far, but no longer than a call
    /// takes.
    ///
    /// - Returns: The position at which a fetch can begin. `nil` if the store cannot be used.
    func settled() async throws -> FleetPosition? {
        let count = state.withLock { $0.notifiedCount }
        try await wait { $0.start(after: count) != nil }
        return state.withLock { $0.start(after: count) }
    }

    /// Waits until this member knows of every change that the other members have made so far, as far as the store has them.
    ///
    /// A change reaches the others a moment after the store, so a fetch in between can return the older value. Where that
    /// must not happen, as in the answer to a request that another member's webhook has caused, call this first:
    ///
    /// ```swift
    /// await client.fleet?.catchUp()
    /// let current = try await client.fetch(price)
    /// ```
    ///
    /// Costs a round trip to the store. Waits no longer than ``Setup/callLimit`` for each step.
    ///
    /// - Returns: False if the store could not be reached. Values can then be older, for at most ``Setup/staleBound``.
    @discardableResult
    public func catchUp() async -> Bool {
        guard var position = try? await settled() else { return false }
        do {
            let reading = try await call(isAbandoned: true) { [position] store in
                try await store.news(after: position, waiting: .zero)
            }
            switch reading {
            case .news(let news): position.number = max(position.number, news.last?.number ?? 0)
            case .log(_, _, let end): position = end
            }
            // The task that follows the log carries out what it says, in order.
            try await wait { [position] in $0.hasRead(position) }
            return state.withLock { [position] in $0.isConnected && $0.hasRead(position) }
        } catch {
            return false
        }
    }

    /// Waits until the condition is true, until it can no longer become true, or for the time of a call.
    func wait(until isTrue: @Sendable (FleetState) -> Bool) async throws {
        func isOver(_ state: FleetState) -> Bool { isTrue(state) || state.isHopeless }
        guard !state.withLock({ isOver($0) }) else { return }
        let end = clock.now().advanced(by: setup.callLimit)
        while clock.now() < end {
            let waiter = SharedOneShot<Void>()
            settling.withLock { $0.append(waiter) }
            // It may have changed before the waiter was there.
            guard !state.withLock({ isOver($0) }) else { return }
            let alarm = clock.schedule(at: end) { waiter.resolve(.success(())) }
            defer { alarm.cancel() }
            try await waiter.value(onCancel: .resolves)
        }
    }

    func resumeSettling() {
        let waiters = settling.withLock { waiters in
            defer { waiters = [] }
            return waiters
        }
        for waiter in waiters { waiter.resolve(.success(())) }
    }
}

/// An error of a ``FleetStore``.
public enum FleetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The store has answered that it does not carry out a command, for instance because it is full. The store's text says
    /// why. Its other functions are used all the same.
    case refused(String)
    /// There is no connection with the store.
    case unreachable
    /// A call took longer than its limit.
    case timedOut

    /// A short text for logs.
    public var description: String {
        switch self {
        case .refused(let text): "refused: \(text)"
        case .unreachable: "no connection"
        case .timedOut: "timed out"
        }
    }
}

extension FleetError: PlainlyDescribedError {
    /// Contains only the first word of a server's text, such as `WRONGPASS`, because the rest may contain arguments.
    package var label: String {
        guard case .refused(let text) = self else { return description }
        let code = text.prefix { $0.isUppercase }
        return code.isEmpty ? description : "refused: \(code)"
    }
}

extension QueryKey {
    /// Assigns each key permanently to one of several parts.
    fileprivate func part(of count: Int) -> Int {
        Int(stableHash(of: queryKeyValue.utf8) % UInt64(count))
    }
}
