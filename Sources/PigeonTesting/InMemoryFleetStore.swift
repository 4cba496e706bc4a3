public import PigeonCore
public import PigeonFleet
internal import Foundation
internal import PigeonBase

/// A fleet's store in memory, for tests: several clients of one process are its members. It can fail as one in a network
/// does.
///
/// ```swift
/// let shared = InMemoryFleetStore()
/// let members = (1...3).map { _ in QueryClient(fleet: Fleet.Setup(store: shared)) }
/// shared.fault = .unreachable
/// ```
public final class InMemoryFleetStore: FleetStore {
    /// A way in which a store fails.
    public enum Fault: Sendable, Hashable {
        /// Every call fails at once, as without a server.
        case unreachable
        /// No call returns, as with a server that is paused.
        case hangs
        /// Nothing can be written, as in a full server or in a replica.
        case readOnly
    }

    fileprivate struct Lease {
        let ask: FleetAsk
        var end: MonotonicInstant
        var failure: (FleetFailure, at: MonotonicInstant)?
        var isAlone = false
    }

    fileprivate struct State {
        var fault: Fault?
        var epoch = 1
        var values: [QueryKey: (value: FleetValue, receivedAt: MonotonicInstant, end: MonotonicInstant)] = [:]
        var leases: [QueryKey: Lease] = [:]
        /// Start of each lease that has an interval.
        var times: [QueryKey: MonotonicInstant] = [:]
        var log: [FleetNews] = []
        var number: UInt64 = 0
        var waiting: [SharedOneShot<Void>] = []
        var calls: [String: Int] = [:]

        var position: FleetPosition { FleetPosition(epoch: "\(epoch)", number: number) }
    }

    private let state = Locked(State())
    private let clock: any QueryClock
    private let logLength: Int

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - clock: The clock of ages and leases, such as that of a ``QueryLab``.
    ///   - logLength: The most entries of the log.
    public init(clock: any QueryClock = SystemClock(), logLength: Int = 10_000) {
        (self.clock, self.logLength) = (clock, logLength)
    }

    /// The way in which the store fails. `nil` if it works.
    public var fault: Fault? {
        get { state.withLock { $0.fault } }
        set {
            state.withLock { $0.fault = newValue }
            wake()
        }
    }

    /// Number of calls of a function, by its name.
    public func callCount(of name: String) -> Int { state.withLock { $0.calls[name] ?? 0 } }

    /// Loses all content, as a server that is started again.
    public func erase() {
        state.withLock { state in
            state.epoch += 1
            (state.values, state.leases, state.times, state.log, state.number) = ([:], [:], [:], [], 0)
        }
        wake()
    }

    private func wake() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resolve(.success(())) }
    }

    // MARK: Values

    /// Returns the newest value of a key.
    public func value(for key: QueryKey) async throws -> FleetValue? {
        count("value")
        return try await access { state, now in state.value(of: key, at: now) }
    }

    /// Takes the lease of a key.
    public func lease(_ key: QueryKey, for ask: FleetAsk) async throws -> FleetLease {
        count("lease")
        return try await access(writes: true) { state, now in
            if let old = state.leases[key], old.end > now, old.ask.holder != ask.holder, !ask.isForced,
                old.ask.number >= ask.needed
            {
                if old.isAlone { return .alone }
                guard let (failure, at) = old.failure else { return .held }
                if at.duration(to: now) <= ask.acceptedFailureAge { return .failed(failure) }
            }
            // One that is sent twice asks for nothing new.
            let old = state.holds(key, ask, at: now) ? state.leases[key] : nil
            let isRepeated = old.map { $0.ask.number == ask.number && !$0.isAlone && $0.failure == nil } ?? false
            if ask.interval > .zero, !isRepeated {
                if let last = state.times[key], last.duration(to: now) < ask.interval {
                    return .early(
                        newest: state.value(of: key, at: now), rest: ask.interval - last.duration(to: now))
                }
                state.times[key] = now
            }
            state.leases[key] = Lease(ask: ask, end: now.advanced(by: ask.time))
            return .taken(newest: state.value(of: key, at: now))
        }
    }

    /// Lets a lease begin anew.
    public func renew(_ key: QueryKey, for ask: FleetAsk) async throws -> Bool {
        count("renew")
        return try await access(writes: true) { state, now in
            guard state.holds(key, ask, at: now) else { return false }
            state.leases[key]?.end = now.advanced(by: ask.time)
            return true
        }
    }

    /// Ends a lease.
    public func end(_ key: QueryKey, for ask: FleetAsk, with outcome: FleetOutcome) async throws -> Bool {
        count("end")
        return try await access(writes: true) { state, now in
            guard state.holds(key, ask, at: now) else { return false }
            switch outcome {
            case .value(let value, let keepFor):
                let receivedAt = now.advanced(by: .zero - value.age)
                state.values[key] = (value, receivedAt, now.advanced(by: keepFor))
                state.leases[key] = nil
            case .failure(let failure, let keepFor):
                state.leases[key]?.failure = (failure, now)
                state.leases[key]?.end = now.advanced(by: keepFor)
            case .alone(let keepFor):
                state.leases[key]?.isAlone = true
                state.leases[key]?.end = now.advanced(by: keepFor)
            case .nothing: state.leases[key] = nil
            }
            return true
        }
    }

    // MARK: The log

    /// Adds news to the log.
    public func publish(_ changes: [FleetNews.Change], by member: String) async throws -> FleetPosition {
        count("publish")
        let position = try await access(writes: true) { state, _ in
            for change in changes {
                state.number += 1
                state.log.append(FleetNews(number: state.number, member: member, change: change))
                if case .removed(let scope) = change {
                    state.values = state.values.filter { !scope.contains($0.key, tags: $0.value.value.record.tags) }
                }
            }
            state.log.removeFirst(max(0, state.log.count - self.logLength))
            return state.position
        }
        wake()
        return position
    }

    /// Returns the news after a position.
    public func news(after position: FleetPosition?, waiting time: Duration) async throws -> FleetReading {
        count("news")
        let end = clock.now().advanced(by: time)
        while true {
            let waiter = SharedOneShot<Void>()
            let reading = try await access { state, now -> FleetReading? in
                let oldest = state.number - UInt64(state.log.count)
                guard let position, position.epoch == state.position.epoch, position.number >= oldest else {
                    return .log(state.log, after: oldest, at: state.position)
                }
                guard position.number == state.number, now < end else {
                    return .news(state.log.filter { $0.number > position.number })
                }
                state.waiting.append(waiter)
                return nil
            }
            if let reading { return reading }
            let alarm = clock.schedule(at: end) { waiter.resolve(.success(())) }
            defer { alarm.cancel() }
            try await waiter.value(onCancel: .resolves)
        }
    }

    // MARK: Faults

    /// Counts a call, which may have to access the state more than once.
    private func count(_ name: String) { state.withLock { $0.calls[name, default: 0] += 1 } }

    private func access<Result: Sendable>(
        writes: Bool = false, _ body: (inout State, MonotonicInstant) -> Result
    ) async throws -> Result {
        while true {
            let waiter = SharedOneShot<Void>()
            let result = try state.withLock { state -> Result? in
                switch state.fault {
                case .unreachable: throw FleetError.unreachable
                case .readOnly where writes:
                    throw FleetError.refused("READONLY You can't write against a read only replica.")
                case .hangs:
                    state.waiting.append(waiter)
                    return nil
                case .readOnly, nil: return body(&state, clock.now())
                }
            }
            if let result { return result }
            try await waiter.value(onCancel: .resolves)
        }
    }
}

extension InMemoryFleetStore.State {
    fileprivate func value(of key: QueryKey, at now: MonotonicInstant) -> FleetValue? {
        guard let found = values[key], found.end > now else { return nil }
        var value = found.value
        value.age = max(.zero, found.receivedAt.duration(to: now))
        return value
    }

    fileprivate func holds(_ key: QueryKey, _ ask: FleetAsk, at now: MonotonicInstant) -> Bool {
        guard let lease = leases[key], lease.end > now else { return false }
        return lease.ask.holder == ask.holder
    }
}
