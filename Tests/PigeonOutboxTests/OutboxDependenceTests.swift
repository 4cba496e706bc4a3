import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

@Suite("Mutations that depend on others")
struct OutboxDependenceTests {
    // MARK: What is refused holds back only what depends on it

    @Test(
        "a later change of the same thing is made, though an earlier one was refused, and both are reported",
        .rule("K14", "O3"))
    func refusedHoldsNothingBack() throws {
        let program = NotesProgram()
        let failures = Recorder<String>()
        let subscription = program.client.onFailure { error, event in
            failures.append("\(event.mutation ?? "") \((error as? NotesServer.Failure)?.statusCode ?? 0)")
        }
        try program.client.set(["server"], for: .notes)
        program.server.fail("1=bad", status: 422)
        let bad = program.enqueue(RenameNote(id: 1, title: "bad"))
        let answer = program.lab.start { try await bad.value?.output() }
        program.lab.settle()
        program.enqueue(RenameNote(id: 1, title: "good"))
        #expect(program.server.made == ["1=good"])
        #expect(answer.error as? NotesServer.Failure == NotesServer.Failure(statusCode: 422))
        #expect(failures.all == ["RenameNote 422"])
        #expect(program.outbox.setAside.map(\.stage) == [.setAside("422")])
        let drain = program.start { await $0.drain() }
        #expect(drain.value == 0)
        let id = try #require(program.outbox.setAside.first?.id)
        _ = program.start { try await $0.edit(id, as: RenameNote.self) { $0.title = "better" } }
        #expect(program.server.made == ["1=good", "1=better"])
        #expect(program.outbox.isEmpty)
        subscription.cancel()
    }

    @Test("a refused creation holds back what has its identifier, and nothing else of its scope", .rule("K14", "O3"))
    func refusedCreation() throws {
        let program = NotesProgram.things()
        let make = MakeThing("1", scope: "s")
        program.server.fail("+1", status: 422)
        program.enqueue(make)
        program.enqueue(UseThing("edit", make.id, scope: "s"))
        program.enqueue(UseThing("other", .assigned(7), scope: "s"))
        #expect(program.server.made == ["other of 7"])
        #expect(program.outbox.waiting.map(\.stage) == [.waiting(.turn)])
        let again = NotesProgram.things(program.store, program.server, seed: 2)
        again.lab.advance(by: .seconds(60))
        #expect(again.outbox.waiting.map(\.stage) == [.waiting(.turn)])
        let id = try #require(again.outbox.setAside.first?.id)
        _ = again.start { try await $0.retry(id) }
        #expect(again.server.made == ["other of 7", "+1", "edit of 1"])
        #expect(!again.sentMadeUp)
    }

    @Test(
        "a type that says so is set aside with the creation of its identifier, in whichever scope that is",
        .rule("K14", "O3"))
    func setAsideWithCreation() {
        let program = NotesProgram.things()
        let make = MakeThing("1", scope: "s")
        program.server.hold()
        program.server.fail("+1", status: 422)
        program.enqueue(make)
        var use = UseThing("edit", make.id)
        use.isSetAsideToo = true
        program.enqueue(use)
        program.server.release()
        program.lab.settle()
        #expect(program.setAsideErrors == [nil, .afterSetAside(name: "UseThing")])
    }

    // MARK: Temporary identifiers

    @Test(
        "a change with a temporary identifier waits for its creation, whatever its scope, also over a restart",
        .rule("K7", "O2"),
        arguments: ["s", "other", nil], [503, 422])
    func waitsForCreation(scope: String?, status: Int) throws {
        let first = NotesProgram.things(isOnline: false)
        let make = MakeThing("1", scope: "s")
        first.enqueue(make)
        first.enqueue(UseThing("edit", make.id, scope: scope))
        for _ in 1...2 { first.server.fail("+1", status: status) }
        first.lab.setOnline(true)
        #expect(first.server.requests.map(\.change) == ["+1"])
        let second = NotesProgram.things(first.store, first.server, seed: 2)
        second.lab.settle()
        #expect(!second.sentMadeUp)
        for item in second.outbox.setAside { _ = second.start { try await $0.retry(item.id) } }
        for item in second.outbox.setAside { _ = second.start { try await $0.retry(item.id) } }
        second.lab.advance(by: .seconds(60))
        #expect(second.server.made == ["+1", "edit of 1"])
        #expect(!second.sentMadeUp)
    }

    @Test(
        "what needs two identifiers waits for both, and a creation in a creation for the outer one", .rule("K7", "O2"))
    func several() {
        let program = NotesProgram.things(isOnline: false)
        let outer = MakeThing("1")
        let inner = MakeThing("2", in: outer.id)
        program.enqueue(outer)
        program.enqueue(inner)
        program.enqueue(UseThing("edit", inner.id, outer.id))
        program.server.fail("+1", status: 503)
        program.lab.setOnline(true)
        #expect(program.server.requests.map(\.change) == ["+1"])
        program.lab.advance(by: .seconds(5))
        #expect(program.server.made == ["+1", "+2 in 1", "edit of 2, 1"])
    }

    @Test(
        "what has the identifier of a discarded creation is set aside and reported, for good", .rule("K7", "O2"),
        arguments: ["s", nil])
    func discarded(scope: String?) throws {
        let program = NotesProgram.things()
        let failures = Recorder<String>()
        let subscription = program.client.onFailure { error, _ in failures.append("\(error)") }
        try program.client.set(["server"], for: .notes)
        let make = MakeThing("1", scope: "s")
        program.server.fail("+1", status: 422)
        program.enqueue(make)
        let use = program.enqueue(UseThing("use", make.id, scope: scope))
        let answer = program.lab.start { try await use.value?.output() }
        program.lab.settle()
        #expect(program.notes == ["server", "use"])
        let creation = try #require(program.outbox.setAside.first?.id)
        _ = program.start { try await $0.discard(creation) }
        let error = OutboxError.noCreation(name: "UseThing")
        #expect(program.setAsideErrors == [error])
        #expect(answer.error as? OutboxError == error)
        #expect(failures.all.count == 2 && failures.all.last?.contains("its creation was discarded") == true)
        #expect(program.notes == ["server"])
        // Neither a retry nor a new change nor another process changes that.
        let id = try #require(program.outbox.setAside.first?.id)
        _ = program.start { try await $0.retry(id) }
        program.enqueue(UseThing("again", make.id))
        let second = NotesProgram.things(program.store, program.server, seed: 2)
        second.enqueue(UseThing("later", make.id))
        #expect(second.setAsideErrors.count == 3 && second.outbox.waiting.isEmpty)
        #expect(second.server.requests.map(\.change) == ["+1"])
        second.enqueue(MakeThing("2", id: make.id))
        #expect(second.setAsideErrors.count == 4)
        // A creation with an identifier of its own is made.
        let anew = MakeThing("3")
        second.enqueue(anew)
        second.enqueue(UseThing("last", anew.id))
        #expect(second.server.made == ["+3", "last of 3"])
        #expect(!second.sentMadeUp)
        subscription.cancel()
    }

    @Test("a client learns from the store that another one has discarded a creation", .rule("K7", "O7"))
    func discardedElsewhere() throws {
        let first = NotesProgram.things(isOnline: false)
        let second = NotesProgram.things(first.store, first.server, seed: 2)
        let make = MakeThing("1")
        second.server.fail("+1", status: 422)
        first.enqueue(make)
        second.lab.settle()
        second.enqueue(UseThing("use", make.id))
        first.lab.settle()
        _ = first.start { try await $0.discard(1) }
        second.lab.advance(by: .seconds(10))
        // The store has the text of the reason.
        let reason = OutboxError.noCreation(name: "UseThing").description
        #expect(second.outbox.setAside.map(\.stage) == [.setAside(reason)])
        #expect(!second.sentMadeUp)
    }

    @Test("a creation that ends without assigning its identifier leaves nothing to send with it", .rule("K7", "O2"))
    func assignsNothing() {
        let program = NotesProgram.things(isOnline: false)
        var make = MakeThing("1")
        make.assignsNothing = true
        program.enqueue(make)
        program.enqueue(UseThing("use", make.id))
        program.lab.setOnline(true)
        #expect(program.server.made == ["+1"])
        #expect(program.setAsideErrors == [.noCreation(name: "UseThing")])
    }

    @Test("a creation that a later change cancels takes with it what has its identifier", .rule("K7", "O2"))
    func cancelled() {
        let program = NotesProgram.things(isOnline: false)
        let make = MakeThing("1", scope: "s")
        program.enqueue(make)
        program.enqueue(UseThing("use", make.id))
        program.enqueue(DropThing(id: make.id, scope: "s"))
        program.lab.setOnline(true)
        #expect(program.server.requests.isEmpty)
        #expect(program.setAsideErrors == [.noCreation(name: "UseThing")])
    }

    @Test(
        "a creation that replaces another one comes before what has its identifier, also over a restart",
        .rule("K7", "O2"))
    func replaced() {
        let first = NotesProgram.things(isOnline: false)
        let make = MakeThing("1", scope: "s")
        first.enqueue(make)
        first.enqueue(UseThing("use", make.id))
        first.enqueue(MakeThing("2", id: make.id, scope: "s"))
        let second = NotesProgram.things(first.store, first.server, seed: 2)
        second.lab.settle()
        #expect(second.server.made == ["+2", "use of 2"])
    }

    @Test("an edit that takes the identifier from a creation leaves what has it without one", .rule("K7", "O2"))
    func edited() {
        let program = NotesProgram.things(isOnline: false)
        let make = MakeThing("1")
        program.enqueue(make)
        program.enqueue(UseThing("use", make.id))
        _ = program.start { try await $0.edit(1, as: MakeThing.self) { $0.id = .make() } }
        program.lab.setOnline(true)
        #expect(program.server.made == ["+1"])
        #expect(program.setAsideErrors == [.noCreation(name: "UseThing")])
    }

    @Test("a creation that cannot be read holds back what has its identifier", .rule("K7", "O1"))
    func unreadable() throws {
        let first = NotesProgram.things(isOnline: false)
        let make = MakeThing("1")
        first.enqueue(make)
        first.enqueue(UseThing("use", make.id))
        let second = NotesProgram.things(first.store, first.server, seed: 2, mutations: [UseThing.self])
        second.lab.settle()
        #expect(second.server.requests.isEmpty)
        #expect(second.outbox.waiting.map(\.stage) == [.waiting(.turn)])
        let third = NotesProgram.things(first.store, first.server, seed: 3)
        third.lab.settle()
        #expect(third.server.made == ["+1", "use of 1"])
    }

    @Test(
        "an identifier of another type than the change expects is no reason to send the made-up one", .rule("K7", "O2"))
    func otherType() {
        let program = NotesProgram(isOnline: false, mutations: [MakeThing.self, UseNamed.self])
        let (token, make) = (UUID(), MakeThing("1"))
        var made = make
        made.id = .temporary(token)
        program.enqueue(made)
        program.enqueue(UseNamed(id: .temporary(token)))
        program.lab.setOnline(true)
        #expect(program.server.made == ["+1"])
        #expect(program.outbox.setAside.map(\.name) == ["UseNamed"])
        #expect(!program.sentMadeUp)
    }

    @Test(
        "no request has a made-up identifier, and only what is set aside holds others back",
        .rule("K7", "K14", "O2", "O3"),
        arguments: 0..<4)
    func random(part: Int) { ThingsWorld.run(part: part, steps: 60) }
}

/// Has an identifier of another type than its creation assigns.
private struct UseNamed: DurableMutation {
    var id: TemporaryID<String>
    func run(_ context: MutationContext) async throws -> String {
        try await context[NotesServer.self].make("use \(id)", context)
    }
}
