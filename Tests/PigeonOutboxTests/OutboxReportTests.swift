import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

/// A type with the name of another one.
private enum Album {
    struct AddNote: DurableMutation {
        var text: String
        func run(_ context: MutationContext) async throws {}
    }
}

@Suite("Reports of the outbox to the program")
struct OutboxReportTests {
    private struct Offline: TransientErrorType {
        var isTransient: Bool { true }
    }
    private struct Odd: Error {}

    private struct Judged: DurableMutation {
        var text: String
        func run(_ context: MutationContext) async throws { throw Odd() }
        func classify(_ error: any Error) -> MutationFailure { text == "refused" ? .refused : .unauthorized }
    }

    /// The failures that a client reports.
    private func failures(of client: QueryClient) -> (Recorder<String>, QuerySubscription) {
        let recorder = Recorder<String>()
        let subscription = client.onFailure { _, event in
            recorder.append(
                "\(event.key?.description ?? event.mutation ?? ""): \(event.failureReason.map { "\($0)" } ?? "")")
        }
        return (recorder, subscription)
    }

    @Test("every kind of failure is reported once, with a reason that all share", .rule("K6", "A48"))
    func everyKind() {
        let program = NotesProgram(mutations: [AddNote.self, RenameNote.self, Judged.self])
        let (reported, subscription) = failures(of: program.client)
        let client = program.client
        let errors: [any Error] =
            [401, 409, 412, 422, 503].map { NotesServer.Failure(statusCode: $0) } + [Offline(), Odd()]
        let reasons = ["unauthorized", "conflict", "conflict", "refused", "unavailable", "noConnection", "other"]
        for error in errors {
            let query = QueryDefinition<Int>("query") { _ in throw error }
            let list = QueryDefinition<Pages<[Int], Int>>.pages("list", first: 1) { page, _ in
                if page > 1 { throw error }
                return [1]
            } next: { _, page in
                page + 1
            }
            _ = program.lab.start { try await client.fetch(query) }
            _ = program.lab.start {
                _ = try await client.fetch(list)
                return try await client.fetchNextPage(of: list)
            }
            _ = program.lab.start { try await client.mutate("save") { _ in throw error } }
            program.lab.settle()
        }
        for (kind, name) in [("query", "query"), ("list", "list"), ("save", "save")] {
            #expect(reported.all.filter { $0.hasPrefix(kind) } == reasons.map { "\(name): \($0)" })
        }
        #expect(reported.all.count == 3 * reasons.count)
        subscription.cancel()
    }

    @Test("an enqueued mutation is reported when it is set aside, with the reason", .rule("K6", "A48"))
    func enqueued() {
        let program = NotesProgram(mutations: [AddNote.self, RenameNote.self, Judged.self])
        let (reported, subscription) = failures(of: program.client)
        program.server.fail("a", status: 422)
        program.enqueue(AddNote("a"))
        program.server.fail("1=a", status: 409)
        program.enqueue(RenameNote(id: 1, title: "a"))
        var last = AddNote("b", scope: "others")
        last.limit = 0
        program.server.fail("b", with: Offline())
        program.enqueue(last)
        program.enqueue(Judged(text: "refused"))
        #expect(
            reported.all == ["AddNote: refused", "RenameNote: conflict", "AddNote: noConnection", "Judged: refused"])
        program.lab.setOnline(false)
        program.enqueue(AddNote("c"))
        program.lab.advance(by: .seconds(60))
        #expect(reported.all.count == 4)
        subscription.cancel()
    }

    @Test(
        "a mutation that waits for new credentials is reported once, and not like one that waits for the network",
        .rule("K6", "A48", "O3")
    )
    func unauthorized() throws {
        let program = NotesProgram(mutations: [AddNote.self, Judged.self])
        let (reported, subscription) = failures(of: program.client)
        program.server.fail("a", status: 401)
        program.enqueue(AddNote("a"))
        program.enqueue(AddNote("b"))
        program.lab.advance(by: .seconds(600))
        #expect(reported.all == ["AddNote: unauthorized"])
        let paused = try #require(program.lab.events.last { $0.failureReason == .unauthorized })
        #expect("\(paused)" == "mutation AddNote paused until there are new credentials")
        program.client.outbox.resume()
        program.lab.settle()
        #expect(program.server.made == ["a", "b"])
        program.enqueue(Judged(text: "sign in"))
        #expect(reported.all == ["AddNote: unauthorized", "Judged: unauthorized"])
        subscription.cancel()
    }

    @Test("a change that cannot be decoded keeps its reason when it is retried", .rule("K12", "O1"))
    func undecodable() throws {
        let store = InMemoryMutationStore()
        let encoded = EncodedMutation(name: "RenameNote", version: 1, data: Data(#"{"id":1}"#.utf8), key: "k")
        let record = MutationRecord(
            scope: nil, session: nil, client: "other", enqueuedAt: Date(timeIntervalSinceReferenceDate: 0),
            mutation: encoded)
        _ = try store.apply(MutationBatch([.insert(record)], isDurable: true))
        let program = NotesProgram(store)
        let stages = program.outbox.setAside.map(\.stage)
        #expect("\(stages)".contains("title is missing"))
        for _ in 1...2 {
            #expect(program.start { try await $0.retry(1) }.error == nil)
            #expect(program.outbox.setAside.map(\.stage) == stages)
        }
        #expect(program.server.requests.isEmpty)
    }

    @Test("a change that can be decoded by then is made when it is retried", .rule("K12", "O1"))
    func decodableLater() throws {
        let isLocked = Locked(true)
        let coding = MutationCoding(seal: { $0 }) { data in
            if isLocked.withLock({ $0 }) { throw Odd() }
            return data
        }
        let first = NotesProgram(isOnline: false)
        first.enqueue(AddNote("a"))
        let program = NotesProgram(first.store, first.server, coding: coding)
        program.lab.settle()
        #expect(program.outbox.setAside.count == 1)
        isLocked.withLock { $0 = false }
        #expect(program.start { try await $0.retry(1) }.error == nil)
        #expect(program.server.made == ["a"])
        #expect(program.outbox.isEmpty)
    }

    @Test(
        "a program can show the number of changes before a sign-out, and learns how many have gone", .rule("K4", "O6"))
    func counts() throws {
        let program = NotesProgram(session: "ann")
        program.server.fail("a", status: 422)
        program.enqueue(AddNote("a"))
        program.lab.setOnline(false)
        program.enqueue(AddNote("b"))
        program.enqueue(AddNote("c"))
        #expect(program.outbox.count == 3)
        let clear = program.lab.start { [client = program.client] in try await client.clear() }
        program.lab.settle()
        #expect(clear.value?.discardedMutations == 3)
        #expect(program.outbox.count == 0)
        let again = program.lab.start { [client = program.client] in try await client.clear() }
        program.lab.settle()
        #expect(again.value?.discardedMutations == 0)
        let lab = QueryLab()
        let none = lab.start { try await lab.client.clear() }
        lab.settle()
        #expect(none.value?.discardedMutations == 0)
    }

    // MARK: The end of a process

    @Test("a closed client gives its lease back, even if an attempt ignores its cancellation", .rule("K13", "O7"))
    func closed() {
        let program = NotesProgram()
        program.server.hold()
        program.enqueue(AddNote("milk"))
        let close = program.lab.start { [client = program.client] in await client.close(within: .zero) }
        program.lab.advance(by: .seconds(2))
        #expect(close.value?.cancelledMutations == 1)
        let next = program.restarted()
        next.lab.settle()
        #expect(next.server.requests.map(\.change) == ["milk", "milk"])
        #expect(Set(next.server.requests.map(\.key)).count == 1)
        // The late answer of the first process takes nothing from the next one.
        program.server.release()
        for lab in [program.lab, next.lab, program.lab] { lab.advance(by: .seconds(6)) }
        #expect(next.server.made == ["milk"])
        #expect(next.outbox.isEmpty)
    }

    @Test("a client that is released notes what was made, and gives its lease back", .rule("K13", "O1", "O7"))
    func released() throws {
        let (store, server) = (InMemoryMutationStore(), NotesServer())
        weak var client: QueryClient?
        do {
            let program = NotesProgram(store, server)
            server.hold()
            program.enqueue(AddNote("milk"))
            server.fail("bread", status: 503)
            program.enqueue(AddNote("bread", scope: nil))
            client = program.client
            server.release()
            program.lab.settle()
        }
        #expect(client == nil)
        #expect(try store.changes(after: -1, in: nil)?.records.count == 1)
        let next = NotesProgram(store, server, seed: 2)
        next.lab.advance(by: .seconds(2))
        #expect(next.server.made == ["milk", "bread"])
    }

    #if os(Linux)
        @Test("two types of one name are refused when the client is made, by a text with both", .rule("K9", "O1"))
        func names() async throws {
            let result = try #require(
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let types: [any DurableMutation.Type] = [AddNote.self, Album.AddNote.self]
                    _ = QueryClient(outbox: Outbox.Setup(store: InMemoryMutationStore(), mutations: types))
                })
            let text = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(text.contains("PigeonOutboxTests.AddNote and ") && text.contains("Album.AddNote"))
            #expect(text.contains("DurableMutation.name"))
        }
    #endif

    @Test("one type that is named twice is fine", .rule("K9", "O1"))
    func sameType() {
        let program = NotesProgram(mutations: [AddNote.self, AddNote.self])
        program.enqueue(AddNote("milk"))
        #expect(program.server.made == ["milk"])
    }
}
