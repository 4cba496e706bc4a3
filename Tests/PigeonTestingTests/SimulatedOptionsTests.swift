import EngineSimulation
import PigeonCore
import PigeonTesting
import Testing

/// Simulates definitions whose options change when a client fetches, and which values it accepts.
@Suite("Simulated options", .serialized)
struct SimulatedOptionsTests {
    /// An option of a definition.
    enum Option: String, CaseIterable, CustomTestStringConvertible {
        case backgroundPolls, lastValue, polledAtIntervals
        case choosyRetries, ownClosures, longDelays, endlessRetries
        case neverOnAttach, alwaysOnAttach, noFetchOnAttach
        case neverOnReturn, alwaysOnReturn, noNetwork
        case freshByValue, alwaysFresh, freshByChance
        case interval, longInterval
        case cachedOnly, keptForLong, placeholder

        var testDescription: String { rawValue }

        func set(on definition: QueryDefinition<Int>) -> QueryDefinition<Int> {
            switch self {
            case .backgroundPolls: definition.poll(every: .seconds(7), inBackground: true)
            case .lastValue: definition.poll(every: .seconds(7)) { $0.isMultiple(of: 3) }
            case .polledAtIntervals: definition.poll(every: .seconds(7)).fetchAtMostEvery(.seconds(20))
            case .choosyRetries, .ownClosures, .longDelays: definition.retry(Self.patient)
            case .endlessRetries: definition.retry(RetryPolicy(limit: .max))
            case .neverOnAttach: definition.refetchOnAttach(.never)
            case .alwaysOnAttach: definition.staleAfter(.never).refetchOnAttach(.always)
            case .noFetchOnAttach: definition.options { $0.fetchesOnAttach = false }
            case .neverOnReturn: definition.refetchOnReconnect(.never).refetchOnForeground(.never)
            case .alwaysOnReturn:
                definition.staleAfter(.never).refetchOnReconnect(.always).refetchOnForeground(.always)
            case .noNetwork: definition.networkMode(.always)
            case .freshByValue: definition.staleAfter { $0.isMultiple(of: 2) ? .seconds(30) : .never }.persisted()
            case .alwaysFresh: definition.staleAfter(.immutable)
            case .freshByChance:
                definition.staleAfter(.seconds(30), jitter: 0.5).refreshEarly(by: .seconds(10))
                    .rememberFailures(for: .seconds(20))
            case .interval: definition.fetchAtMostEvery(.seconds(20))
            case .longInterval: definition.fetchAtMostEvery(.hours(2))
            case .cachedOnly: definition.fetchPolicy(.cacheOnly)
            case .keptForLong: definition.keepFor(.hours(1))
            case .placeholder: definition.placeholder(-1)
            }
        }

        /// Retries one status, after twenty minutes. Created anew for each definition, as in programs.
        private static var patient: RetryPolicy {
            RetryPolicy(
                limit: 5, delay: { _ in .minutes(20) }, hasJitter: false,
                shouldRetry: { ($0 as? any TransientErrorType)?.statusCode == 503 })
        }

        /// Operations that break a rule in the eyes of a simulation that does not know the option.
        var operations: [SimulatedAction] {
            switch self {
            case .backgroundPolls: Self.loaded + [.foreground(false), .wait(8), .answer(0), .wait(30)]
            case .lastValue: Self.loaded + [.wait(30)]
            case .polledAtIntervals: Self.loaded + [.wait(8), .network(false), .foreground(false), .wait(30)]
            case .choosyRetries: Self.loaded + [.fetch("count", .refetch), .fail(0, .lost)]
            case .ownClosures: [.fetch("count", .fetch), .fetch("count", .fetch), .answer(0)]
            case .longDelays: [.fetch("count", .fetch), .fail(0, .unavailable)]
            case .neverOnAttach, .alwaysOnAttach, .noFetchOnAttach, .freshByValue:
                Self.loaded + [.observe("count", isEnabled: true)]
            case .neverOnReturn, .alwaysOnReturn, .noNetwork:
                Self.loaded + [.network(false), .network(true), .foreground(false), .wait(8), .foreground(true)]
            case .alwaysFresh: Self.loaded + [.invalidate(.all, .active)]
            case .freshByChance:
                [
                    .observe("count", isEnabled: true), .fail(0, .refused), .observe("count", isEnabled: true),
                    .wait(30), .observe("count", isEnabled: true), .answer(0), .wait(8),
                    .observe("count", isEnabled: true),
                ]
            case .interval: Self.loaded + [.fetch("count", .refetch), .network(false), .wait(30)]
            case .longInterval: Self.loaded + [.fetch("count", .refetch)]
            case .cachedOnly:
                Self.loaded + [.change("count", 1), .invalidate(.all, .none), .fetch("count", .fetch)]
            case .endlessRetries, .keptForLong, .placeholder: Self.loaded
            }
        }

        private static let loaded: [SimulatedAction] = [.observe("count", isEnabled: true), .answer(0)]
    }

    /// A count on the server.
    ///
    /// - Parameter asks: Returns false for a fetch that the definition answers with its previous value.
    private static func count(
        _ set: @escaping @Sendable (QueryDefinition<Int>) -> QueryDefinition<Int>,
        asks: @escaping @Sendable (Cause) -> Bool = { _ in true }
    ) -> SimulatedQuery {
        SimulatedQuery(states: { $0 }) { server in
            set(
                QueryDefinition<Int>("count") { context in
                    if let previous = context.previous, !asks(context.cause) { return previous }
                    return try await server.answer(context)
                })
        }
    }

    private static func simulation(_ actions: [SimulatedAction], _ query: SimulatedQuery) -> Simulation {
        Simulation(seed: 1, operations: actions.map(Simulation.Operation.init), queries: [query]).checkingEngine()
    }

    @Test(arguments: Option.allCases)
    func `a client that follows an option breaks no rule`(option: Option) async throws {
        try await onOwnThread {
            let query = Self.count { option.set(on: $0) }
            try Self.simulation(option.operations, query).run()
            for seed: UInt64 in 0..<20 {
                try Simulation(seed: seed, steps: 400, queries: [query]).checkingEngine().run()
            }
        }
    }

    @Test(arguments: [Option.backgroundPolls, .lastValue, .polledAtIntervals])
    func `a poll that asks no server is found`(option: Option) {
        let query = Self.count({ option.set(on: $0) }, asks: { $0 != .poll })
        // Of the three, only the first polls in the background.
        let isActive = option != .backgroundPolls
        let found = #expect(throws: Simulation.Violation.self) {
            try Self.simulation(
                [
                    .change("count", 1), .observe("count", isEnabled: true), .answer(0), .foreground(isActive),
                    .wait(30),
                ], query
            ).run()
        }
        #expect(found?.rule.hasPrefix("polling:") == true)
    }

    @Test func `a retry policy that changes its mind about an error is found`() {
        let calls = Locked(0)
        let fickle = RetryPolicy(
            limit: 3,
            shouldRetry: { _ in
                calls.withLock { count in
                    count += 1
                    return count.isMultiple(of: 2)
                }
            })
        let query = Self.count { $0.retry(fickle) }
        let found = #expect(throws: Simulation.Violation.self) {
            try Self.simulation([.observe("count", isEnabled: true), .fail(0, .unavailable)], query).run()
        }
        #expect(found?.rule.hasPrefix("retries:") == true)
    }
}
