import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

@Suite("Mutations that a caller submits")
struct OutboxSubmitTests {
    /// A screen that waits for what becomes of a change, with the list of notes on it.
    private struct Screen {
        let program: NotesProgram
        let observer: QueryObserver<[String]>
        let failures = Recorder<String>()
        let subscription: QuerySubscription

        init(_ program: NotesProgram = NotesProgram()) {
            self.program = program
            observer = program.client.observe(.notes)
            program.lab.settle()
            subscription = program.client.onFailure { [failures] _, event in
                failures.append("\(event.failureReason as Any)")
            }
        }

        func submit<M: DurableMutation>(_ mutation: M) -> LabTask<Submission<M.Output>> {
            let task = program.lab.start { [client = program.client] in try await client.submit(mutation) }
            program.lab.settle()
            return task
        }
    }

    @Test("what the server makes at once is completed, with its answer", .rule("O8"))
    func completed() {
        let screen = Screen()
        #expect(screen.submit(AddNote("milk")).value?.output == "milk")
        #expect(screen.program.server.made == ["milk"])
        #expect(screen.program.outbox.isEmpty)
        #expect(screen.failures.all.isEmpty)
    }

    @Test("the caller waits while the attempt runs, and sees the edit", .rule("O8"))
    func waits() {
        let screen = Screen()
        screen.program.server.hold()
        let task = screen.submit(AddNote("milk"))
        #expect(task.result == nil)
        #expect(screen.program.notes == ["server", "milk"])
        #expect(screen.program.outbox.count == 1)
        screen.program.server.release()
        screen.program.lab.settle()
        #expect(task.value?.output == "milk")
    }

    @Test("without a network it is queued at once, shown, and made when there is one", .rule("O8"))
    func offline() {
        let screen = Screen()
        screen.program.lab.setOnline(false)
        let task = screen.submit(AddNote("milk"))
        guard case .queued(let enqueued)? = task.value else { return #expect(Bool(false), "\(task)") }
        #expect(screen.program.notes == ["server", "milk"])
        #expect(screen.program.outbox.waiting.map(\.stage) == [.waiting(.network)])
        let answer = screen.program.lab.start { try await enqueued.output() }
        screen.program.lab.setOnline(true)
        screen.program.lab.settle()
        #expect(answer.value == "milk")
        #expect(screen.program.outbox.isEmpty)
    }

    @Test(
        "a server that cannot answer, or a session that has expired, makes it queued after one attempt", .rule("O8"),
        arguments: [503, 429, 401])
    func unavailable(status: Int) {
        let screen = Screen()
        screen.program.server.fail("milk", status: status)
        let task = screen.submit(AddNote("milk"))
        guard case .queued? = task.value else { return #expect(Bool(false), "\(task)") }
        #expect(screen.program.server.requests.map(\.attempt) == [1])
        #expect(screen.program.outbox.waiting.count == 1)
        #expect(screen.program.notes == ["server", "milk"])
        screen.program.client.outbox.resume()
        screen.program.lab.advance(by: .seconds(5))
        #expect(screen.program.server.made == ["milk"])
    }

    @Test(
        "a refusal is thrown, rolled back, heard once, and leaves nothing, also after a restart", .rule("O8"),
        arguments: [422, 409, 404])
    func refused(status: Int) throws {
        let screen = Screen()
        screen.program.server.fail("milk", status: status)
        let task = screen.submit(AddNote("milk"))
        #expect(task.error as? NotesServer.Failure == NotesServer.Failure(statusCode: status))
        #expect(screen.program.notes == ["server"])
        #expect(screen.program.outbox.isEmpty)
        #expect(screen.failures.all == ["Optional(PigeonCore.FailureReason.\(status == 409 ? "conflict" : "refused"))"])
        #expect(try screen.program.store.changes(after: -1, in: nil)?.records.isEmpty == true)
        let second = screen.program.restarted()
        second.lab.settle()
        #expect(second.outbox.isEmpty)
        // The scope goes on.
        #expect(screen.submit(AddNote("bread")).value?.output == "bread")
    }

    @Test(
        "a conflict that is resolved by the server's version is thrown, and the edited entries are fetched again",
        .rule("O8"))
    func discarded() {
        let screen = Screen()
        screen.program.server.fail("1=a", status: 409)
        let task = screen.submit(RenameNote(id: 1, title: "a", policy: .theirs))
        #expect(task.error as? NotesServer.Failure == NotesServer.Failure(statusCode: 409))
        #expect(screen.program.outbox.isEmpty)
    }

    @Test("a conflict that is resolved by another change is attempted again, for the same caller", .rule("O8"))
    func resolved() {
        let screen = Screen()
        screen.program.server.fail("1=a", status: 409)
        #expect(screen.submit(RenameNote(id: 1, title: "a", policy: .mine)).value?.output == "1=a+theirs")
    }

    @Test("it waits for one that runs in its scope, and is queued behind one that has to wait", .rule("O8"))
    func scopes() {
        let screen = Screen()
        screen.program.server.hold()
        screen.program.enqueue(AddNote("milk"))
        let behind = screen.submit(AddNote("bread"))
        #expect(behind.result == nil)
        screen.program.server.release()
        screen.program.lab.settle()
        #expect(behind.value?.output == "bread")

        screen.program.server.fail("eggs", status: 503)
        screen.program.enqueue(AddNote("eggs"))
        let queued = screen.submit(AddNote("salt"))
        guard case .queued? = queued.value else { return #expect(Bool(false), "\(queued)") }
        // Another scope is not concerned.
        #expect(screen.submit(AddNote("tea", scope: "other")).value?.output == "tea")
        screen.program.lab.advance(by: .seconds(5))
        #expect(screen.program.server.made == ["milk", "bread", "tea", "eggs", "salt"])
    }

    @Test("what was queued is kept if it is refused later, as if it had been enqueued", .rule("O8"))
    func refusedLater() {
        let screen = Screen()
        screen.program.lab.setOnline(false)
        let task = screen.submit(AddNote("milk"))
        #expect(task.value != nil)
        screen.program.server.fail("milk", status: 422)
        screen.program.lab.setOnline(true)
        screen.program.lab.settle()
        #expect(screen.program.outbox.setAside.map(\.stage) == [.setAside("422")])
        #expect(screen.failures.all == ["Optional(PigeonCore.FailureReason.refused)"])
    }

    @Test(
        "a caller who stops waiting leaves a change that was enqueued: it is made, or kept if it is refused",
        .rule("O8"))
    func cancelled() {
        for status in [nil, 422] {
            let screen = Screen()
            screen.program.server.hold()
            let task = screen.submit(AddNote("milk"))
            task.cancel()
            screen.program.lab.settle()
            #expect(task.error is CancellationError)
            #expect(screen.program.notes == ["server", "milk"])
            if let status { screen.program.server.fail("milk", status: status) }
            screen.program.server.release()
            screen.program.lab.settle()
            #expect(screen.program.server.made == (status == nil ? ["milk"] : []))
            #expect(screen.program.outbox.setAside.count == (status == nil ? 0 : 1))
        }
    }

    @Test("what was enqueued before is kept if the change with which it was combined is refused", .rule("O8"))
    func combined() {
        let screen = Screen()
        screen.program.lab.setOnline(false)
        screen.program.enqueue(RenameNote(id: 1, title: "a"))
        let queued = screen.submit(RenameNote(id: 1, title: "b"))
        guard case .queued? = queued.value else { return #expect(Bool(false), "\(queued)") }
        screen.program.lab.setOnline(true)
        screen.program.lab.settle()
        #expect(screen.program.server.made == ["1=b"])

        // Both in the outbox before the first attempt, which a change that runs holds up.
        screen.program.server.hold()
        screen.program.enqueue(AddNote("milk"))
        screen.program.enqueue(RenameNote(id: 1, title: "c"))
        let task = screen.submit(RenameNote(id: 1, title: "d"))
        screen.program.server.fail("1=d", status: 422)
        screen.program.server.release()
        screen.program.lab.settle()
        #expect(task.error as? NotesServer.Failure == NotesServer.Failure(statusCode: 422))
        #expect(screen.program.outbox.setAside.map(\.stage) == [.setAside("422")])
    }

    @Test("what was enqueued later is kept if the change with which it was combined is refused", .rule("O8"))
    func combinedLater() {
        let screen = Screen()
        screen.program.server.hold()
        screen.program.enqueue(AddNote("milk"))
        let task = screen.submit(RenameNote(id: 1, title: "a"))
        screen.program.enqueue(RenameNote(id: 1, title: "b"))
        screen.program.server.fail("1=b", status: 422)
        screen.program.server.release()
        screen.program.lab.settle()
        #expect(task.error as? NotesServer.Failure == NotesServer.Failure(statusCode: 422))
        #expect(screen.program.outbox.setAside.map(\.stage) == [.setAside("422")])
    }

    @Test("a creation and its deletion cancel each other, and the caller is not held up", .rule("O8"))
    func cancelling() {
        let screen = Screen()
        screen.program.lab.setOnline(false)
        screen.program.enqueue(CreateNote(id: 1))
        let task = screen.submit(DeleteNote(id: 1))
        guard case .queued(let enqueued)? = task.value else { return #expect(Bool(false), "\(task)") }
        #expect(enqueued.id == nil)
        #expect(screen.program.outbox.isEmpty)
    }

    @Test("while another process makes the changes, it is queued", .rule("O8"))
    func otherProcess() {
        let store = InMemoryMutationStore()
        let first = NotesProgram(store)
        first.server.hold()
        first.enqueue(AddNote("milk"))
        let screen = Screen(NotesProgram(store, first.server, seed: 2))
        let task = screen.submit(AddNote("bread", scope: "other"))
        guard case .queued? = task.value else { return #expect(Bool(false), "\(task)") }
        first.server.release()
        first.lab.settle()
    }

    @Test("a sign-out ends the wait, and an outbox that cannot be written refuses", .rule("O8"))
    func ends() throws {
        let screen = Screen()
        screen.program.server.hold()
        let task = screen.submit(AddNote("milk"))
        let clear = screen.program.lab.start { [client = screen.program.client] in try await client.clear() }
        screen.program.lab.settle()
        #expect(task.error is CancellationError)
        screen.program.server.release()
        screen.program.lab.settle()
        #expect(clear.result != nil)

        let store = MutationStoreDouble()
        let broken = Screen(NotesProgram(store))
        store.fail(true)
        #expect(broken.submit(AddNote("milk")).error != nil)
        #expect(broken.program.notes == ["server"])
        #expect(
            Screen(NotesProgram(mutations: [])).submit(AddNote("milk")).error as? OutboxError
                == .notRegistered(name: "AddNote"))
    }

    @Test("a caller of mutate gets the error after three retries, with a policy that has no limit", .rule("O9"))
    func mutate() {
        let screen = Screen()
        for _ in 0..<10 { screen.program.server.fail("milk", status: 503) }
        let task = screen.program.lab.start { [client = screen.program.client] in
            try await client.mutate(AddNote("milk"))
        }
        for _ in 0..<5 { screen.program.lab.advance(by: .seconds(60)) }
        #expect(task.error as? NotesServer.Failure == NotesServer.Failure(statusCode: 503))
        #expect(screen.program.server.requests.map(\.attempt) == [1, 2, 3, 4])
        #expect(screen.program.notes == ["server"])
        #expect(screen.program.outbox.isEmpty)
    }

    @Test(
        "the wait ends in all orders of steps: with the answer, the refusal or the queue", .rule("O8"),
        arguments: 0..<200)
    func orders(seed: Int) throws {
        let random = SeededRandom(seed: UInt64(seed))
        let screen = Screen(NotesProgram(seed: UInt64(seed)))
        let (lab, server) = (screen.program.lab, screen.program.server)
        var tasks: [(text: String, task: LabTask<Submission<String>>)] = []
        for step in 0..<30 {
            switch random.below(8) {
            case 0: lab.setOnline(random.once(in: 2))
            case 1: server.hold()
            case 2: server.release()
            case 3: lab.advance(by: .seconds(1 + random.below(20)))
            case 4: screen.program.client.outbox.resume()
            default:
                let (text, scope) = ("\(step)", random.pick(["a", "b", nil]) ?? nil)
                if let status = random.pick([401, 422, 503, nil, nil]) ?? nil {
                    server.fail(text, status: status)
                }
                var note = AddNote(text, scope: scope)
                note.after = .proceed
                tasks.append((text, screen.submit(note)))
            }
            lab.settle()
        }
        server.release()
        lab.setOnline(true)
        for _ in 0..<40 {
            screen.program.client.outbox.resume()
            lab.advance(by: .seconds(120))
        }
        #expect(screen.program.outbox.waiting.isEmpty)
        let kept = screen.program.outbox.setAside.compactMap { ($0.mutation as? AddNote)?.text }
        for (text, task) in tasks {
            switch task.result {
            case .success(.completed(let output)): #expect(output == text && server.made.contains(text))
            case .success(.queued): #expect(server.made.contains(text) != kept.contains(text))
            case .failure(let error):
                #expect((error as? NotesServer.Failure)?.statusCode == 422)
                #expect(!server.made.contains(text) && !kept.contains(text))
            case nil: Issue.record("the caller of \(text) waits forever")
            }
        }
    }
}
