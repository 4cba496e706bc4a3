import PigeonCore

/// Runs a program, its server and its disk through random operations, and checks after each one what the program shows
/// and what its callers receive. The seed decides the operations.
///
/// ```swift
/// try Simulation(seed: 42, steps: 2_000).run()
/// ```
///
/// All operations are generated before the first one runs. When a run breaks a rule, the simulation repeats it with
/// fewer and fewer operations, and throws a ``Violation`` that lists the few that are needed. The simulated world
/// consists of:
/// - a program that observes, fetches, pages, writes, invalidates, mutates and signs out, also from within the code
///   that the engine calls;
/// - a server whose data and lists change between requests. It answers late, out of order, with 304 or 429, or makes a
///   change whose answer is lost;
/// - a network that goes away, and that delivers a request twice, at once or later;
/// - a disk that is slow, fails, loses its last batch, or damages a record: a write is cut off, or a bit flips.
///   Meanwhile the program crashes and starts again, with its clock set forward or back;
/// - a source of truth that hangs, throws, and is changed by others.
///
/// The rules: an older answer never replaces a newer one. A pending change is shown until it is confirmed or fails.
/// Every caller gets an answer. No data from before a sign-out is shown after it. A restart shows the flushed data. In
/// the end, every observed value equals the server's.
///
/// To simulate your own definitions, see ``SimulatedQuery``.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct Simulation: Sendable {
    /// The seed of the operations, and of the engine's random decisions.
    public let seed: UInt64
    /// Number of operations.
    public let steps: Int
    /// The queries of the program. Empty for the built-in ones.
    private let queries: [SimulatedQuery]
    /// The operations. `nil` to generate them from the seed.
    private let given: [Operation]?
    /// Makes the checks besides the rules of a program. `nil` for none.
    private var makeChecks: SimulationChecksMaker?

    /// Creates a simulation.
    ///
    /// - Parameters:
    ///   - seed: The seed of the operations.
    ///   - steps: Number of operations.
    ///   - queries: Your own queries. Empty for the built-in ones: polled, persisted, paged, with validators, and with
    ///     a source of truth.
    public init(seed: UInt64, steps: Int, queries: [SimulatedQuery] = []) {
        self.seed = seed
        self.steps = max(0, steps)
        self.queries = queries
        given = nil
    }

    /// Creates a simulation that repeats the operations of a ``Violation``.
    ///
    /// - Parameters:
    ///   - seed: The seed of the violation.
    ///   - operations: The operations of the violation.
    ///   - queries: The queries of the run that found it. Empty for the built-in ones.
    public init(seed: UInt64, operations: [Operation], queries: [SimulatedQuery] = []) {
        self.seed = seed
        steps = operations.count
        self.queries = queries
        given = operations
    }

    package func checked(by make: @escaping SimulationChecksMaker) -> Simulation {
        var simulation = self
        simulation.makeChecks = make
        return simulation
    }

    /// One step of a simulation: an action of the program, the server or the machine.
    ///
    /// Encode the operations of a ``Violation`` to keep them as a regression test.
    public struct Operation: Codable, Hashable, Sendable, CustomStringConvertible {
        package var action: SimulatedAction

        package init(_ action: SimulatedAction) { self.action = action }

        /// Decodes an operation.
        public init(from decoder: any Decoder) throws { action = try SimulatedAction(from: decoder) }

        /// Encodes the operation.
        public func encode(to encoder: any Encoder) throws { try action.encode(to: encoder) }

        /// A line that reads like Swift.
        public var description: String { "\(action)" }
    }

    /// An error that reports a broken rule.
    public struct Violation: Error, CustomStringConvertible {
        /// The seed of the run.
        public let seed: UInt64
        /// Index of the operation after which the rule was broken, in the complete run.
        public let step: Int
        /// The rule, and the observed violation.
        public let rule: String
        /// The last operations of the complete run.
        public let trace: [String]
        /// The smallest set of operations found that breaks the same rule.
        public let operations: [Operation]
        /// Each of these operations, with the events that the client emitted after it.
        public let log: [String]

        package init(
            seed: UInt64, step: Int, rule: String, trace: [String], operations: [Operation] = [], log: [String] = []
        ) {
            self.seed = seed
            self.step = step
            self.rule = rule
            self.trace = trace
            self.operations = operations
            self.log = log
        }

        /// The seed, the rule, the operations that break it, and the client's events.
        public var description: String {
            guard !operations.isEmpty else {
                return "seed \(seed), step \(step): \(rule)\nafter:\n  \(trace.joined(separator: "\n  "))"
            }
            let script = operations.map(\.description).joined(separator: "\n  ")
            let events = log.isEmpty ? "" : "\nwhich led to:\n  \(log.suffix(100).joined(separator: "\n  "))"
            return "seed \(seed), step \(step): \(rule)\nafter these operations alone:\n  \(script)\(events)"
        }
    }

    /// Counts of what a run did.
    public struct Report: Sendable, Equatable {
        /// Number of operations of each kind.
        public var inputs: [String: Int] = [:]
        /// Number of requests that the server received.
        public var fetches = 0
        /// Number of snapshots that observers received.
        public var notifications = 0
        /// Number of events that the client emitted.
        public var events = 0
        /// Number of times that the program was started.
        public var processes = 0
    }

    /// Runs all operations, then lets the server answer everything, and checks the final state.
    ///
    /// - Throws: ``Violation`` for the first rule that is broken.
    @discardableResult
    public func run() throws -> Report {
        let actions = given?.map(\.action) ?? script()
        let (report, failure) = play(actions)
        guard let failure else { return report }
        let trace = actions.prefix(failure.step + 1).enumerated().suffix(40).map { "\($0): \($1)" }
        let shortest = shrink(Array(actions.prefix(failure.step + 1)), failure.rule)
        let world = SimulatedWorld(seed: seed, queries: queries, makeChecks: makeChecks)
        world.log = []
        let last = play(shortest, in: world).failure
        throw Violation(
            seed: seed, step: failure.step, rule: "\(failure.rule): \(last?.text ?? failure.text)", trace: trace,
            operations: shortest.map(Operation.init), log: world.report)
    }

    func script() -> [SimulatedAction] {
        let world = SimulatedWorld(seed: seed, queries: queries)
        defer { world.kill() }
        var script = SimulatedScript(
            seed: seed, keys: world.subjects.map(\.name),
            lists: world.subjects.filter { $0.paging != nil }.map(\.name),
            sources: world.subjects.filter { $0.source != nil }.map(\.name),
            tags: Set(world.subjects.flatMap(\.key.tags)).sorted())
        return script.make(steps)
    }

    struct Failure {
        let step: Int
        let rule: SimulationRule
        let text: String
    }

    func play(_ actions: [SimulatedAction]) -> (report: Report, failure: Failure?) {
        play(actions, in: SimulatedWorld(seed: seed, queries: queries, makeChecks: makeChecks))
    }

    private func play(
        _ actions: [SimulatedAction], in world: SimulatedWorld
    ) -> (report: Report, failure: Failure?) {
        var report = Report()
        for (step, action) in actions.enumerated() {
            report.inputs[action.kind, default: 0] += 1
            world.perform(action)
            world.check()
            if let problem = world.problem {
                world.kill()
                return (report, Failure(step: step, rule: problem.rule, text: problem.text))
            }
        }
        world.finish()
        report.fetches = world.server.fetches
        report.notifications = world.notificationCount
        report.events = world.eventCount
        report.processes = world.lives
        return (report, world.problem.map { Failure(step: actions.count, rule: $0.rule, text: $0.text) })
    }
}
