import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

@Suite("Mutations that several clients change at the same time")
struct OutboxSharingTests {
    @Test("what another client has made is no longer shown as waiting, and its change stays", .rule("O7"))
    func madeByAnother() throws {
        let first = NotesProgram()
        let second = NotesProgram(first.store, first.server, isOnline: false, seed: 2)
        try second.client.set(["server"], for: .notes)
        first.server.hold()
        first.enqueue(AddNote("a"))
        second.lab.settle()
        #expect(second.client.snapshot(of: .notes).isOptimistic)
        first.server.release()
        first.lab.settle()
        second.lab.settle()
        #expect(second.outbox.isEmpty)
        #expect(second.notes == ["server", "a"])
        #expect(!second.client.snapshot(of: .notes).isOptimistic)
    }

    @Test("what was being recorded while the client signed out is not shown after it", .rule("O6"))
    func clearWhileRecording() throws {
        let store = MutationStoreDouble(announces: false)
        let program = NotesProgram(store, isOnline: false)
        let (lab, client) = (program.lab, program.client)
        store.beforeNext {
            _ = lab.start { try await client.clear() }
            lab.settle()
        }
        let answer = lab.start { try await client.enqueue(AddNote("a")).output() }
        #expect(answer.error is CancellationError)
        #expect(program.outbox.isEmpty)
        #expect(try #require(try store.changes(after: -1, in: nil)).records.isEmpty)
    }

    @Test("an edit by one client, while another makes the mutation, is made too, with another key", .rule("O7"))
    func editDuringAttempt() throws {
        let first = NotesProgram()
        first.server.hold()
        first.enqueue(AddNote("a"))
        let second = NotesProgram(first.store, first.server, seed: 2)
        second.lab.settle()
        let edit = second.start { try await $0.edit(1, as: AddNote.self) { $0.text = "b" } }
        #expect(edit.result != nil)
        first.server.release()
        first.lab.settle()
        second.lab.settle()
        first.lab.advance(by: .seconds(6))
        #expect(first.server.made == ["a", "b"])
        #expect(Set(first.server.requests.map(\.key)).count == 2)
        #expect(first.outbox.isEmpty)
    }

    @Test("a client makes what another has edited, also if only the end of a long text has changed", .rule("O7"))
    func editOfLongText() {
        let long = String(repeating: "x", count: 400)
        let first = NotesProgram(isOnline: false)
        first.enqueue(AddNote(long + "a"))
        let second = NotesProgram(first.store, first.server, isOnline: false, seed: 2)
        _ = second.start { try await $0.edit(1, as: AddNote.self) { $0.text = long + "b" } }
        first.lab.setOnline(true)
        #expect(first.server.made == [long + "b"])
    }

    @Test("the outcome of an attempt does not set aside what another client has edited in the meantime", .rule("O7"))
    func lateRefusal() throws {
        let first = NotesProgram()
        first.server.hold()
        first.server.fail("a", status: 422)
        first.enqueue(AddNote("a"))
        let second = NotesProgram(first.store, first.server, seed: 2)
        second.lab.settle()
        _ = second.start { try await $0.edit(1, as: AddNote.self) { $0.text = "b" } }
        first.server.release()
        first.lab.settle()
        first.lab.advance(by: .seconds(6))
        #expect(first.server.made == ["b"])
        #expect(first.outbox.isEmpty)
    }

    @Test("a deletion does not cancel a creation that another client has begun to make", .rule("O7"))
    func cancellingDuringAttempt() throws {
        let store = MutationStoreDouble(announces: false)
        let first = NotesProgram(store, isOnline: false)
        let second = NotesProgram(store, first.server, isOnline: false, seed: 2)
        first.enqueue(CreateNote(id: 1))
        second.enqueue(AddNote("x", scope: "other"))  // reads what the other has enqueued
        first.server.hold()
        first.lab.setOnline(true)
        #expect(first.server.requests.first?.change == "+1")
        let deletion = second.enqueue(DeleteNote(id: 1))
        #expect(deletion.value?.id != nil)
        first.server.release()
        first.lab.settle()
        #expect(first.server.made.first == "+1")
        first.enqueue(AddNote("y", scope: "third"))  // reads the deletion
        #expect(first.server.made.contains("-1"))
    }

    @Test("a mutation that another client removed during its attempt is forgotten when the attempt fails", .rule("O7"))
    func removedDuringAttempt() throws {
        let store = MutationStoreDouble(announces: false)
        let first = NotesProgram(store)
        first.server.hold()
        first.server.fail("a", status: 503)
        first.enqueue(AddNote("a"))
        let second = NotesProgram(store, first.server, isOnline: false, seed: 2)
        _ = second.start { try await $0.discard(1) }
        // Reads the removal. The store says nothing new about it after that.
        first.enqueue(AddNote("b", scope: "other"))
        store.fail(afterBatches: 1000)
        first.server.release()
        first.lab.settle()
        #expect(first.outbox.isEmpty)
        #expect(first.outbox.problems.isEmpty)
        first.lab.advance(by: .seconds(60))
        #expect(first.server.made == ["b"])
        #expect(first.server.requests.map(\.change) == ["a", "b"])
    }

    @Test("mutations of two clients in one scope are made in the order in which the store has them", .rule("O7"))
    func order() {
        let store = MutationStoreDouble(announces: false)
        let (first, second) = (NotesProgram(store, isOnline: false), NotesProgram(store, isOnline: false, seed: 2))
        second.enqueue(AddNote("a"))
        first.enqueue(AddNote("b"))
        first.lab.setOnline(true)
        #expect(first.server.made == ["a", "b"])
    }

    @Test("an edit and a later mutation that folds into the same one are both made", .rule("O2"))
    func editWhileFolding() {
        let program = NotesProgram(isOnline: false)
        program.enqueue(RenameNote(id: 1, title: "a"))
        let renaming = program.lab.start { [client = program.client] in
            try await client.enqueue(RenameNote(id: 1, title: "b"))
        }
        let edit = program.start { try await $0.edit(1, as: RenameNote.self) { $0.title += "!" } }
        #expect(renaming.value?.id == 1)
        #expect(edit.result != nil)
        program.lab.setOnline(true)
        #expect(program.server.made == ["1=b!"])
    }

    @Test("a mutation that was tried again is not taken for one that no server knows", .rule("O2"))
    func retriedIsKnown() {
        let program = NotesProgram()
        program.server.loseAnswers(1)
        program.enqueue(CreateNote(id: 1))
        #expect(program.server.made == ["+1"])
        program.lab.setOnline(false)
        _ = program.start { try await $0.retry(1) }
        program.enqueue(DeleteNote(id: 1))
        program.lab.setOnline(true)
        #expect(program.server.made == ["+1", "-1"])
    }

    @Test(
        "an edit after a retry gets another key, because the server may answer the old one with its refusal",
        .rule("O3"))
    func editAfterRetry() {
        let program = NotesProgram()
        program.server.fail("a", status: 422)
        program.enqueue(AddNote("a"))
        program.lab.setOnline(false)
        _ = program.start { try await $0.retry(1) }
        _ = program.start { try await $0.edit(1, as: AddNote.self) { $0.text = "b" } }
        program.lab.setOnline(true)
        #expect(program.server.made == ["b"])
        #expect(Set(program.server.requests.map(\.key)).count == 2)
    }

    @Test(
        "callers whose change is being stored when all mutations are dropped are resumed", .rule("O6"),
        arguments: [true, false])
    func droppedWhileStored(isRefused: Bool) {
        let store = MutationStoreDouble(announces: false)
        let program = NotesProgram(store, isOnline: false)
        program.enqueue(AddNote("a"))
        store.beforeNext { [client = program.client] in
            client.outbox.setSession("other")
            if isRefused { throw MutationStoreError.leaseLost }
        }
        let enqueued = program.lab.start { [client = program.client] in
            try await client.enqueue(AddNote("b", scope: "b"))
        }
        let discarded = program.start { try await $0.discard(1) }
        #expect(discarded.result != nil)
        #expect(enqueued.result != nil)
        if isRefused { #expect(enqueued.error is CancellationError) }
        #expect(program.outbox.isEmpty)
    }
}
