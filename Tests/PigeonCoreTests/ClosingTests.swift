import PigeonCore
import PigeonFleet
import PigeonTesting
import TestSupport
import Testing

@Suite("Closing a client")
struct ClosingTests {
    let desk = Desk()

    private func close(_ client: QueryClient? = nil, within limit: Duration = .seconds(10)) -> LabTask<ClosingReport> {
        desk.lab.start { [client = client ?? desk.client] in await client.close(within: limit) }
    }

    @Test("what runs may end, and nothing else begins", .rule("A79"))
    func drains() throws {
        let running = desk.fetch(desk.user)
        let closing = close()
        #expect(desk.client.isClosed && closing.value == nil)
        let late = desk.fetch(desk.query("late"))
        #expect(late.error as? QueryError == .closed(name: "late"))
        desk.fetcher.succeed(with: "Ann")
        #expect(running.value == "Ann")
        #expect(try #require(closing.value).isComplete)
        #expect(desk.fetcher.calls.count == 1)
        // Existing values can still be read.
        #expect(desk.fetch(desk.user.staleAfter(.never)).value == "Ann")
    }

    @Test(
        "at the limit, and when its caller is cancelled, what still runs is cancelled", .rule("A79"),
        arguments: [true, false])
    func limit(isCancelled: Bool) throws {
        let server = desk.lab.fetcher(returning: Void.self)
        let fetch = desk.fetch(desk.user)
        let mutation = desk.lab.start { [client = desk.client] in
            try await client.mutate("save") { _ in try await server.call() }
        }
        let closing = close(within: .seconds(5))
        desk.lab.advance(by: .seconds(4))
        #expect(closing.value == nil && fetch.error == nil && mutation.error == nil)
        if isCancelled { closing.cancel() } else { desk.lab.advance(by: .seconds(1)) }
        desk.lab.settle()
        let report = try #require(closing.value)
        #expect(report.cancelledFetches == 1 && report.cancelledMutations == 1)
        #expect("\(report)" == "cancelled 1 fetches and 1 mutations, 0 values were not written")
        #expect(fetch.error is CancellationError && mutation.error is CancellationError)
        #expect(desk.lab.log.contains("users/1 cancelled (client closed)"))
    }

    @Test("what waits for its next attempt, for the network or for its delay is cancelled at once", .rule("A79"))
    func waiting() {
        let retried = desk.fetch(desk.user.retry(.standard))
        desk.fetcher.fail(with: Status(503))
        let observer = desk.client.observe(desk.query("delayed").debounced(by: .seconds(5)))
        let closing = close()
        #expect(closing.value?.isComplete == true)
        #expect(retried.error is CancellationError)
        desk.lab.advance(by: .seconds(100))
        #expect(desk.fetcher.calls.count == 1)
        #expect(observer.snapshot.activity == .idle)
    }

    @Test("a mutation that has begun may end, and a later one is refused, with its edits taken back", .rule("A79"))
    func mutations() {
        let server = desk.lab.fetcher(returning: Void.self)
        desk.receive("Ann", for: desk.user)
        func rename(_ name: String) -> LabTask<Void> {
            desk.lab.start { [client = desk.client, user = desk.user] in
                try await client.mutate("rename", optimistic: { $0.update(user) { $0 = name } }) { _ in
                    try await server.call(name)
                }
            }
        }
        let first = rename("Bea")
        let closing = close()
        let second = rename("Cleo")
        #expect(second.error as? QueryError == .closed(name: "rename"))
        #expect(desk.client.value(of: desk.user) == "Bea")
        server.succeed()
        #expect(first.error == nil && closing.value?.isComplete == true)
    }

    @Test("a mutation makes no further attempt, and one that waits for its turn does not begin", .rule("A79"))
    func mutationAttempts() {
        let server = desk.lab.fetcher(returning: Void.self)
        let plan = MutationPlan<Void>(
            name: "save", scope: "s", retry: .standard, isIdempotent: true, networkMode: .online,
            run: { _ in try await server.call() }, optimistic: { _ in })
        let tasks = (0..<2).map { _ in
            desk.lab.start { [client = desk.client] in try await client.mutate(plan) { _ in } }
        }
        let closing = close()
        #expect(tasks[1].error is CancellationError)
        server.fail(with: Status(503))
        desk.lab.advance(by: .seconds(9))
        #expect(tasks[0].error != nil && closing.value != nil)
        #expect(server.calls.count == 1)
    }

    @Test("without a network, a caller of a closed client does not wait", .rule("A79"))
    func offline() {
        desk.lab.setOnline(false)
        let waiting = desk.fetch(desk.user)
        #expect(close().value?.isComplete == true)
        #expect(waiting.error is CancellationError)
        #expect(desk.fetch(desk.query("late")).error as? QueryError == .closed(name: "late"))
    }

    @Test("iterations over several queries end, too", .rule("A79"))
    func manyObservers() {
        let observer = desk.client.observe(all: [desk.user, desk.query("b")])
        let reading = desk.lab.start { for await _ in observer {} }
        #expect(reading.result == nil)
        _ = close(within: .zero)
        desk.lab.settle()
        #expect(reading.result != nil)
    }

    @Test("observers end, show what they showed last, and poll no more", .rule("A79"))
    func observers() async throws {
        let lab = desk.lab
        let observer = desk.client.observe(desk.user.poll(every: .seconds(10)))
        let seen = Recorder<String?>()
        let reading = lab.start { for await snapshot in observer { seen.append(snapshot.value) } }
        desk.fetcher.succeed(with: "Ann")
        #expect(reading.result == nil)
        let closing = close()
        lab.settle()
        #expect(closing.value != nil && reading.result != nil)
        #expect(observer.value == "Ann")
        lab.advance(by: .seconds(60))
        #expect(desk.fetcher.calls.count == 1)
    }

    @Test("values are written before it ends, and what could not be is reported", .rule("A79"))
    func writes() throws {
        let store = RecordStoreDouble()
        let lab = QueryLab(cache: store)
        let server = lab.fetcher(returning: String.self)
        let user = QueryDefinition<String>("users", 1, fetch: server.fetch).persisted()
        let fetch = lab.start { [client = lab.client] in try await client.fetch(user) }
        server.succeed(with: "Ann")
        #expect(fetch.value == "Ann" && store.keys.isEmpty)
        store.refuse(1)
        let first = lab.start { [client = lab.client] in await client.close() }
        lab.settle()
        #expect(try #require(first.value).unwritten.map(\.key) == ["users/1"])
        let second = lab.start { [client = lab.client] in await client.close() }
        lab.settle()
        #expect(try #require(second.value).isComplete)
        #expect(store.keys == ["users/1"])
    }

    @Test("the others of a fleet learn what this one has invalidated, and it leaves them", .rule("A79"))
    func fleet() {
        let store = InMemoryFleetStore(clock: desk.lab.clock)
        let members = (0..<2).map { _ in
            QueryClient(fleet: Fleet.Setup(store: store), environment: desk.lab.environment)
        }
        desk.lab.settle()
        let user = desk.user.staleAfter(.seconds(60)).shared()
        let tasks = members.map { member in desk.lab.start { try await member.fetch(user) } }
        desk.fetcher.succeed(with: "Ann")
        desk.lab.advance(by: .seconds(1))
        #expect(tasks.map(\.value) == ["Ann", "Ann"])
        members[0].invalidate(user, refetch: .none)
        let closing = close(members[0])
        desk.lab.settle()
        #expect(closing.value?.isComplete == true)
        #expect(members[0].fleet?.isConnected == false)
        #expect(members[1].snapshot(of: user).isInvalidated)
    }
}
