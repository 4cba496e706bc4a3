import Foundation
import Testing

/// Random fleets, whose parts fail. `PIGEON_SEEDS` runs more of them.
@Suite("Simulation of a fleet", .serialized)
struct FleetSimulationTests {
    private static let seeds = ProcessInfo.processInfo.environment["PIGEON_SEEDS"].flatMap(Int.init) ?? 60

    @Test(
        "A72, A73, A74, A75, A76: what was told is shown by nobody after the bound, and all is right in the end",
        arguments: 0..<4)
    func rules(part: Int) throws {
        for seed in part * Self.seeds..<(part + 1) * Self.seeds {
            let world = FleetWorld(seed: UInt64(seed))
            world.run(steps: 60)
            if let problem = world.problem {
                Issue.record("seed \(seed): \(problem)\n\(world.log.joined(separator: "\n"))")
                return
            }
        }
    }
}
