import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

@Suite("Failures of mutations that outlive the process")
struct OutboxFailureTests {
    @Test(
        "what the server refuses for good is set aside with its error, shows nothing, and can be tried again",
        .rule("O3"))
    func setAside() throws {
        let program = NotesProgram()
        let observer = program.client.observe(.notes)
        program.lab.settle()
        program.server.fail("milk", status: 422)
        let task = program.enqueue(AddNote("milk"))
        let answer = program.lab.start { try await task.value?.output() }
        program.lab.settle()
        let item = try #require(program.outbox.setAside.first)
        #expect(item.stage == .setAside("422"))
        #expect(item.attempts == 1)
        #expect(item.error as? NotesServer.Failure == NotesServer.Failure(statusCode: 422))
        #expect(answer.error as? NotesServer.Failure == NotesServer.Failure(statusCode: 422))
        #expect(program.notes == ["server"])
        let retry = program.start { try await $0.retry(item.id) }
        #expect(retry.result != nil)
        #expect(program.server.made == ["milk"])
        #expect(Set(program.server.requests.map(\.key)).count == 1)
        #expect(program.outbox.isEmpty)
        _ = observer
    }

    @Test(
        "a mutation that is set aside stays so after a restart, and can be edited, with another key, or discarded",
        .rule("O3"))
    func editing() throws {
        let first = NotesProgram()
        first.server.fail("milk", status: 422)
        first.server.fail("bread", status: 422)
        first.enqueue(AddNote("milk", scope: "a"))
        first.enqueue(AddNote("bread", scope: "b"))
        let second = first.restarted()
        second.lab.settle()
        #expect(second.outbox.setAside.map(\.stage) == [.setAside("422"), .setAside("422")])
        let ids = second.outbox.setAside.map(\.id)
        _ = second.start { try await $0.edit(ids[0], as: AddNote.self) { $0.text = "oat milk" } }
        _ = second.start { try await $0.discard(ids[1]) }
        #expect(second.server.made == ["oat milk"])
        #expect(Set(second.server.requests.map(\.key)).count == 3)
        #expect(second.outbox.isEmpty)
        let late = second.start { try await $0.retry(ids[1]) }
        #expect(late.error as? OutboxError == .notWaiting(ids[1]))
    }

    @Test("what the program's own part in a request has failed is attempted again, and not refused", .rule("D17"))
    func ownFailure() {
        let program = NotesProgram()
        program.server.fail("milk", with: SigningFailure())
        program.enqueue(AddNote("milk"))
        #expect(program.outbox.setAside.isEmpty)
        program.lab.advance(by: .seconds(2))
        #expect(program.server.made == ["milk"])
    }

    @Test("retries go on over restarts, and end with the policy's limit", .rule("O3"))
    func limit() {
        var mutation = AddNote("milk")
        mutation.limit = 2
        let first = NotesProgram()
        for _ in 0..<3 { first.server.fail("milk", status: 503) }
        first.enqueue(mutation)
        first.lab.advance(by: .seconds(1))
        #expect(first.server.requests.map(\.attempt) == [1, 2])
        let second = first.restarted()
        second.lab.settle()
        #expect(second.outbox.waiting.count == 1)
        second.lab.advance(by: .seconds(8))
        #expect(second.server.requests.map(\.attempt) == [1, 2, 3])
        #expect(second.outbox.setAside.map(\.stage) == [.setAside("503")])
    }

    @Test(
        "what waits by its own policy is attempted when there is a reason to try", .rule("O10"),
        arguments: ["network", "foreground", "resume", "drain"])
    func hurries(reason: String) {
        let program = NotesProgram()
        for _ in 1...9 { program.server.fail("milk", status: 503) }
        program.enqueue(AddNote("milk"))
        while program.server.requests.count < 5 { program.lab.advance(by: .milliseconds(500)) }
        func hurry() {
            switch reason {
            case "network":
                program.lab.setOnline(false)
                program.lab.setOnline(true)
            case "foreground":
                program.lab.setActive(false)
                program.lab.setActive(true)
            case "resume": program.client.outbox.resume()
            default: program.start { await $0.drain(within: .seconds(1)) }
            }
            program.lab.settle()
        }
        hurry()
        #expect(program.server.requests.count == 6)
        // The attempt has failed, and another one follows after the time that the policy names, or the next reason.
        guard case .waiting(.time) = program.outbox.waiting.first?.stage else { return #expect(Bool(false)) }
        hurry()
        #expect(program.server.requests.count == 7)
    }

    @Test("what waits for a time that the server has named keeps to it", .rule("O10"))
    func doesNotHurry() {
        let program = NotesProgram()
        program.server.fail("milk", with: NotesServer.Failure(statusCode: 429, retryAfter: .seconds(600)))
        program.enqueue(AddNote("milk"))
        program.lab.setOnline(false)
        program.lab.setOnline(true)
        program.client.outbox.resume()
        program.lab.settle()
        #expect(program.server.requests.count == 1)
        program.lab.advance(by: .seconds(601))
        #expect(program.server.made == ["milk"])
    }

    @Test("a Retry-After is kept to, also by the next run of the program", .rule("O3"))
    func retryAfter() {
        let first = NotesProgram()
        first.server.fail("milk", with: NotesServer.Failure(statusCode: 429, retryAfter: .seconds(600)))
        first.enqueue(AddNote("milk"))
        let due = first.lab.environment.wallClock() + 600
        #expect(first.outbox.waiting.map(\.stage) == [.waiting(.time(due))])
        let second = first.restarted()
        second.lab.advance(by: .seconds(599))
        #expect(second.server.made == [])
        second.lab.advance(by: .seconds(2))
        #expect(second.server.made == ["milk"])
    }

    @Test("a wall clock that was set back before a restart does not make a mutation wait for longer", .rule("O3"))
    func clockSetBack() {
        let first = NotesProgram()
        first.server.fail("milk", with: NotesServer.Failure(statusCode: 429, retryAfter: .seconds(600)))
        first.enqueue(AddNote("milk"))
        let second = NotesProgram(first.store, first.server, seed: 2, startingAfter: -1_000_000)
        second.lab.advance(by: .seconds(6))
        #expect(second.server.made == ["milk"])
    }

    @Test("a policy can let a mutation wait for longer than an hour, also over a restart", .rule("O3"))
    func longWait() {
        let first = NotesProgram(mutations: [DailyNote.self])
        first.server.fail("milk", status: 503)
        first.enqueue(DailyNote(text: "milk"))
        #expect(first.server.requests.count == 1)
        let second = NotesProgram(first.store, first.server, mutations: [DailyNote.self])
        second.lab.advance(by: .seconds(7100))
        #expect(second.server.requests.count == 1)
        second.lab.advance(by: .seconds(200))
        #expect(second.server.made == ["milk"])
    }

    @Test("a wait of any length ends no process", .rule("O3"))
    func endlessWait() {
        let program = NotesProgram(mutations: [DailyNote.self])
        program.server.fail("milk", status: 503)
        program.enqueue(DailyNote(text: "milk", seconds: .max))
        #expect(program.server.requests.count == 1)
        #expect(program.outbox.waiting.count == 1)
    }

    /// A program with a mutation that was too old when the network came back.
    private func expired() -> NotesProgram {
        var mutation = AddNote("milk")
        mutation.age = .seconds(60)
        let program = NotesProgram(isOnline: false)
        program.enqueue(mutation)
        program.lab.advance(by: .seconds(61))
        program.lab.setOnline(true)
        return program
    }

    @Test("a mutation that was too old is made when it is retried or edited", .rule("O3"), arguments: [true, false])
    func expiredAndRetried(isEdited: Bool) throws {
        let program = expired()
        let id = try #require(program.outbox.setAside.first?.id)
        program.lab.setOnline(false)
        _ = program.start { outbox in
            if isEdited { try await outbox.edit(id, as: AddNote.self) { _ in } } else { try await outbox.retry(id) }
        }
        let later = program.restarted(isOnline: false)
        later.lab.advance(by: .seconds(30))
        later.lab.setOnline(true)
        #expect(program.server.made == ["milk"])
    }

    @Test("what was retried has its whole age for its attempts", .rule("O3"))
    func expiredAndRetriedTwice() throws {
        let program = expired()
        let id = try #require(program.outbox.setAside.first?.id)
        program.server.fail("milk", status: 503)
        _ = program.start { try await $0.retry(id) }
        program.lab.advance(by: .seconds(30))
        #expect(program.server.made == ["milk"])
    }

    @Test("a policy is asked for the waits that it has, and no others", .rule("O3"))
    func outOfRetries() {
        let first = NotesProgram(mutations: [TableNote.self])
        for _ in 1...3 { first.server.fail("milk", status: 503) }
        first.enqueue(TableNote(text: "milk"))
        first.lab.advance(by: .seconds(7))
        let second = NotesProgram(first.store, first.server, seed: 2, mutations: [TableNote.self])
        #expect(second.outbox.setAside.count == 1)
    }

    @Test("two processes keep to the waits of one policy", .rule("O3"))
    func sharedLongWait() {
        let one = NotesProgram(mutations: [TableNote.self])
        for _ in 1...9 { one.server.fail("milk", status: 503) }
        one.enqueue(TableNote(text: "milk", waits: (0..<20).map { 3600 << $0 }))
        let other = NotesProgram(one.store, one.server, seed: 2, mutations: [TableNote.self])
        other.lab.settle()
        // Both have one wall clock.
        for _ in 0..<3620 { for lab in [other.lab, one.lab] { lab.advance(by: .seconds(1)) } }
        #expect(one.server.requests.count == 2)
    }

    @Test("without a store, nothing can be retried or discarded", .rule("O3"))
    func noStore() {
        let lab = QueryLab()
        let retry = lab.start { [client = lab.client] in try await client.outbox.retry(7) }
        let discard = lab.start { [client = lab.client] in try await client.outbox.discard(7) }
        lab.settle()
        for task in [retry, discard] { #expect(task.error as? OutboxError == .notWaiting(7)) }
    }

    @Test("what another person resolves after a sign-out is not shown to the next one", .rule("O6"))
    func resolvedAfterSignOut() throws {
        let program = NotesProgram(session: "ann", mutations: [RebasingNote.self])
        try program.client.set(["x"], for: .notes)
        program.server.fail("a", status: 409)
        program.enqueue(RebasingNote(text: "a"))
        program.client.outbox.setSession("bob")
        program.lab.settle()
        program.server.release()
        program.lab.settle()
        #expect(program.notes == ["x"])
    }

    @Test("a closed client gives its lease back, even if a conflict is still being resolved", .rule("O7"))
    func closedDuringConflict() {
        let program = NotesProgram(mutations: [RebasingNote.self])
        program.server.fail("a", status: 409)
        program.enqueue(RebasingNote(text: "a"))
        #expect(program.server.requests.map(\.change) == ["a", "look"])
        let close = program.lab.start { [client = program.client] in await client.close(within: .zero) }
        program.lab.advance(by: .seconds(2))
        #expect(close.result != nil)
        let next = NotesProgram(program.store, program.server, seed: 2, mutations: [RebasingNote.self])
        next.lab.settle()
        #expect(next.server.requests.map(\.change) == ["a", "look", "a"])
        program.server.release()
        for lab in [program.lab, next.lab] { lab.settle() }
        #expect(next.outbox.isEmpty)
    }

    @Test("a sign-out that is not stored yet is not forgotten by the next one", .rule("O6"))
    func twoSignOuts() {
        let store = MutationStoreDouble()
        let program = NotesProgram(store, session: "ann", isOnline: false)
        program.enqueue(AddNote("ann's"))
        store.fail(true)
        program.client.outbox.setSession("bob", discardingCurrent: true)
        program.lab.settle()
        store.fail(false)
        let clear = program.lab.start { [client = program.client] in try await client.clear() }
        program.lab.settle()
        program.client.outbox.setSession("ann")
        program.lab.setOnline(true)
        program.lab.advance(by: .seconds(70))
        #expect(clear.error == nil)
        #expect(program.server.made.isEmpty)
    }

    @Test("what is enqueued while a sign-out fails is not removed by it", .rule("O1", "O6"))
    func enqueuedDuringFailedSignOut() throws {
        let store = MutationStoreDouble(announces: false)
        let program = NotesProgram(store, session: "ann", isOnline: false)
        let (lab, client) = (program.lab, program.client)
        store.beforeNext {
            client.outbox.setSession("ann")
            _ = lab.start { try await client.enqueue(AddNote("b")) }
            throw MutationStoreDouble.Refusal()
        }
        client.outbox.setSession("ann", discardingCurrent: true)
        lab.settle()
        lab.advance(by: .seconds(70))
        #expect(try store.changes(after: -1, in: "ann")?.numbers.count == 1)
    }

    @Test("who waits for an answer hears that another process has set the mutation aside", .rule("O5"))
    func setAsideElsewhere() {
        let asker = NotesProgram(isOnline: false)
        let maker = NotesProgram(asker.store, asker.server, seed: 2)
        asker.server.fail("a", status: 422)
        let answer = asker.lab.start { [client = asker.client] in try await client.enqueue(AddNote("a")).output() }
        asker.lab.settle()
        maker.lab.settle()
        asker.lab.settle()
        #expect(asker.outbox.setAside.count == 1)
        #expect(answer.error as? OutboxError == .noAnswer(name: "AddNote"))
    }

    @Test("a mutation that is too old is set aside", .rule("O3"))
    func age() {
        let program = expired()
        #expect(program.server.requests.isEmpty)
        #expect(program.outbox.setAside.first?.error as? OutboxError == .expired(name: "AddNote", age: .seconds(60)))
    }

    @Test(
        "what follows a mutation that was set aside waits, is made, or is set aside too, as its type says", .rule("O3"),
        arguments: [AfterSetAside.wait, .proceed, .setAside])
    func following(_ policy: AfterSetAside) throws {
        let program = NotesProgram()
        program.server.fail("a", status: 400)
        program.server.hold()
        program.enqueue(AddNote("a"))
        var later = AddNote("b")
        later.after = policy
        program.enqueue(later)
        program.enqueue(later)
        program.server.release()
        program.lab.settle()
        switch policy {
        case .wait:
            #expect(program.server.made.isEmpty)
            #expect(program.outbox.waiting.map(\.stage) == [.waiting(.turn), .waiting(.turn)])
            let id = try #require(program.outbox.setAside.first?.id)
            _ = program.start { try await $0.discard(id) }
            #expect(program.server.made == ["b", "b"])
        case .proceed: #expect(program.server.made == ["b", "b"])
        case .setAside:
            #expect(program.server.made.isEmpty)
            #expect(program.outbox.setAside.count == 3)
        }
    }

    @Test("a conflict asks the type: mine on top of theirs, theirs, or set aside", .rule("O3"))
    func conflicts() {
        let program = NotesProgram()
        for (id, policy) in [(1, RenameNote.Policy.mine), (2, .theirs), (3, .aside)] {
            program.server.fail("\(id)=a", status: id == 2 ? 412 : 409)
            program.enqueue(RenameNote(id: id, title: "a", policy: policy))
        }
        #expect(program.server.made == ["1=a+theirs"])
        #expect(program.outbox.waiting.isEmpty)
        #expect(program.outbox.setAside.compactMap { ($0.mutation as? RenameNote)?.id } == [3])
    }

    @Test("an error of authorization pauses the outbox, and burns no attempt", .rule("O3"))
    func authorization() {
        let program = NotesProgram()
        program.server.fail("a", status: 401)
        program.enqueue(AddNote("a", scope: nil))
        program.enqueue(AddNote("b", scope: nil))
        #expect(program.server.requests.count == 1)
        #expect(program.outbox.waiting.map(\.stage) == [.waiting(.authorization), .waiting(.authorization)])
        program.lab.advance(by: .seconds(3600))
        #expect(program.server.requests.count == 1)
        program.client.outbox.resume()
        program.lab.settle()
        #expect(program.server.made.sorted() == ["a", "b"])
        #expect(program.server.requests.map(\.attempt) == [1, 1, 1])
    }

    @Test("a type can decide about one error, and leave the others to the default", .rule("O3"))
    func ownJudgement() {
        let program = NotesProgram(mutations: [Patient.self])
        for status in [422, 403] { program.server.fail("a", status: status) }
        program.enqueue(Patient(text: "a"))
        #expect(program.outbox.waiting.count == 1)
        program.lab.advance(by: .seconds(2))
        #expect(program.server.requests.count == 2)
        #expect(program.outbox.setAside.map(\.stage) == [.setAside("403")])
    }

    @Test("a full disk refuses what is enqueued, and delays what has been made without losing it", .rule("O3"))
    func fullDisk() {
        let store = MutationStoreDouble()
        let program = NotesProgram(store)
        program.enqueue(AddNote("a"))
        program.server.hold()
        program.enqueue(AddNote("b"))
        store.fail(true)
        program.server.release()
        program.lab.settle()
        let refused = program.enqueue(AddNote("c"))
        #expect(refused.error is MutationStoreDouble.Refusal)
        #expect(program.server.made == ["a", "b"])
        #expect(program.outbox.problems.count == 1)
        store.fail(false)
        program.lab.advance(by: .seconds(120))
        #expect(program.outbox.isEmpty)
        #expect(program.server.requests.map(\.change) == ["a", "b"])
        program.enqueue(AddNote("d"))
        #expect(program.server.made == ["a", "b", "d"])
    }

    @Test("no edit is lost that comes while the outbox begins anew", .rule("O3", "9e"))
    func editsWhileStarting() {
        let first = NotesProgram(isOnline: false)
        first.enqueue(RenameNote(id: 1, title: "a"))
        let second = first.restarted()
        let tasks = ["b", "c"].map { title in
            second.lab.start { try await second.client.enqueue(RenameNote(id: 1, title: title)) }
        }
        second.lab.settle()
        second.lab.advance(by: .seconds(10))
        #expect(tasks.allSatisfy { $0.value != nil })
        #expect(second.server.made.last == "1=c")
        #expect(second.outbox.isEmpty)
    }

    @Test("one mutation that the store refuses does not take others with it", .rule("O3"))
    func oneRefused() {
        let store = MutationStoreDouble()
        let program = NotesProgram(store, isOnline: false)
        store.refuse("huge")
        let tasks = ["a", "huge", "b"].map { text in
            program.lab.start { try await program.client.enqueue(AddNote(text, scope: nil)) }
        }
        program.lab.settle()
        #expect(tasks[0].value != nil)
        #expect(tasks[1].error is MutationStoreDouble.Refusal)
        #expect(tasks[2].value != nil)
        #expect(program.outbox.waiting.count == 2)
    }

    @Test(
        "a sign-out that the store refused, and that is repeated, does not remove what is enqueued after it",
        .rule("O6"))
    func enqueuedAfterFailedClear() {
        let store = MutationStoreDouble()
        let program = NotesProgram(store, isOnline: false)
        program.enqueue(AddNote("a"))
        store.fail(true)
        let clear = program.lab.start { [client = program.client] in try await client.clear() }
        #expect(clear.error is MutationStoreDouble.Refusal)
        store.fail(false)
        program.enqueue(AddNote("b"))
        program.lab.setOnline(true)
        program.lab.advance(by: .seconds(70))
        #expect(program.server.made == ["b"])
    }

    @Test("a mutation that is refused together with a sign-out does not hold up the next one of its scope", .rule("O6"))
    func refusedBehindClear() {
        let store = MutationStoreDouble()
        let program = NotesProgram(store, isOnline: false)
        store.fail(true)
        let clear = program.lab.start { [client = program.client] in try await client.clear() }
        #expect(clear.error is MutationStoreDouble.Refusal)
        #expect(program.enqueue(RenameNote(id: 1, title: "a")).error is MutationStoreDouble.Refusal)
        store.fail(false)
        #expect(program.enqueue(RenameNote(id: 1, title: "b")).value != nil)
        program.lab.setOnline(true)
        #expect(program.server.made == ["1=b"])
    }

    @Test("an edit of what another client has made ends with an error, also while the store is given time", .rule("O7"))
    func editWhileStorePauses() {
        let store = MutationStoreDouble(announces: false)
        let first = NotesProgram(store, isOnline: false)
        first.enqueue(AddNote("a"))
        let second = NotesProgram(store, first.server, isOnline: false, seed: 2)
        store.beforeNext { throw MutationStoreDouble.Refusal() }
        #expect(second.enqueue(AddNote("b")).error is MutationStoreDouble.Refusal)
        first.lab.setOnline(true)
        store.fail(afterBatches: 50)
        let edit = second.start { try await $0.edit(1, as: AddNote.self) { $0.text = "c" } }
        #expect(edit.error as? OutboxError == .notWaiting(1))
        #expect(first.server.made == ["a"])
    }
}

/// The failure of an adapter that signs requests.
private struct SigningFailure: TransientErrorType {
    var isLocal: Bool { true }
}

/// Adds a note, and tries again when the server says that it cannot be processed.
private struct Patient: DurableMutation {
    var text: String
    func run(_ context: MutationContext) async throws -> String {
        try await context[NotesServer.self].make(text, context)
    }
    func classify(_ error: any Error) -> MutationFailure {
        let isUnprocessable = (error as? NotesServer.Failure)?.statusCode == 422
        return isUnprocessable ? .transient : MutationFailure(error, retry: retry)
    }
}

/// A store in memory that fails when the test says so.
/// A note that waits for hours between its attempts.
private struct DailyNote: DurableMutation {
    var text: String
    var seconds = 7200

    func run(_ context: MutationContext) async throws -> String {
        try await context[NotesServer.self].make(text, context)
    }
    var retry: RetryPolicy { RetryPolicy(limit: 3, delay: { [seconds] _ in .seconds(seconds) }, hasJitter: false) }
}

/// A note whose policy has a table.
private struct TableNote: DurableMutation {
    var text: String
    var waits = [1, 5]

    func run(_ context: MutationContext) async throws -> String {
        try await context[NotesServer.self].make(text, context)
    }
    var retry: RetryPolicy {
        RetryPolicy(limit: waits.count, delay: { [waits] in .seconds(waits[$0]) }, hasJitter: false)
    }
}

/// A note that asks the server before it resolves a conflict.
private struct RebasingNote: DurableMutation {
    var text: String

    func run(_ context: MutationContext) async throws -> String {
        try await context[NotesServer.self].make(text, context)
    }
    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(.notes) { [text] in $0.append(text) }
    }
    func resolve(_ conflict: MutationConflict) async throws -> ConflictResolution {
        let server = try conflict.context[NotesServer.self]
        server.hold()
        _ = try await server.make("look", conflict.context)
        return .retry(RebasingNote(text: "\(text)+theirs"))
    }
}
