import TestSupport
import Testing

/// Random programs with an outbox, which crash and start again. `PIGEON_SEEDS` runs more of them.
@Suite("Simulation of the outbox", .serialized)
struct OutboxSimulationTests {
    @Test(
        "nothing accepted is lost or made twice, and scopes keep their order",
        .rule("O1", "O2", "O3", "O4", "O6", "O7"), arguments: 0..<4)
    func rules(part: Int) { OutboxWorld.run(part: part, steps: 80) }
}
