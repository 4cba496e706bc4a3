import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Mutations")
struct MutationTests {
    private let lab = QueryLab()
    private var client: QueryClient { lab.client }
    private struct Refused: Error {}
    private struct Busy: TransientErrorType { var statusCode: Int? { 503 } }

    private struct RenameUser: Mutating {
        var id: Int
        func run(_ context: MutationContext) async throws -> String { "Ann" }
        func succeeded(_ output: String, _ writes: CacheWrites) {
            writes.set(output, for: .value(QueryKey("names", id)))
        }
        func invalidates(_ output: String) -> [KeyFilter] { [.key("users", id)] }
    }

    @Test("on success the answer is written, then what it makes stale is refetched, and the log says why", .rule("T90"))
    func causes() {
        let fetcher = lab.fetcher(returning: Int.self)
        let observer = client.observe(QueryDefinition("users", 42, fetch: fetcher.fetch).staleAfter(.never))
        fetcher.succeed(with: 1)
        lab.clearLog()
        let task = lab.start { [client] in try await client.mutate(RenameUser(id: 42)) }
        #expect(task.value == "Ann")
        #expect(
            lab.log == [
                "mutation RenameUser started", "names/42 written (mutation RenameUser)",
                "mutation RenameUser succeeded", "users/42 invalidated (mutation RenameUser)",
                "users/42 fetching (invalidated by mutation RenameUser)",
            ])
        #expect(observer.snapshot.cause == .invalidated(by: .mutation("RenameUser")))
        #expect(fetcher.pending.first?.cause == .invalidated(by: .mutation("RenameUser")))
    }

    @Test("a failure is thrown as it is, and nothing is written or invalidated", .rule("T91"))
    func failure() {
        let server = MutationServer(lab)
        let calls = Locked(0)
        var mutation = ScriptedMutation(server)
        mutation.writes = { _, _ in calls.withLock { $0 += 1 } }
        mutation.stale = [.all]
        let task = lab.mutate(mutation)
        server.fail(with: Refused())
        #expect(task.error is Refused)
        #expect(calls.withLock { $0 } == 0)
        #expect(lab.log == ["mutation ScriptedMutation started", "mutation ScriptedMutation failed: Refused"])
    }

    @Test("what a mutation's answer writes stays over the answer of a fetch asked before it", .rule("A21"))
    func writeOverFetch() {
        let fetcher = lab.fetcher(returning: String.self)
        let definition = QueryDefinition("name", fetch: fetcher.fetch).staleAfter(.never)
        let observer = client.observe(definition)
        fetcher.succeed(with: "old")
        _ = lab.start { try await observer.refetch() }
        let server = MutationServer(lab)
        var mutation = ScriptedMutation(server)
        mutation.writes = { output, writes in writes.set(output, for: definition) }
        _ = lab.mutate(mutation)
        server.succeed(with: "new")
        fetcher.succeed(with: "old")
        #expect(observer.value == "new")
    }

    @Test("A mutation's answer can edit all values of a type that a filter selects")
    func writesToMany() throws {
        let server = MutationServer(lab)
        let definitions = (1...2).map { QueryDefinition<[String]>.value(QueryKey("lists", $0)) }
        for definition in definitions { try client.set(["Ana"], for: definition) }
        var mutation = ScriptedMutation(server)
        mutation.writes = { output, writes in writes.update(.path("lists"), as: [String].self) { $0 = [output] } }
        let task = lab.mutate(mutation)
        server.succeed(with: "Ann")
        #expect(task.value == "Ann")
        for definition in definitions { #expect(client.value(of: definition) == ["Ann"]) }
    }

    // MARK: Retry

    @Test("a mutation is not repeated by default, nor when its server may make the change twice", .rule("T96"))
    func noRetry() {
        for isRepeatable in [false, true] {
            let server = MutationServer(lab)
            var mutation = ScriptedMutation(server)
            if isRepeatable { mutation.retry = .standard } else { mutation.isIdempotent = true }
            let task = lab.mutate(mutation)
            server.fail(with: Busy())
            #expect(task.error is Busy)
            #expect(server.attempts.count == 1)
        }
    }

    @Test("an idempotent mutation is repeated, all its attempts with one idempotency key", .rule("A8"))
    func retry() throws {
        let server = MutationServer(lab)
        var mutation = ScriptedMutation(server)
        mutation.isIdempotent = true
        mutation.retry = RetryPolicy(limit: 2, hasJitter: false)
        let task = lab.mutate(mutation)
        let other = lab.mutate(mutation)
        server.fail(with: Busy())
        lab.advance(by: .milliseconds(999))
        #expect(server.attempts.count == 2)
        lab.advance(by: .milliseconds(1))
        #expect(server.attempts.count == 3)
        server.fail(1, with: Busy())
        lab.advance(by: .seconds(2))
        #expect(server.attempts.map(\.attempt) == [1, 1, 2, 3])
        #expect(Set([0, 2, 3].map { server.attempts[$0].idempotencyKey }).count == 1)
        #expect(server.attempts[0].idempotencyKey != server.attempts[1].idempotencyKey)
        #expect(server.attempts[0].idempotencyKey.count == 32)
        #expect(lab.log.contains("mutation ScriptedMutation retrying in 1.0 s after 503"))
        server.fail(1, with: Busy())
        #expect(task.error is Busy, "the limit is reached")
        server.succeed(with: "other")
        #expect(other.value == "other")
        #expect(lab.clock.alarmCount == 0)
    }

    @Test("an error that will not pass is not repeated, and cancelling ends the wait", .rule("A9"))
    func retryEnds() {
        let server = MutationServer(lab)
        var mutation = ScriptedMutation(server)
        mutation.isIdempotent = true
        mutation.retry = .standard
        let refused = lab.mutate(mutation)
        server.fail(with: Refused())
        #expect(refused.error is Refused)
        let waiting = lab.mutate(mutation)
        server.fail(with: Busy())
        #expect(waiting.result == nil)
        waiting.cancel()
        #expect(waiting.error is CancellationError)
        #expect(lab.clock.alarmCount == 0)
        lab.advance(by: .seconds(60))
        #expect(server.attempts.count == 2)
    }

    // MARK: Cancellation

    @Test("Cancelling the caller's task cancels the mutation and takes its changes back")
    func cancel() throws {
        let server = MutationServer(lab)
        try client.set(1, for: "count")
        var mutation = ScriptedMutation(server)
        mutation.edits = { $0.update(QueryDefinition<Int>.value("count")) { $0 += 1 } }
        let task = lab.mutate(mutation)
        #expect(client.value(of: "count") == 2)
        task.cancel()
        #expect(task.error is CancellationError)
        #expect(client.value(of: "count") == 1)
        #expect(server.pendingCount == 0)
        #expect(lab.log.last == "mutation ScriptedMutation failed: cancelled")
    }

    @Test("A mutation that the server made all the same counts, though its caller was cancelled")
    func cancelTooLate() throws {
        let server = MutationServer(lab, ignoringCancellation: true)
        try client.set(1, for: "count")
        var mutation = ScriptedMutation(server)
        mutation.edits = { $0.update(QueryDefinition<Int>.value("count")) { $0 += 1 } }
        let task = lab.mutate(mutation)
        task.cancel()
        server.succeed(with: "done")
        #expect(task.value == "done")
        #expect(client.value(of: "count") == 2)
    }

    // MARK: Sign-out

    @Test("a mutation asked before a clear writes nothing after it", .rule("A31"), arguments: [true, false])
    func clear(succeeds: Bool) async throws {
        let server = MutationServer(lab, ignoringCancellation: true)
        let definition = QueryDefinition<Int>.value("count")
        try client.set(1, for: definition)
        let observer = client.observe(definition)
        var mutation = ScriptedMutation(server)
        mutation.scope = "s"
        mutation.edits = { $0.update(definition) { $0 += 1 } }
        mutation.writes = { _, writes in
            writes.set(10, for: definition)
            writes.set(10, for: .value("other"))
        }
        mutation.stale = [.all]
        let running = lab.mutate(mutation)
        let queued = lab.mutate(mutation)
        #expect(observer.value == 3)
        let clearing = lab.start { [client] in try await client.clear() }
        #expect(clearing.value != nil)
        #expect(observer.value == nil)
        #expect(queued.error is CancellationError)
        if succeeds { server.succeed() } else { server.fail(with: Refused()) }
        #expect(running.error != nil)
        #expect(observer.value == nil)
        #expect(client.count == 1)
        #expect(server.attempts.count == 1)
        #expect(client.inspect().mutationScopes == 0)
    }

    @Test("a clear while a mutation's answer is being written stops the rest of it", .rule("A31"))
    func clearWhileWriting() throws {
        let server = MutationServer(lab)
        var mutation = ScriptedMutation(server)
        mutation.writes = { [lab] _, writes in
            writes.set("before", for: .value("a"))
            _ = lab.start { [client = lab.client] in try await client.clear() }
            writes.set("after", for: .value("b"))
            writes.update(QueryDefinition<String>.value("c")) { $0 = "after" }
        }
        mutation.stale = [.all]
        let task = lab.mutate(mutation)
        server.succeed()
        #expect(task.error is CancellationError)
        #expect(client.count == 0)
    }
}
