import Foundation
import Testing

/// Random programs with an outbox, which crash and start again. `PIGEON_SEEDS` runs more of them.
@Suite("Simulation of the outbox", .serialized)
struct OutboxSimulationTests {
    private static let seeds = ProcessInfo.processInfo.environment["PIGEON_SEEDS"].flatMap(Int.init) ?? 60

    @Test(
        "O1, O2, O3, O4, O6, O7: nothing accepted is lost or made twice, and scopes keep their order", arguments: 0..<4)
    func rules(part: Int) throws {
        for seed in part * Self.seeds..<(part + 1) * Self.seeds {
            let world = OutboxWorld(seed: UInt64(seed))
            world.run(steps: 80)
            if let problem = world.problem {
                Issue.record("seed \(seed): \(problem)\n\(world.log.joined(separator: "\n"))")
                return
            }
        }
    }
}
