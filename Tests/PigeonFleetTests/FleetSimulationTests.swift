import TestSupport
import Testing

/// Random fleets, whose parts fail. `PIGEON_SEEDS` runs more of them.
@Suite("Simulation of a fleet", .serialized)
struct FleetSimulationTests {
    @Test(
        "what was told is shown by nobody after the bound, and all is right in the end",
        .rule("A72", "A73", "A74", "A75", "A76"),
        arguments: 0..<4)
    func rules(part: Int) { FleetWorld.run(part: part, steps: 60) }
}
