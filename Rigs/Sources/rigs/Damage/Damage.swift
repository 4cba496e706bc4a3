internal import ArgumentParser
internal import Foundation

/// Damages the file of a SQLite cache in every way that comes to mind, and uses it all the same.
struct Damage: Rig {
    static let configuration = CommandConfiguration(
        abstract: "Damages the file of a SQLite cache: nothing traps, no wrong value is read, and the client goes on.")

    @OptionGroup var options: RigOptions

    private static let roundsPerChild = 30

    @concurrent
    static func attack(_ trial: Trial) async throws {
        let folder = try Folder()
        for figure in ["wrong values", "lost by a damaged index"] { trial.count(figure, 0) }
        var first = 0
        while !trial.isOver {
            let child = try Child(
                [
                    "damage-rounds", "--seed", "\(trial.seed)", "--first", "\(first)", "--count",
                    "\(Self.roundsPerChild)",
                ],
                in: folder.url)
            let ending = await child.wait(upTo: .seconds(120))
            trial.absorb(child.lines)
            let last = child.lines.last { $0.hasPrefix("round") } ?? "no round"
            if ending != .exit(0) { trial.violate("\(last): the process ended by \(ending): \(child.complaint)") }
            first += Self.roundsPerChild
        }
    }
}

/// Some rounds, in a process of their own: a trap is told by its end.
struct DamageRounds: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @Option var seed: UInt64
    @Option var first: Int
    @Option var count: Int
    /// The only kind of damage to do.
    @Option var kind: DamageKind?

    func run() async throws {
        signal(SIGXFSZ, SIG_IGN)
        try await Self.run(
            seed: seed, numbers: first..<(first + count), kinds: kind.map { [$0] } ?? DamageKind.allCases)
    }

    @concurrent
    private static func run(seed: UInt64, numbers: Range<Int>, kinds: [DamageKind]) async throws {
        let trial = Trial(name: "damage", options: try RigOptions.parse(["--seed", "\(seed)"]))
        for number in numbers {
            let round = try DamageRound(trial: trial, number: number, kind: kinds[number % kinds.count])
            say("round \(number) (\(round.kind))")
            do {
                try await round.run()
            } catch {
                trial.violate("round \(number) (\(round.kind)): \(error)")
            }
            trial.count("rounds")
        }
        trial.report()
    }
}
