import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

@Suite("Mutations that outlive the process")
struct OutboxTests {
    @Test("a mutation is recorded before enqueue returns, and made with the recorded key", .rule("O1"))
    func recorded() throws {
        let program = NotesProgram()
        program.server.hold()
        let task = program.enqueue(AddNote("milk"))
        #expect(task.value?.id == 1)
        let record = try #require(try program.store.changes(after: -1, in: nil)?.records.first)
        #expect(record.mutation.name == "AddNote")
        #expect(record.progress.attempts == 1)
        #expect(program.server.requests.map(\.key) == [record.mutation.key])
        #expect(program.outbox.waiting.map(\.stage) == [.running])
        program.server.release()
        program.lab.settle()
        #expect(program.server.made == ["milk"])
        #expect(program.outbox.isEmpty)
        #expect(try program.store.changes(after: -1, in: nil)?.numbers == [])
    }

    @Test("a task that is cancelled while it enqueues has enqueued, and what it changed stays shown", .rule("O1"))
    func cancelledCaller() async throws {
        let store = MutationStoreDouble(announces: false)
        let client = QueryClient(
            outbox: Outbox.Setup(store: store, mutations: [AddNote.self]),
            environment: QueryEnvironment(connectivity: EnvironmentSignal(false)))
        try client.set([], for: .notes)
        let gate = DispatchSemaphore(value: 0)
        let isWaiting = Locked(false)
        store.beforeNext {
            isWaiting.withLock { $0 = true }
            gate.wait()
        }
        let first = Task { try await client.enqueue(AddNote("milk")).id }
        await until { isWaiting.withLock { $0 } }
        let second = Task { try await client.enqueue(AddNote("bread")).id }
        await until { client.value(of: .notes) == ["milk", "bread"] }
        first.cancel()
        second.cancel()
        gate.signal()
        #expect(try await first.value == 1)
        #expect(try await second.value == 2)
        #expect(client.outbox.snapshot.waiting.count == 2)
        #expect(client.value(of: .notes) == ["milk", "bread"])
    }

    @Test("who enqueues writes, and starts no task for it", .rule("W14"))
    func callerWrites() async throws {
        let started = Locked(0)
        let client = QueryClient(
            outbox: Outbox.Setup(store: MutationStoreDouble(announces: false), mutations: [AddNote.self]),
            environment: QueryEnvironment(connectivity: EnvironmentSignal(false)) { work in
                started.withLock { $0 += 1 }
                return QueryEnvironment.launchDetached(work)
            })
        await client.outbox.drain()
        let before = started.withLock { $0 }
        for text in ["milk", "bread", "eggs"] { try await client.enqueue(AddNote(text)) }
        #expect(client.outbox.snapshot.waiting.count == 3)
        #expect(started.withLock { $0 } == before)
    }

    @Test(
        "what waits when the process ends is made by the next one, each once and with its key, unasked",
        .rule("O1", "9a", "9g"))
    func restart() throws {
        let first = NotesProgram(isOnline: false)
        first.enqueue(AddNote("milk"))
        first.enqueue(AddNote("bread"))
        let keys = try #require(try first.store.changes(after: -1, in: nil)).records.map(\.mutation.key)
        let second = first.restarted()
        second.lab.settle()
        #expect(second.server.made == ["milk", "bread"])
        #expect(second.server.requests.map(\.key) == keys)
        second.lab.advance(by: .seconds(60))
        #expect(second.server.requests.count == 2)
        #expect(second.server.contexts.map(\.isRestored) == [true, true])
        #expect(second.server.contexts.allSatisfy { $0.enqueuedAt == first.lab.environment.wallClock() })
        #expect(second.outbox.isEmpty)
    }

    @Test(
        "a mutation that was made, but whose record could not be removed, is repeated with the same key",
        .rule("O1", "9b"))
    func unremoved() throws {
        let first = NotesProgram()
        first.server.hold()
        first.enqueue(AddNote("milk"))
        // The process ends during the attempt. The server makes the change all the same.
        let second = first.restarted()
        first.server.release()
        first.lab.settle()
        second.lab.advance(by: .seconds(6))
        #expect(second.server.made == ["milk"])
        #expect(Set(second.server.requests.map(\.key)).count == 1)
        #expect(second.outbox.isEmpty)
    }

    @Test("a mutation whose type is not registered is refused, and one without a store too", .rule("O1"))
    func refused() {
        let program = NotesProgram(mutations: [AddNote.self])
        #expect(program.enqueue(CreateNote(id: 1)).error as? OutboxError == .notRegistered(name: "CreateNote"))
        let lab = QueryLab()
        let task = lab.start { try await lab.client.enqueue(AddNote("milk")) }
        #expect(task.error as? OutboxError == .noStore(name: "AddNote"))
        #expect(lab.client.outbox.snapshot.isEmpty)
    }

    @Test("a record of an unknown type is kept and set aside, and the others are made", .rule("O1"))
    func unknown() {
        let first = NotesProgram(isOnline: false)
        first.enqueue(CreateNote(id: 1))
        first.enqueue(AddNote("milk", scope: "other"))
        let second = NotesProgram(first.store, first.server, mutations: [AddNote.self])
        second.lab.settle()
        #expect(second.server.made == ["milk"])
        #expect(second.outbox.setAside.map(\.name) == ["CreateNote"])
        #expect(second.outbox.setAside.first?.error as? OutboxError == .notRegistered(name: "CreateNote"))
        let third = first.restarted()
        third.lab.settle()
        #expect(third.server.made == ["milk", "+1"])
    }

    @Test("mutations of one scope are made in order, and those of different scopes at the same time", .rule("O2"))
    func order() {
        let program = NotesProgram()
        program.server.hold()
        for text in ["a1", "a2"] { program.enqueue(AddNote(text, scope: "a")) }
        for text in ["b1", "b2"] { program.enqueue(AddNote(text, scope: "b")) }
        #expect(program.server.requests.map(\.change) == ["a1", "b1"])
        #expect(program.outbox.waiting.map(\.stage) == [.running, .waiting(.turn), .running, .waiting(.turn)])
        program.server.release()
        program.lab.settle()
        #expect(program.server.made.filter { $0.hasPrefix("a") } == ["a1", "a2"])
        #expect(program.server.made.filter { $0.hasPrefix("b") } == ["b1", "b2"])
    }

    @Test("a later mutation of a scope waits for the retries of an earlier one, also after a restart", .rule("O2"))
    func orderOfRetries() {
        let first = NotesProgram()
        first.server.fail("a", status: 503)
        first.server.fail("a", status: 503)
        first.enqueue(AddNote("a"))
        first.enqueue(AddNote("b"))
        #expect(first.server.requests.map(\.change) == ["a"])
        let second = first.restarted()
        second.lab.settle()
        second.lab.advance(by: .seconds(5))
        #expect(second.server.requests.map(\.change).last != "a" || second.server.made.isEmpty)
        second.lab.advance(by: .seconds(30))
        #expect(second.server.made == ["a", "b"])
        #expect(second.server.requests.map(\.attempt) == [1, 2, 3, 1])
    }

    @Test("a later rename folds into an earlier one that was not attempted", .rule("O2"))
    func merging() throws {
        let program = NotesProgram(isOnline: false)
        program.enqueue(RenameNote(id: 1, title: "a"))
        program.enqueue(RenameNote(id: 2, title: "x"))
        let last = program.enqueue(RenameNote(id: 1, title: "b"))
        #expect(program.outbox.waiting.count == 2)
        #expect(last.value?.id == 1)
        program.lab.setOnline(true)
        #expect(program.server.made == ["1=b", "2=x"])
    }

    @Test(
        "a deletion removes the creation and the edits that it makes pointless, also those that are being stored",
        .rule("O2"))
    func cancelling() {
        let program = NotesProgram(isOnline: false)
        let tasks = (
            program.enqueue(CreateNote(id: 1)), program.enqueue(RenameNote(id: 1, title: "a")),
            program.enqueue(RenameNote(id: 2, title: "b")), program.enqueue(DeleteNote(id: 1))
        )
        #expect(tasks.3.value != nil)
        #expect(tasks.3.value?.id == nil)
        #expect(program.outbox.waiting.compactMap { $0.mutation as? RenameNote }.map(\.title) == ["b"])
        #expect(program.outbox.waiting.count == 1)
        program.lab.setOnline(true)
        #expect(program.server.made == ["2=b"])
    }

    @Test("a mutation that has been attempted is not merged", .rule("O2"))
    func attemptedIsNotMerged() {
        let program = NotesProgram()
        program.server.fail("1=a", status: 503)
        program.enqueue(RenameNote(id: 1, title: "a"))
        program.enqueue(RenameNote(id: 1, title: "b"))
        #expect(program.outbox.waiting.count == 2)
        program.lab.advance(by: .seconds(5))
        #expect(program.server.made == ["1=a", "1=b"])
    }
}
