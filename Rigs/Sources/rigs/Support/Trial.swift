internal import ArgumentParser
internal import Foundation
internal import Synchronization

/// How long a rig runs, and the seed that its choices follow from.
struct RigOptions: ParsableArguments {
    @Option(help: "Seconds to run, after which no new round begins.")
    var seconds = 20

    @Option(help: "The seed of all random choices. By default a new one each time.")
    var seed = UInt64.random(in: 1...999_999)

    func validate() throws {
        guard seconds > 0 else { throw ValidationError("--seconds must be 1 or more") }
    }
}

/// Counts what one rig did, and collects the promises that it found broken.
final class Trial: Sendable {
    private struct State {
        var names: [String] = []
        var figures: [String: Int] = [:]
        var violations: [String] = []
        var violationCount = 0
    }

    /// The most violations that are printed in full.
    private static let mostPrinted = 20

    let name: String
    let seed: UInt64
    let seconds: Int
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(name: String, options: RigOptions) {
        self.name = name
        seed = options.seed
        seconds = options.seconds
    }

    /// True once the time is up.
    var isOver: Bool { elapsed >= .seconds(seconds) }

    var elapsed: Duration { ContinuousClock.now - start }

    /// Adds to a figure. Figures are printed in the order in which they were first counted.
    func count(_ figure: String, _ number: Int = 1) {
        state.withLock { state in
            if state.figures[figure] == nil { state.names.append(figure) }
            state.figures[figure, default: 0] += number
        }
    }

    /// Raises a figure to a number, unless it is higher already.
    func raise(_ figure: String, to number: Int) {
        state.withLock { state in
            if state.figures[figure] == nil { state.names.append(figure) }
            state.figures[figure] = max(state.figures[figure] ?? .min, number)
        }
    }

    /// The number counted under a name so far.
    func figure(_ name: String) -> Int { state.withLock { $0.figures[name] ?? 0 } }

    /// Records a broken promise, with what is needed to repeat it.
    func violate(_ text: String) {
        state.withLock { state in
            state.violationCount += 1
            if state.violations.count < Self.mostPrinted { state.violations.append(text) }
        }
    }

    var hasViolations: Bool { state.withLock { $0.violationCount > 0 } }

    /// Prints the line of figures, and the violations after it.
    ///
    /// - Throws: `ExitCode.failure` if a promise was broken, or if nothing was done at all.
    func finish() throws {
        let state = state.withLock { $0 }
        let figures = state.names.map { "\(state.figures[$0] ?? 0) \($0)" }.joined(separator: ", ")
        let seconds = elapsed.components.seconds
        say("\(name): \(figures); violated = \(state.violationCount) (\(seconds) s, seed \(seed))")
        for violation in state.violations { say("  BROKEN: \(violation)") }
        if state.violationCount > state.violations.count {
            say("  and \(state.violationCount - state.violations.count) more")
        }
        guard state.violationCount == 0, !state.names.isEmpty else { throw ExitCode.failure }
    }
}

/// A command that tries to break one promise of the library.
protocol Rig: AsyncParsableCommand {
    var options: RigOptions { get }

    /// Attacks until the time of the trial is up.
    @concurrent
    static func attack(_ trial: Trial) async throws
}

extension Rig {
    func run() async throws {
        let trial = Trial(name: Self._commandName, options: options)
        do {
            try await Self.attack(trial)
        } catch {
            trial.violate("the rig could not go on: \(error)")
        }
        try trial.finish()
    }
}

/// Breaks the rig's own check on purpose, to show that it would notice: `PIGEON_RIGS_SABOTAGE=1 rigs crash` must fail.
let isSabotaged = ProcessInfo.processInfo.environment["PIGEON_RIGS_SABOTAGE"] == "1"

extension Trial {
    /// Prints figures and violations for the process that started this one, which takes them in by ``absorb(_:)``.
    func report() {
        let state = state.withLock { $0 }
        for name in state.names { say("figure\t\(name)\t\(state.figures[name] ?? 0)") }
        for violation in state.violations { say("broken\t\(violation.replacing("\n", with: " "))") }
    }

    /// Adds what a child has reported.
    func absorb(_ lines: [String]) {
        for line in lines {
            let parts = line.split(separator: "\t", maxSplits: 2).map(String.init)
            if parts.count == 3, parts[0] == "figure", let number = Int(parts[2]) { count(parts[1], number) }
            if parts.count >= 2, parts[0] == "broken" { violate(parts.dropFirst().joined(separator: " ")) }
        }
    }
}
