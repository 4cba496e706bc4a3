import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

@Suite("The outbox on screen, in other processes and at sign-out")
struct OutboxScreenTests {
    @Test(
        "edits that wait are in the first frame after a restart, over what is hydrated and what is fetched later",
        .rule("O4"))
    func firstFrame() async throws {
        let cache = InMemoryQueryCache()
        let first = NotesProgram(isOnline: false, cache: cache)
        try first.client.set(["a"], for: QueryDefinition<[String]>("notes") { _ in ["server"] }.persisted())
        await first.client.flush()
        first.enqueue(AddNote("milk"))
        first.enqueue(AddNote("bread"))
        let second = NotesProgram(first.store, first.server, isOnline: false, cache: cache)
        let definition = QueryDefinition<[String]>("notes") { _ in ["server"] }.persisted()
        let observer = second.client.observe(definition)
        #expect(observer.snapshot.value == ["a", "milk", "bread"])
        #expect(observer.snapshot.isOptimistic)
        #expect(second.client.outbox.items(editing: definition).count == 2)
        second.server.hold()
        second.lab.setOnline(true)
        #expect(observer.snapshot.value == ["server", "milk", "bread"])
    }

    @Test("an entry that is first read long after the restart shows the edits that wait", .rule("O4"))
    func readLater() {
        let first = NotesProgram(isOnline: false)
        first.enqueue(RenameNote(id: 7, title: "milk"))
        let second = first.restarted()
        second.server.hold()
        second.lab.advance(by: .seconds(3600))
        let observer = second.client.observe(QueryDefinition<String>("note", 7) { _ in "server" })
        second.lab.settle()
        #expect(observer.snapshot.value == "milk")
        #expect(observer.snapshot.isOptimistic)
    }

    @Test("a restored mutation that is made changes the record of an entry that nobody has read", .rule("O4"))
    func recordOnDisk() async throws {
        let cache = InMemoryQueryCache()
        let definition = QueryDefinition<[String]>("notes") { _ in ["server"] }.persisted()
        let first = NotesProgram(isOnline: false, cache: cache, mutations: [AddPersisted.self])
        try first.client.set(["a"], for: definition)
        await first.client.flush()
        first.enqueue(AddPersisted(text: "milk"))
        let second = NotesProgram(first.store, first.server, cache: cache, mutations: [AddPersisted.self])
        second.lab.settle()
        #expect(second.server.made == ["milk"])
        let third = NotesProgram(second.store, second.server, isOnline: false, cache: cache)
        #expect(third.client.value(of: definition) == ["a", "milk"])
    }

    @Test("the stage of each mutation is what happens to it", .rule("O4", "9h"))
    func stages() {
        let program = NotesProgram(isOnline: false)
        program.enqueue(AddNote("a"))
        program.enqueue(AddNote("b"))
        #expect(program.outbox.waiting.map(\.stage) == [.waiting(.network), .waiting(.turn)])
        program.server.hold()
        program.lab.setOnline(true)
        #expect(program.outbox.waiting.map(\.stage) == [.running, .waiting(.turn)])
        program.lab.setOnline(false)
        #expect(program.outbox.waiting.map(\.stage) == [.running, .waiting(.turn)])
        program.server.release()
        program.lab.settle()
        #expect(program.outbox.waiting.map(\.stage) == [.waiting(.network)])
    }

    @Test("the updates of an outbox begin with the current state and end with the last one", .rule("O4"))
    func updates() async {
        let program = NotesProgram(isOnline: false)
        let recorder = Recorder<Int>()
        let task = Task { [client = program.client] in
            for await outbox in client.outbox.updates { recorder.append(outbox.waiting.count) }
        }
        await until { recorder.all == [0] }
        program.enqueue(AddNote("a"))
        await until { recorder.all.last == 1 }
        program.lab.setOnline(true)
        await until { recorder.all.last == 0 }
        task.cancel()
    }

    @Test("events tell what the outbox does, and why entries are fetched", .rule("O4"))
    func events() {
        let program = NotesProgram(isOnline: false)
        program.server.fail("a", status: 503)
        program.server.fail("b", status: 400)
        program.enqueue(AddNote("a"))
        program.enqueue(AddNote("b"))
        program.lab.clearLog()
        program.lab.setOnline(true)
        program.lab.advance(by: .seconds(3))
        let log = program.lab.log.filter { $0.hasPrefix("mutation") }
        #expect(log.first == "mutation AddNote started")
        #expect(log.contains { $0.hasPrefix("mutation AddNote retrying in") })
        #expect(log.last == "mutation AddNote set aside: 400")
    }

    @Test("sign-out empties the outbox, cancels what runs, and nothing of it lands", .rule("O6"))
    func clear() throws {
        let program = NotesProgram()
        program.server.hold()
        let running = program.enqueue(AddNote("a"))
        program.enqueue(AddNote("b"))
        let answer = program.lab.start { try await running.value?.output() }
        let clear = program.lab.start { try await program.client.clear() }
        program.lab.settle()
        #expect(clear.result != nil)
        #expect(answer.error is CancellationError)
        program.server.release()
        program.lab.advance(by: .seconds(60))
        #expect(program.server.made.isEmpty)
        #expect(program.outbox.isEmpty)
        #expect(try program.store.changes(after: -1, in: nil)?.numbers == [])
        let next = program.restarted()
        next.lab.advance(by: .seconds(10))
        #expect(next.server.requests.map(\.change) == ["a"])
        next.enqueue(AddNote("c"))
        #expect(next.server.made == ["c"])
    }

    @Test("what is read while the outbox is cleared stays cleared", .rule("O6", "9c"))
    func readingBesideClear() throws {
        let first = NotesProgram(isOnline: false)
        let second = NotesProgram(first.store, first.server, isOnline: false, seed: 2)
        try second.client.set(["x"], for: .notes)
        first.enqueue(AddNote("a"))
        // The second client has heard of the mutation, and not read it yet.
        let clear = second.lab.start { try await second.client.clear() }
        second.lab.settle()
        #expect(clear.result != nil)
        try second.client.set(["y"], for: .notes)
        first.lab.settle()
        second.lab.advance(by: .seconds(10))
        #expect(second.notes == ["y"])
        #expect(second.outbox.isEmpty && first.outbox.isEmpty)
    }

    @Test("an outbox that cannot be cleared is cleared later, and nothing of it is read before", .rule("O6"))
    func clearFails() throws {
        let store = MutationStoreDouble()
        let program = NotesProgram(store, isOnline: false)
        program.enqueue(AddNote("a"))
        store.fail(true)
        let clear = program.lab.start { try await program.client.clear() }
        program.lab.settle()
        #expect(clear.error is MutationStoreDouble.Refusal)
        #expect(program.outbox.isEmpty)
        store.fail(false)
        program.lab.setOnline(true)
        program.lab.advance(by: .seconds(120))
        #expect(program.server.requests.isEmpty)
        #expect(try store.changes(after: -1, in: nil)?.numbers == [])
    }

    @Test("only a few mutations are made at a time, however many wait", .rule("O6", "9f"))
    func width() {
        let program = NotesProgram(isOnline: false)
        for index in 0..<50 { program.enqueue(AddNote("\(index)", scope: nil)) }
        program.server.hold()
        program.lab.setOnline(true)
        #expect(program.server.heldCount == 4)
        program.server.release()
        program.lab.settle()
        #expect(program.server.made.count == 50)
    }

    @Test(
        "mutations of one session are neither shown nor made in another, and are there when it comes back", .rule("O6"))
    func sessions() throws {
        let program = NotesProgram(session: "ann", isOnline: false)
        try program.client.set(["x"], for: .notes)
        program.enqueue(AddNote("ann's"))
        #expect(program.notes == ["x", "ann's"])
        program.client.outbox.setSession("bob")
        program.lab.setOnline(true)
        #expect(program.notes == ["x"])
        program.enqueue(AddNote("bob's"))
        program.lab.advance(by: .seconds(10))
        #expect(program.server.made == ["bob's"])
        program.client.outbox.setSession("ann")
        program.lab.advance(by: .seconds(10))
        #expect(program.server.made == ["bob's", "ann's"])
    }

    @Test(
        "a session that ends takes its mutations with it, also if another begins before they are removed", .rule("O6"))
    func discardedSession() throws {
        let program = NotesProgram(session: "ann", isOnline: false)
        try program.client.set(["x"], for: .notes)
        program.enqueue(AddNote("ann's"))
        program.client.outbox.setSession("bob", discardingCurrent: true)
        program.client.outbox.setSession("cleo")
        #expect(program.notes == ["x"])
        program.lab.setOnline(true)
        for session in ["bob", "ann"] {
            program.client.outbox.setSession(session)
            program.lab.advance(by: .seconds(10))
        }
        #expect(program.server.made.isEmpty)
        #expect(try program.store.changes(after: -1, in: "ann")?.records.isEmpty == true)
    }

    @Test("an attempt that runs when the session changes has no effect in the new one", .rule("O6"))
    func runningSession() {
        let program = NotesProgram(session: "ann")
        program.server.hold()
        program.enqueue(AddNote("ann's"))
        program.client.outbox.setSession("bob")
        program.server.release()
        program.lab.advance(by: .seconds(10))
        #expect(program.server.made.isEmpty)
        program.client.outbox.setSession("ann")
        program.lab.advance(by: .seconds(10))
        #expect(program.server.made == ["ann's"])
    }

    @Test("drain returns when all that can be made is made, or at its deadline", .rule("O6"))
    func drain() {
        let program = NotesProgram(isOnline: false)
        for index in 0..<20 { program.enqueue(AddNote("\(index)", scope: nil)) }
        let offline = program.start { await $0.drain() }
        #expect(offline.value == 20)
        program.server.hold()
        program.lab.setOnline(true)
        let late = program.start { await $0.drain(within: .seconds(10)) }
        let whole = program.start { await $0.drain() }
        program.lab.advance(by: .seconds(10))
        #expect(late.value == 20)
        #expect(whole.result == nil)
        program.server.release()
        program.lab.settle()
        #expect(whole.value == 0)
        #expect(program.server.made.count == 20)
    }

    @Test("a client is freed with its outbox, while mutations wait, also for a time", .rule("O6"))
    func freed() {
        weak var client: QueryClient?
        weak var outbox: Outbox?
        let store = InMemoryMutationStore()
        do {
            let program = NotesProgram(store)
            program.server.fail("a", status: 503)
            program.enqueue(AddNote("a"))
            program.enqueue(AddNote("b"))
            program.lab.settle()
            (client, outbox) = (program.client, program.client.outbox)
            #expect(program.outbox.waiting.count == 2)
        }
        #expect(client == nil)
        #expect(outbox == nil)
    }

    @Test("an outbox that outlives its client changes nothing, neither in what it shows nor in the store", .rule("O1"))
    func withoutClient() throws {
        let store = InMemoryMutationStore()
        let outbox = {
            let program = NotesProgram(store, isOnline: false)
            program.enqueue(AddNote("a"))
            return program.client.outbox
        }()
        outbox.setSession("other", discardingCurrent: true)
        #expect(outbox.snapshot.waiting.count == 1)
        #expect(try store.changes(after: -1, in: nil)?.records.count == 1)
    }

    @Test(
        "one of two clients makes the mutations, both show them, and the other takes over if the first ends",
        .rule("O7"))
    func twoClients() throws {
        let first = NotesProgram()
        let second = NotesProgram(first.store, first.server, seed: 2)
        try second.client.set(["x"], for: .notes)
        first.server.hold()
        first.enqueue(AddNote("a"))
        first.enqueue(AddNote("b"))
        second.lab.settle()
        #expect(second.notes == ["x", "a", "b"])
        #expect(second.outbox.waiting.map(\.stage) == [.waiting(.otherProcess), .waiting(.turn)])
        // The first client makes no progress any more.
        second.lab.advance(by: .seconds(6))
        #expect(second.server.requests.map(\.change) == ["a", "a"])
        #expect(Set(second.server.requests.map(\.key)).count == 1)
        first.lab.advance(by: .seconds(20))
        second.server.release()
        second.lab.settle()
        first.lab.settle()
        second.lab.advance(by: .seconds(10))
        #expect(second.server.made == ["a", "b"])
        #expect(first.outbox.isEmpty && second.outbox.isEmpty)
    }

    @Test("a client that is not the runner hears of what the other has made", .rule("O7"))
    func otherMakes() {
        let first = NotesProgram()
        let second = NotesProgram(first.store, first.server, seed: 2)
        let observer = second.client.observe(.notes)
        second.lab.settle()
        first.enqueue(AddNote("a"))
        second.lab.settle()
        #expect(second.server.made == ["a"])
        #expect(second.outbox.isEmpty)
        #expect(observer.snapshot.value == ["server"])
    }
}

/// Adds a note to the persisted list.
private struct AddPersisted: DurableMutation {
    var text: String
    func run(_ context: MutationContext) async throws -> String {
        try await context[NotesServer.self].make(text, context)
    }
    func optimistic(_ edits: inout OptimisticEdits) {
        let text = text
        edits.update(QueryDefinition<[String]>("notes") { _ in ["server"] }.persisted()) { $0.append(text) }
    }
}
