import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

@Suite("Erasing, and identifiers that are kept")
struct OutboxErasingTests {
    @Test(
        "clear() throws if the store could not erase what it removed, and the client tries until it has",
        .rule("K2", "O6"))
    func failsToErase() throws {
        let store = MutationStoreDouble()
        let program = NotesProgram(store, isOnline: false)
        program.enqueue(AddNote("milk"))
        store.failErasing(3)
        let clear = program.lab.start { [client = program.client] in try await client.clear() }
        program.lab.settle()
        #expect(clear.error is MutationStoreDouble.Refusal)
        #expect(store.erasures == 0)
        #expect(program.outbox.isEmpty)
        // What is enqueued since stays.
        program.enqueue(AddNote("bread"))
        program.lab.advance(by: .seconds(300))
        #expect(store.erasures == 1)
        #expect(program.outbox.waiting.map(\.name) == ["AddNote"])
        program.lab.setOnline(true)
        program.lab.advance(by: .seconds(300))
        #expect(program.server.made == ["bread"])
        #expect(store.erasures == 1)
    }

    @Test(
        "a sign-out erases once its mutations are removed, and another one in the meantime erases too",
        .rule("K2", "O6"))
    func erases() throws {
        let store = MutationStoreDouble()
        let program = NotesProgram(store, session: "ann", isOnline: false)
        program.enqueue(AddNote("milk"))
        #expect(store.erasures == 0)
        let clear = program.lab.start { [client = program.client] in try await client.clear() }
        program.lab.settle()
        #expect(clear.result != nil && clear.error == nil)
        #expect(store.erasures == 1)
        program.enqueue(AddNote("bread"))
        program.client.outbox.setSession("bob", discardingCurrent: true)
        program.lab.settle()
        #expect(store.erasures == 2)
        program.client.outbox.setSession("ann")
        program.lab.settle()
        #expect(program.outbox.isEmpty)
        #expect(store.erasures == 2)
    }

    @Test(
        "what others create makes a session forget no identifier, and none is forgotten that a mutation names",
        .rule("K11"))
    func keepsIdentifiers() throws {
        let store = InMemoryMutationStore()
        try expectIdentifiersAreKept(by: store) { store }
    }
}
