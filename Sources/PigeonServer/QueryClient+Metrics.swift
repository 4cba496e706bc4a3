#if Server
    internal import Foundation
    public import Metrics
    internal import PigeonBase
    public import PigeonCore
    internal import PigeonFleet
    internal import PigeonOutbox

    extension QueryClient {
        /// Counts and times what happens in the client from now on, until the subscription ends.
        ///
        /// ```swift
        /// MetricsSystem.bootstrap(factory)
        /// let metrics = client.recordMetrics(of: [catalog])
        /// ```
        ///
        /// The instruments, with their dimensions:
        ///
        /// | name | counts or times | dimensions |
        /// |---|---|---|
        /// | `pigeon.hits` | calls that were answered from memory | |
        /// | `pigeon.joins` | callers who joined a running fetch | `pigeon.query` |
        /// | `pigeon.fetch.duration` | fetches, with all their attempts: the misses | `pigeon.query`, `pigeon.outcome`, `error.type` |
        /// | `pigeon.retries` | attempts that are repeated | `pigeon.query`, `pigeon.mutation`, `error.type` |
        /// | `pigeon.mutation.duration` | mutations | `pigeon.mutation`, `pigeon.outcome`, `error.type` |
        /// | `pigeon.evictions` | entries that were removed from memory | `pigeon.cause` |
        /// | `pigeon.fetches.running`, `pigeon.mutations.running` | what runs | |
        /// | `pigeon.entries`, `pigeon.memory` | entries, and the bytes of their values if there is a budget | |
        /// | `pigeon.outbox.waiting`, `pigeon.outbox.set_aside` | mutations of the outbox | |
        /// | `pigeon.upstream.running`, `pigeon.upstream.waiting` | fetches at an upstream and in its queue | `pigeon.upstream` |
        /// | `pigeon.upstream.refused` | fetches that found the queue full | `pigeon.upstream` |
        /// | `pigeon.fleet.connected` | 1 while the store of the fleet is used, 0 while it is avoided | |
        /// | `pigeon.fleet.fetches` | fetches of shared values | `pigeon.outcome`: found, awaited, led, alone |
        ///
        /// `pigeon.query` is the first component of a key. After 100 different ones, further ones are `other`. So are
        /// further names of mutations after 100, and further types of errors. Outcomes of fetches and mutations are
        /// `success`, `failure` and `cancelled`. An instrument always has all of its dimensions, as Prometheus requires:
        /// one without a value is `none`.
        ///
        /// - Parameters:
        ///   - upstreams: The upstreams to watch.
        ///   - factory: Makes the instruments. `nil` for the one of the program.
        ///   - interval: The time between two looks at what no event reports, such as hits. Default 5 seconds.
        public func recordMetrics(
            of upstreams: [Upstream] = [], with factory: (any MetricsFactory)? = nil,
            every interval: Duration = .seconds(5)
        ) -> QuerySubscription {
            let instruments = Instruments(factory ?? MetricsSystem.factory, upstreams)
            let events = onEvent { instruments.receive($0) }
            let sampler = Sampler(client: self, instruments: instruments, interval: max(interval, .milliseconds(10)))
            sampler.sample()
            return QuerySubscription {
                events.cancel()
                sampler.stop()
            }
        }
    }

    /// Samples a client at an interval.
    private final class Sampler: Sendable {
        private weak let client: QueryClient?
        private let instruments: Instruments
        private let interval: Duration
        private let next = Locked<(alarm: AlarmHandle?, isOver: Bool)>((nil, false))

        init(client: QueryClient, instruments: Instruments, interval: Duration) {
            (self.client, self.instruments, self.interval) = (client, instruments, interval)
        }

        func sample() {
            guard let client, !next.withLock({ $0.isOver }) else { return }
            instruments.look(at: client)
            let clock = client.environment.clock
            let alarm = clock.schedule(at: clock.now().advanced(by: interval)) { [weak self] in self?.sample() }
            let isOver = next.withLock { next in
                next.alarm = alarm
                return next.isOver
            }
            if isOver { alarm.cancel() }
        }

        func stop() {
            let alarm = next.withLock { next in
                next.isOver = true
                return next.alarm
            }
            alarm?.cancel()
            // Otherwise, counts since the last sample would be lost.
            if let client { instruments.look(at: client) }
        }
    }

    private typealias Dimensions = [(String, String)]

    /// A metric: a counter, a timer or a gauge.
    private struct Measurement {
        enum Value {
            case count(Int)
            case time(Duration)
            case level(Int)
        }

        let name: String
        let value: Value
        let dimensions: Dimensions

        /// A name always has the same dimensions, so only their values count.
        var id: [String] { [name] + dimensions.map(\.1) }
    }

    private enum Instrument: Sendable {
        case counter(Counter)
        case timer(Timer)
        case gauge(Gauge)

        init(for measurement: Measurement, from factory: any MetricsFactory) {
            let (name, dimensions) = (measurement.name, measurement.dimensions)
            switch measurement.value {
            case .count: self = .counter(Counter(label: name, dimensions: dimensions, factory: factory))
            case .time: self = .timer(Timer(label: name, dimensions: dimensions, factory: factory))
            case .level: self = .gauge(Gauge(label: name, dimensions: dimensions, factory: factory))
            }
        }

        func record(_ value: Measurement.Value) {
            switch (self, value) {
            case (.counter(let counter), .count(let count)): counter.increment(by: count)
            case (.timer(let timer), .time(let time)): timer.recordNanoseconds(time.clampedNanoseconds)
            case (.gauge(let gauge), .level(let level)): gauge.record(level)
            default: break  // a name belongs to one kind of instrument
            }
        }
    }

    private final class Instruments: Sendable {
        fileprivate struct State {
            var intervals = EventIntervals()
            var begins: [EventIntervals.ID: MonotonicInstant] = [:]
            /// The known values of each dimension for which a program may use identifiers.
            var values: [String: Set<String>] = [:]
            var instruments: [[String]: Instrument] = [:]
            /// Counts at the last sample, by instrument.
            var last: [[String]: Int] = [:]
        }

        private let factory: any MetricsFactory
        private let upstreams: [Upstream]
        private let state = Locked(State())

        init(_ factory: any MetricsFactory, _ upstreams: [Upstream]) {
            (self.factory, self.upstreams) = (factory, upstreams)
        }

        /// Calls the instrument and its factory, which are the program's code, so it must not be called under the lock.
        private func record(_ measurement: Measurement) {
            let id = measurement.id
            if let known = state.withLock({ $0.instruments[id] }) { return known.record(measurement.value) }
            let made = Instrument(for: measurement, from: factory)
            state.withLock { $0.instruments[id] = made }
            made.record(measurement.value)
        }

        func receive(_ event: QueryEvent) {
            let measurements = state.withLock { state in
                state.intervals.receive(event).compactMap { state.measurement(of: $0, event) }
            }
            for measurement in measurements { record(measurement) }
        }

        // MARK: Looks

        func look(at client: QueryClient) {
            let activity = client.activity()
            let outbox = client.outbox.snapshot
            set("pigeon.fetches.running", activity.fetchCount)
            set("pigeon.mutations.running", activity.mutationCount)
            set("pigeon.entries", client.count)
            if let bytes = client.bytesInMemory { set("pigeon.memory", bytes) }
            set("pigeon.outbox.waiting", outbox.waiting.count)
            set("pigeon.outbox.set_aside", outbox.setAside.count)
            raise("pigeon.hits", to: client.hitCount)
            for upstream in upstreams {
                let (load, dimensions) = (upstream.load, [("pigeon.upstream", upstream.name)])
                set("pigeon.upstream.running", load.running, dimensions)
                set("pigeon.upstream.waiting", load.waiting, dimensions)
                raise("pigeon.upstream.refused", to: load.refused, dimensions)
            }
            guard let fleet = client.fleet else { return }
            set("pigeon.fleet.connected", fleet.isConnected ? 1 : 0)
            let counts = fleet.counts
            let outcomes = [
                ("found", counts.found), ("awaited", counts.awaited), ("led", counts.led), ("alone", counts.alone),
            ]
            for (outcome, count) in outcomes {
                raise("pigeon.fleet.fetches", to: count, [("pigeon.outcome", outcome)])
            }
        }

        private func set(_ name: String, _ value: Int, _ dimensions: Dimensions = []) {
            record(Measurement(name: name, value: .level(value), dimensions: dimensions))
        }

        /// Adds the growth of a count since the last sample. The first sample only sets the start.
        private func raise(_ name: String, to value: Int, _ dimensions: Dimensions = []) {
            let id = Measurement(name: name, value: .count(0), dimensions: dimensions).id
            let last = state.withLock { $0.last.updateValue(value, forKey: id) } ?? value
            record(Measurement(name: name, value: .count(max(0, value - last)), dimensions: dimensions))
        }
    }

    extension Instruments.State {
        /// Returns `nil` if there is nothing to record.
        fileprivate mutating func measurement(of step: EventIntervals.Step, _ event: QueryEvent) -> Measurement? {
            switch step {
            case .begin(let id, _):
                begins[id] = event.time
                return nil
            case .end(let id, let kind):
                guard let begin = begins.removeValue(forKey: id) else { return nil }
                let isMutation = kind == .mutation
                return Measurement(
                    name: isMutation ? "pigeon.mutation.duration" : "pigeon.fetch.duration",
                    value: .time(begin.duration(to: event.time)),
                    dimensions: [
                        isMutation ? mutation(event) : query(event), ("pigeon.outcome", event.outcome), error(event),
                    ])
            case .mark:
                return count(event)
            }
        }

        private mutating func count(_ event: QueryEvent) -> Measurement? {
            switch event.kind {
            case .joined:
                Measurement(name: "pigeon.joins", value: .count(1), dimensions: [query(event)])
            case .retrying:
                Measurement(
                    name: "pigeon.retries", value: .count(1), dimensions: [query(event), mutation(event), error(event)])
            case .removed:
                Measurement(
                    name: "pigeon.evictions", value: .count(1),
                    dimensions: [("pigeon.cause", event.cause.description)])
            default:
                nil
            }
        }

        private mutating func query(_ event: QueryEvent) -> (String, String) {
            bounded("pigeon.query", event.key?.family)
        }

        private mutating func mutation(_ event: QueryEvent) -> (String, String) {
            bounded("pigeon.mutation", event.mutation)
        }

        private mutating func error(_ event: QueryEvent) -> (String, String) {
            bounded("error.type", event.errorType)
        }

        /// Limits a dimension to few values, because a program may use identifiers as names.
        private mutating func bounded(_ dimension: String, _ value: String?) -> (String, String) {
            guard let value else { return (dimension, "none") }
            var known = values[dimension] ?? []
            guard known.contains(value) || known.count < 100 else { return (dimension, "other") }
            known.insert(value)
            values[dimension] = known
            return (dimension, value)
        }
    }

    extension QueryEvent {
        fileprivate var outcome: String {
            switch kind {
            case .failed, .pageFailed, .mutationFailed, .setAside:
                error.map(TransientError.isCancellation) ?? false ? "cancelled" : "failure"
            case .cancelled where cause == .timeLimit: "failure"
            // A refresh postpones a page load, which continues under another number.
            case .cancelled, .dropped, .discarded, .removed, .cleared, .loadingPage: "cancelled"
            default: "success"
            }
        }
    }
#endif
