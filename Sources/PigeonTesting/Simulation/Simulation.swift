import PigeonCore

/// Drives one client through a random sequence of inputs that a seed decides, and checks after each that what must always
/// hold does.
///
/// ```swift
/// try Simulation(seed: 42, steps: 2_000).run()
/// ```
///
/// A failure prints its seed and the steps that led there; the same seed replays it. What is checked:
/// - a fetch belongs to its key: at most one runs, beside those that were asked to run on, and cancelling one waiter never
///   fails another;
/// - an answer of an older generation never lands, and nothing asked before a clear lands after it;
/// - observers see versions in order, each at most once, and never miss the last;
/// - a snapshot is one consistent picture; optimistic changes are exactly those that are pending;
/// - no waiter is lost, and nothing is left when all is dropped.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct Simulation: Sendable {
    /// What decides the sequence.
    public let seed: UInt64
    /// How many inputs there are.
    public let steps: Int

    /// Creates a simulation.
    public init(seed: UInt64, steps: Int) {
        self.seed = seed
        self.steps = max(0, steps)
    }

    /// A rule that did not hold.
    public struct Violation: Error, CustomStringConvertible {
        /// What decides the sequence: run it again with this.
        public let seed: UInt64
        /// After which step, from 0.
        public let step: Int
        /// Which rule, and what was seen.
        public let rule: String
        /// The last steps.
        public let trace: [String]

        package init(seed: UInt64, step: Int, rule: String, trace: [String]) {
            self.seed = seed
            self.step = step
            self.rule = rule
            self.trace = trace
        }

        /// The seed, the rule, and the steps that led there.
        public var description: String {
            "seed \(seed), step \(step): \(rule)\nafter:\n  \(trace.joined(separator: "\n  "))"
        }
    }

    /// What a run did, to see that it did anything.
    public struct Report: Sendable, Equatable {
        /// How many inputs of each kind there were.
        public var inputs: [String: Int] = [:]
        /// How many times the fetchers were called.
        public var fetches = 0
        /// How many snapshots observers were given.
        public var notifications = 0
        /// How many events the client told of.
        public var events = 0
    }

    /// Runs to the end.
    ///
    /// - Throws: ``Violation`` for the first rule that does not hold.
    @discardableResult
    public func run() throws -> Report {
        let world = SimulatedWorld(seed: seed)
        var report = Report()
        var trace: [String] = []
        func check(_ step: Int, _ found: String?) throws {
            guard let found else { return }
            throw Violation(seed: seed, step: step, rule: found, trace: trace.suffix(40))
        }
        for step in 0..<steps {
            let (kind, detail) = world.step()
            report.inputs[kind, default: 0] += 1
            trace.append("\(step): \(kind) \(detail)")
            if trace.count > 80 { trace.removeFirst(40) }
            try check(step, world.violation())
        }
        trace.append("drop everything")
        try check(steps, world.dropEverything())
        report.fetches = world.fetchCount
        report.notifications = world.notificationCount
        report.events = world.eventCount
        try check(steps, world.releaseClient())
        return report
    }
}
