#if Server
    internal import Foundation
    public import Metrics
    internal import PigeonBase
    public import PigeonCore

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

    /// Looks at a client from time to time.
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
            // Counts of the time since the last look would be lost.
            if let client { instruments.look(at: client) }
        }
    }

    /// The instruments of a client.
    private final class Instruments: Sendable {
        typealias Dimensions = [(String, String)]

        fileprivate struct State {
            var intervals = EventIntervals()
            var begins: [EventIntervals.ID: MonotonicInstant] = [:]
            /// The values of each dimension that a program may make of identifiers.
            var values: [String: Set<String>] = [:]
            var timers: [InstrumentID: Timer] = [:]
            var counters: [InstrumentID: Counter] = [:]
            var gauges: [InstrumentID: Gauge] = [:]
            /// Counts at the last look.
            var last: [InstrumentID: Int] = [:]
        }

        private let factory: any MetricsFactory
        private let upstreams: [Upstream]
        private let state = Locked(State())

        init(_ factory: any MetricsFactory, _ upstreams: [Upstream]) {
            (self.factory, self.upstreams) = (factory, upstreams)
        }

        // MARK: Events

        func receive(_ event: QueryEvent) {
            state.withLock { state in
                for step in state.intervals.receive(event) {
                    switch step {
                    case .begin(let id, _): state.begins[id] = event.time
                    case .end(let id, let kind):
                        guard let begin = state.begins.removeValue(forKey: id) else { continue }
                        end(kind, event, after: begin.duration(to: event.time), &state)
                    case .mark: count(event, &state)
                    }
                }
            }
        }

        private func end(
            _ kind: EventIntervals.Kind, _ event: QueryEvent, after time: Duration, _ state: inout State
        ) {
            let isMutation = kind == .mutation
            let name = isMutation ? "pigeon.mutation.duration" : "pigeon.fetch.duration"
            let dimensions = [
                isMutation ? state.mutation(event) : state.query(event), ("pigeon.outcome", event.outcome),
                state.error(event),
            ]
            let timer = state.make(\.timers, name, dimensions) {
                Timer(label: name, dimensions: dimensions, factory: factory)
            }
            timer.recordNanoseconds(time.clampedNanoseconds)
        }

        private func count(_ event: QueryEvent, _ state: inout State) {
            switch event.kind {
            case .joined: add(1, to: "pigeon.joins", [state.query(event)], &state)
            case .retrying:
                let dimensions = [state.query(event), state.mutation(event), state.error(event)]
                add(1, to: "pigeon.retries", dimensions, &state)
            case .removed: add(1, to: "pigeon.evictions", [("pigeon.cause", event.cause.description)], &state)
            default: return
            }
        }

        private func add(_ count: Int, to name: String, _ dimensions: Dimensions, _ state: inout State) {
            let counter = state.make(\.counters, name, dimensions) {
                Counter(label: name, dimensions: dimensions, factory: factory)
            }
            counter.increment(by: count)
        }

        // MARK: Looks

        func look(at client: QueryClient) {
            let activity = client.activity()
            let hits = client.hitCount
            let entries = client.count
            let outbox = client.outbox.snapshot
            state.withLock { state in
                set("pigeon.fetches.running", activity.fetchCount, [], &state)
                set("pigeon.mutations.running", activity.mutationCount, [], &state)
                set("pigeon.entries", entries, [], &state)
                if let bytes = client.bytesInMemory { set("pigeon.memory", bytes, [], &state) }
                set("pigeon.outbox.waiting", outbox.waiting.count, [], &state)
                set("pigeon.outbox.set_aside", outbox.setAside.count, [], &state)
                raise("pigeon.hits", to: hits, [], &state)
                for upstream in upstreams {
                    let (load, dimensions) = (upstream.load, [("pigeon.upstream", upstream.name)])
                    set("pigeon.upstream.running", load.running, dimensions, &state)
                    set("pigeon.upstream.waiting", load.waiting, dimensions, &state)
                    raise("pigeon.upstream.refused", to: load.refused, dimensions, &state)
                }
                guard let fleet = client.fleet else { return }
                set("pigeon.fleet.connected", fleet.isConnected ? 1 : 0, [], &state)
                let counts = fleet.counts
                let outcomes = [
                    ("found", counts.found), ("awaited", counts.awaited), ("led", counts.led), ("alone", counts.alone),
                ]
                for (outcome, count) in outcomes {
                    raise("pigeon.fleet.fetches", to: count, [("pigeon.outcome", outcome)], &state)
                }
            }
        }

        private func set(_ name: String, _ value: Int, _ dimensions: Dimensions, _ state: inout State) {
            let gauge = state.make(\.gauges, name, dimensions) {
                Gauge(label: name, dimensions: dimensions, factory: factory)
            }
            gauge.record(value)
        }

        /// Adds what a count has grown by since the last look. The first look only notes where the count begins.
        private func raise(_ name: String, to value: Int, _ dimensions: Dimensions, _ state: inout State) {
            let last = state.last.updateValue(value, forKey: id(name, dimensions)) ?? value
            add(max(0, value - last), to: name, dimensions, &state)
        }
    }

    /// The name of an instrument, and the names and values of its dimensions.
    private typealias InstrumentID = [String]

    private func id(_ name: String, _ dimensions: [(String, String)]) -> InstrumentID {
        [name] + dimensions.flatMap { [$0.0, $0.1] }
    }

    extension Instruments.State {
        /// Returns an instrument, which is made if there is none yet.
        fileprivate mutating func make<Instrument>(
            _ instruments: WritableKeyPath<Self, [InstrumentID: Instrument]>, _ name: String,
            _ dimensions: [(String, String)],
            _ make: () -> Instrument
        ) -> Instrument {
            let id = id(name, dimensions)
            if let known = self[keyPath: instruments][id] { return known }
            let made = make()
            self[keyPath: instruments][id] = made
            return made
        }

        fileprivate mutating func query(_ event: QueryEvent) -> (String, String) {
            bounded("pigeon.query", event.key?.family)
        }

        fileprivate mutating func mutation(_ event: QueryEvent) -> (String, String) {
            bounded("pigeon.mutation", event.mutation)
        }

        fileprivate mutating func error(_ event: QueryEvent) -> (String, String) {
            bounded("error.type", event.errorType)
        }

        /// A dimension with one of few values: a program may make names of identifiers.
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
            // A refresh postpones a page load, which goes on with another number.
            case .cancelled, .dropped, .discarded, .removed, .cleared, .loadingPage: "cancelled"
            default: "success"
            }
        }
    }
#endif
