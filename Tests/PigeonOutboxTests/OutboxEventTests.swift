import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

@Suite("every event says which durable mutation it is of", .rule("A69"))
struct OutboxEventTests {
    /// The kinds of all events of mutations, and the place of their number in the order in which they came.
    private func told(_ lab: QueryLab) -> [String] {
        var known: [UInt64] = []
        return lab.events.compactMap { event in
            guard event.mutation != nil, let number = event.mutationNumber else { return nil }
            if !known.contains(number) { known.append(number) }
            let name = "\(event.kind)".split(separator: " ").first ?? ""
            return "\(name) \((known.firstIndex(of: number) ?? 0) + 1)"
        }
    }

    @Test("a durable mutation has one number from its recording to its end", .rule("A69"))
    func durable() {
        let program = NotesProgram(isOnline: false)
        program.server.fail("milk", status: 503)
        program.enqueue(AddNote("milk"))
        program.lab.setOnline(true)
        program.lab.advance(by: .seconds(10))
        #expect(program.outbox.isEmpty)
        let events = program.lab.events.filter { $0.mutation != nil }
        #expect(
            events.map(\.kind.description).map { $0.prefix(8) } == [
                "enqueued", "started", "retrying", "started", "succeede",
            ])
        #expect(Set(events.map(\.mutationNumber)).count == 1)
        #expect(events.first?.mutationNumber != nil)
    }

    @Test("what is discarded says so, and an edit ends the number of what it replaces", .rule("A69"))
    func discarded() {
        let program = NotesProgram(isOnline: false)
        program.enqueue(AddNote("milk"))
        _ = program.start { try await $0.edit(1, as: AddNote.self) { $0.text = "bread" } }
        _ = program.start { try await $0.discard(1) }
        #expect(
            told(program.lab) == [
                "enqueued 1", "discarded 1", "enqueued 2", "discarded 2",
            ])
    }
}
