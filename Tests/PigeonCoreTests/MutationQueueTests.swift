import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Mutations that wait")
struct MutationQueueTests {
    private let lab = QueryLab()
    private var client: QueryClient { lab.client }
    private struct Refused: Error {}

    private func scoped(_ scope: String?, _ server: MutationServer) -> ScriptedMutation {
        var mutation = ScriptedMutation(server)
        mutation.scope = scope
        return mutation
    }

    @Test("mutations of one scope run one after the other, in order, whether they succeed or fail", .rule("T97"))
    func serial() {
        let server = MutationServer(lab)
        let tasks = (0..<3).map { _ in lab.mutate(scoped("cart", server)) }
        #expect(server.attempts.count == 1)
        server.fail(with: Refused())
        #expect(tasks[0].error is Refused)
        #expect(server.attempts.count == 2)
        #expect(tasks[2].result == nil)
        server.succeed(with: "second")
        server.succeed(with: "third")
        #expect(tasks[1].value == "second")
        #expect(tasks[2].value == "third")
        #expect(server.attempts.map(\.id) == server.attempts.map(\.id).sorted())
        #expect(client.inspect().mutationScopes == 0)
        #expect(lab.log.filter { $0.hasSuffix("paused") }.count == 2)
    }

    @Test("other scopes, and mutations without one, run at once", .rule("T97"))
    func parallel() {
        let server = MutationServer(lab)
        let tasks = ["a", "b", nil, nil].map { lab.mutate(scoped($0, server)) }
        #expect(server.pendingCount == 4)
        for _ in tasks { server.succeed(with: "x") }
        #expect(tasks.allSatisfy { $0.value == "x" })
    }

    @Test("one that is cancelled while it waits for its turn leaves the others in order", .rule("T97"))
    func cancelWaiting() {
        let server = MutationServer(lab)
        let tasks = (0..<3).map { _ in lab.mutate(scoped("cart", server)) }
        tasks[1].cancel()
        #expect(tasks[1].error is CancellationError)
        #expect(server.attempts.count == 1)
        server.succeed(with: "first")
        #expect(server.attempts.count == 2)
        server.succeed(with: "third")
        #expect(tasks[2].value == "third")
    }

    @Test("cancelling the one that runs gives the next its turn", .rule("T97"))
    func cancelRunning() {
        let server = MutationServer(lab)
        let tasks = (0..<2).map { _ in lab.mutate(scoped("cart", server)) }
        tasks[0].cancel()
        #expect(tasks[0].error is CancellationError)
        server.succeed(with: "second")
        #expect(tasks[1].value == "second")
    }

    @Test("optimistic changes show at once, also of what waits for its turn or the network", .rule("T94"))
    func optimisticWhileWaiting() throws {
        let server = MutationServer(lab)
        try client.set([0], for: "list")
        lab.setOnline(false)
        let tasks = [1, 2].map { item in
            var mutation = scoped("cart", server)
            mutation.edits = { $0.update(QueryDefinition<[Int]>.value("list")) { $0.append(item) } }
            return lab.mutate(mutation)
        }
        #expect(client.value(of: "list") == [0, 1, 2])
        #expect(server.attempts.isEmpty)
        tasks[0].cancel()
        #expect(client.value(of: "list") == [0, 2])
    }

    @Test("without a network a mutation waits, and is not repeated in the meantime", .rule("T96"))
    func offline() {
        let server = MutationServer(lab)
        lab.setOnline(false)
        let task = lab.mutate(ScriptedMutation(server))
        #expect(server.attempts.isEmpty)
        #expect(lab.log.last == "mutation ScriptedMutation paused")
        #expect(client.inspect().pausedMutations == 1)
        lab.setOnline(true)
        #expect(server.attempts.count == 1)
        server.succeed(with: "sent")
        #expect(task.value == "sent")
        #expect(client.inspect().pausedMutations == 0)
    }

    @Test("A mutation that may run offline does; its retry waits for the network")
    func offlineFirst() {
        struct Busy: TransientErrorType { var statusCode: Int? { 503 } }
        let server = MutationServer(lab)
        lab.setOnline(false)
        for mode in [NetworkMode.always, .offlineFirst] {
            var mutation = ScriptedMutation(server)
            mutation.networkMode = mode
            mutation.isIdempotent = true
            mutation.retry = RetryPolicy(limit: 1, hasJitter: false)
            let task = lab.mutate(mutation)
            server.fail(with: Busy())
            lab.advance(by: .seconds(1))
            #expect(server.pendingCount == (mode == .always ? 1 : 0))
            lab.setOnline(true)
            server.succeed(with: "sent")
            #expect(task.value == "sent")
            lab.setOnline(false)
        }
    }

    @Test("with the network back, mutations go first and entries refetch when all have ended", .rule("T73"))
    func refetchAfterMutations() {
        let server = MutationServer(lab)
        let fetcher = lab.fetcher(returning: Int.self)
        let observer = client.observe(QueryDefinition("users", fetch: fetcher.fetch))
        fetcher.succeed(with: 1)
        lab.setOnline(false)
        let tasks = (0..<2).map { _ in lab.mutate(ScriptedMutation(server)) }
        lab.setOnline(true)
        #expect(server.pendingCount == 2)
        #expect(fetcher.pendingCount == 0)
        server.succeed(with: "a")
        #expect(fetcher.pendingCount == 0)
        server.fail(with: Refused())
        #expect(tasks.allSatisfy { $0.result != nil })
        #expect(fetcher.pending.map(\.cause) == [.reconnect])
        fetcher.succeed(with: 2)
        #expect(observer.value == 2)
    }

    @Test("a resumed mutation that hangs holds up the refetches after a reconnect for a bounded time", .rule("E15"))
    func hangs() {
        let server = MutationServer(lab)
        let fetcher = lab.fetcher(returning: Int.self)
        let observer = client.observe(QueryDefinition("users", fetch: fetcher.fetch))
        fetcher.succeed(with: 1)
        lab.setOnline(false)
        let task = lab.mutate(ScriptedMutation(server))
        lab.setOnline(true)
        lab.advance(by: QueryClient.resumedMutationTimeout - .milliseconds(1))
        #expect(fetcher.pendingCount == 0)
        lab.advance(by: .milliseconds(1))
        #expect(fetcher.pending.map(\.cause) == [.reconnect])
        fetcher.succeed(with: 2)
        server.succeed(with: "at last")
        #expect(task.value == "at last")
        #expect(fetcher.calls.count == 2, "its end refetches nothing again")
        withExtendedLifetime(observer) {}
    }

    @Test("the network that goes and comes back gives a mutation its time anew", .rule("E15"))
    func hangsAgain() {
        let server = MutationServer(lab)
        let fetcher = lab.fetcher(returning: Int.self)
        let observer = client.observe(QueryDefinition("users", fetch: fetcher.fetch))
        fetcher.succeed(with: 1)
        lab.setOnline(false)
        let task = lab.mutate(ScriptedMutation(server))
        lab.setOnline(true)
        lab.advance(by: .seconds(6))
        lab.setOnline(false)
        lab.advance(by: .seconds(6))
        #expect(fetcher.calls.count == 1)
        lab.setOnline(true)
        lab.advance(by: .seconds(6))
        #expect(fetcher.calls.count == 1)
        lab.advance(by: .seconds(4))
        #expect(fetcher.pending.map(\.cause) == [.reconnect])
        task.cancel()
        withExtendedLifetime(observer) {}
    }

    @Test("a return to the foreground refetches when the resumed mutations have ended", .rule("E13"))
    func foreground() {
        let server = MutationServer(lab)
        let fetcher = lab.fetcher(returning: Int.self)
        let definition = QueryDefinition("users", fetch: fetcher.fetch).refetchOnReconnect(.never)
        let observer = client.observe(definition)
        fetcher.succeed(with: 1)
        lab.setOnline(false)
        let task = lab.mutate(ScriptedMutation(server))
        lab.setActive(false)
        lab.setOnline(true)
        lab.advance(by: .seconds(6))
        lab.setActive(true)
        #expect(server.pendingCount == 1)
        #expect(fetcher.pendingCount == 0)
        server.succeed(with: "sent")
        #expect(task.value == "sent")
        #expect(fetcher.pending.map(\.cause) == [.foreground])
        withExtendedLifetime(observer) {}
    }

    @Test("a reconnect refetches when all resumed mutations of a scope have ended", .rule("E13"))
    func scopeAfterReconnect() {
        let server = MutationServer(lab)
        let fetcher = lab.fetcher(returning: Int.self)
        let observer = client.observe(QueryDefinition("users", fetch: fetcher.fetch))
        fetcher.succeed(with: 1)
        lab.setOnline(false)
        let tasks = (0..<2).map { _ in lab.mutate(scoped("cart", server)) }
        lab.setOnline(true)
        server.succeed(with: "first")
        #expect(tasks[0].value == "first")
        #expect(server.pendingCount == 1)
        #expect(fetcher.pendingCount == 0)
        server.succeed(with: "second")
        #expect(fetcher.pending.map(\.cause) == [.reconnect])
        withExtendedLifetime(observer) {}
    }

    @Test("what waited resumes together, a scope still in order, and a first load goes on at once", .rule("T98"))
    func resumeTogether() {
        let server = MutationServer(lab)
        let fetcher = lab.fetcher(returning: Int.self)
        lab.setOnline(false)
        let observer = client.observe(QueryDefinition("users", fetch: fetcher.fetch))
        defer { observer.cancel() }
        let tasks = ["a", "a", nil].map { lab.mutate(scoped($0, server)) }
        lab.setOnline(true)
        #expect(server.pendingCount == 2)
        #expect(fetcher.pendingCount == 1)
        for _ in tasks { server.succeed(with: "x") }
        #expect(tasks.allSatisfy { $0.value == "x" })
    }

    @Test("A mutation cancelled while it waits for the network is never sent")
    func cancelOffline() {
        let server = MutationServer(lab)
        lab.setOnline(false)
        let task = lab.mutate(ScriptedMutation(server))
        task.cancel()
        #expect(task.error is CancellationError)
        lab.setOnline(true)
        #expect(server.attempts.isEmpty)
        #expect(client.inspect().pausedMutations == 0)
    }

    @Test("a clear lets go of what waits for the network, and it is never sent", .rule("A31"))
    func clearOffline() {
        let server = MutationServer(lab)
        lab.setOnline(false)
        let tasks = ["a", "a", nil].map { lab.mutate(scoped($0, server)) }
        let clearing = lab.start { [client] in try await client.clear() }
        #expect(clearing.value != nil)
        #expect(tasks.allSatisfy { $0.error is CancellationError })
        lab.setOnline(true)
        #expect(server.attempts.isEmpty)
        let later = lab.mutate(scoped("a", server))
        server.succeed(with: "later")
        #expect(later.value == "later")
    }
}
