import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

@Suite("Closing a client with an outbox")
struct OutboxClosingTests {
    @Test(
        "no mutation of the outbox begins any more, one that is enqueued is recorded, and another process makes both",
        .rule("A79")
    )
    func outbox() throws {
        let program = NotesProgram()
        program.server.hold()
        program.enqueue(AddNote("milk"))
        let closing = program.lab.start { [client = program.client] in await client.close(within: .seconds(5)) }
        let late = program.enqueue(AddNote("bread"))
        #expect(late.error == nil && closing.value == nil)
        program.server.release()
        program.lab.settle()
        #expect(try #require(closing.value).isComplete)
        #expect(program.server.made == ["milk"])
        let next = program.restarted()
        // It need not wait for the lease to end.
        next.lab.settle()
        #expect(next.server.made == ["milk", "bread"])
    }

    @Test("a mutation of the outbox that does not end in time is cancelled, and made by another process", .rule("A79"))
    func lateOutbox() throws {
        let program = NotesProgram()
        program.server.hold()
        program.enqueue(AddNote("milk"))
        let closing = program.lab.start { [client = program.client] in await client.close(within: .seconds(2)) }
        program.lab.advance(by: .seconds(4))
        let report = try #require(closing.value)
        #expect(report.cancelledMutations == 1)
        let next = program.restarted()
        next.server.release()
        next.lab.advance(by: .seconds(60))
        #expect(next.server.made == ["milk"])
        #expect(Set(next.server.requests.map(\.key)).count == 1)
    }

    @Test(
        "a mutation of the outbox that closing has cancelled is made, even if it may be attempted only once",
        .rule("A79"))
    func lateOutboxOnce() throws {
        let program = NotesProgram()
        program.server.hold()
        var note = AddNote("milk")
        note.limit = 0
        program.enqueue(note)
        _ = program.lab.start { [client = program.client] in await client.close(within: .zero) }
        program.lab.advance(by: .seconds(2))
        let next = program.restarted()
        next.server.release()
        next.lab.settle()
        #expect(next.server.made == ["milk"])
        #expect(next.outbox.setAside.isEmpty)
    }
}
