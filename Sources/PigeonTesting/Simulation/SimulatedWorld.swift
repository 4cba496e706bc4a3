import Foundation
package import PigeonCore

/// The program, its server and its disk, with the models that check them.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package final class SimulatedWorld: @unchecked Sendable {  // used only by the thread that runs the simulation
    package final class Wait: @unchecked Sendable {  // used only by the thread that runs the simulation
        package enum Kind: Equatable {
            case fetch, page, mutation(Int), clear, flush, other
        }

        package let kind: Kind
        let description: String
        var task: Task<Void, Never>?
        package internal(set) var isDone = false

        init(_ kind: Kind, _ description: String) {
            (self.kind, self.description) = (kind, description)
        }
    }

    let seed: UInt64
    package let server = SimulatedServer()
    let disk = SimulatedDisk()
    let hooks = SimulatedHooks()
    package let subjects: [SimulatedSubject]
    package let named: [String: SimulatedSubject]
    /// The checks besides the rules of a program.
    private(set) var checks: (any SimulationChecks)?

    /// The current process of the program. `nil` once the run has ended.
    package internal(set) var process: SimulatedProcess?
    package internal(set) var lives = 0
    /// The client of the last process, which must have been released.
    weak var lastClient: QueryClient?
    /// The wall-clock time at which the next process starts.
    var wallTime: TimeInterval = 0
    /// True if the wall clock was ever set back.
    var hasGoneBack = false
    package internal(set) var watches: [SimulatedWatch] = []
    /// The calls of the program that have not returned.
    package internal(set) var waits: [Wait] = []

    var mutationCount = 0
    /// Times at which the last sign-out began, and the last one that also emptied the disk.
    var signedOutAt = 0
    var cleanSince = 0
    /// Number of the newest mutation that began before the last sign-out.
    var signedOutEdits = 0
    /// True if a removal or a sign-out may not have reached the disk yet.
    var isDiskBehind = false

    /// Actions to perform within the next calls of user code.
    var interruptions: [SimulatedMoment: [SimulatedAction]] = [:]
    /// Number of calls of user code within which the current action is performed.
    package internal(set) var depth = 0
    /// True if nothing else happens during an action: user code performs no actions, and the disk takes no time.
    package var isUndisturbed: Bool { depth == 0 && interruptions.isEmpty && disk.delay == 0 }
    /// Keys whose records the disk found damaged, until an event reports it.
    var unreported: Set<QueryKey> = []
    package internal(set) var observerDepth = 0
    var problem: (rule: SimulationRule, text: String)?

    /// The operations and the client's events, in the order in which they happened. `nil` to record none.
    var log: [String]?
    /// The log up to the first rule that was broken.
    var report: [String] = []

    var eventCount = 0
    var notificationCount = 0

    /// - Parameters:
    ///   - queries: The queries of the program. Empty for the built-in ones.
    ///   - makeChecks: Makes the checks besides the rules of a program.
    init(seed: UInt64, queries: [SimulatedQuery], makeChecks: SimulationChecksMaker? = nil) {
        self.seed = seed
        let (server, hooks) = (server, hooks)
        subjects = queries.isEmpty ? Self.builtIn(server, hooks) : queries.map { $0.makeSubject(server, hooks) }
        named = Dictionary(subjects.map { ($0.name, $0) }) { first, _ in first }
        hooks.world = self
        checks = makeChecks?(self)
        boot()
    }

    // MARK: Lives

    func boot() {
        lives += 1
        let hooks = hooks
        // A third of all programs have a budget that is smaller than their values.
        let budget = seed % 3 == 0 ? 600 : nil
        process = SimulatedProcess(
            seed: seed &+ UInt64(lives), store: SimulatedStore(disk, hooks), start: wallTime, budget: budget
        ) { event in hooks.world?.hear(event) }
    }

    /// Ends the program. Its later writes have no effect, and its calls get no answers.
    func kill() {
        guard let process else { return }
        // The actions of a program as it ends are not logged.
        let begun = log
        log = nil
        defer { log = begun }
        process.store.close()
        wallTime = process.wallTime
        interruptions = [:]
        unreported = []
        for watch in watches { drop(watch) }
        watches = []
        for wait in waits { wait.task?.cancel() }
        for _ in 0..<20 {
            for call in server.open { server.fail(call.id, with: CancellationError()) }
            for subject in subjects { subject.source?.heal() }
            process.settle()
            process.clock.advance(by: .seconds(max(3600, longestPause))) { process.settle() }
            // A fetch that runs without a call waits for its turn to make one.
            if server.open.isEmpty, !process.isCallingFetchers, waits.allSatisfy(\.isDone) { break }
        }
        waits = []
        for subject in subjects { subject.forgetSeen() }
        lastClient = process.client
        self.process = nil
    }

    func drop(_ watch: SimulatedWatch) {
        notificationCount += watch.recorder.count
        for iteration in watch.iterations { iteration.task.cancel() }
        watch.iterations = []
    }

    // MARK: Events

    /// Records the first rule that was broken.
    package func found(_ rule: SimulationRule, _ text: @autoclosure () -> String) {
        guard problem == nil else { return }
        problem = (rule, text())
        if let log { report = log }
        log = nil
    }

    package func subject(of key: QueryKey) -> SimulatedSubject? { named[key.queryKeyValue] }

    private func hear(_ event: QueryEvent) {
        eventCount += 1
        let subject = event.key.flatMap(subject(of:))
        log?.append("  \(event)")
        checks?.note(.emitted(event))
        switch event.kind {
        case .removed, .cleared: subject?.model.newestFetch = 0
        case .cacheProblem: if let key = event.key { unreported.remove(key) }
        case .optionsIgnored(let names) where subject?.isReproducible != false:
            found(
                .sameOptions, "a definition that was made anew joins a fetch of \(event.key ?? "") with other \(names)")
        case .page(let direction): subject?.model.pagesLanded[direction, default: 0] += 1
        default: break
        }
        reach(.event)
    }

    /// Handles a call of user code: performs the actions that are to run within it.
    func reach(_ moment: SimulatedMoment) {
        if moment == .observer { observerDepth += 1 }
        defer { if moment == .observer { observerDepth -= 1 } }
        guard depth < 2, !interruptions.isEmpty, let actions = interruptions.removeValue(forKey: moment) else { return }
        depth += 1
        for action in actions { perform(action, within: moment) }
        depth -= 1
    }

    // MARK: Tasks

    /// Starts a task of the program, which continues whenever the world settles.
    @discardableResult
    func start(
        _ kind: Wait.Kind, _ description: String, _ operation: @escaping @Sendable () async throws -> Void
    ) -> Bool {
        guard let process, waits.count < 30 else { return false }
        let wait = Wait(kind, description)
        wait.task = process.executor.launch {
            try? await operation()
            wait.isDone = true
        }
        if !wait.isDone { waits.append(wait) }
        return true
    }

    /// Runs all work that is ready, unless user code is being called.
    package func settle() {
        guard depth == 0 else { return }
        process?.settle()
    }
}
