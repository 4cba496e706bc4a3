import PigeonCore
import PigeonFleet
import PigeonTesting
import TestSupport
import Testing

@Suite("Upstreams")
struct UpstreamTests {
    let desk = Desk()

    private func products(_ upstream: Upstream, _ count: Int) -> [LabTask<String>] {
        (0..<count).map { desk.fetch(desk.query("products/\($0)").upstream(upstream)) }
    }

    @Test("no more fetches ask than the limit says, and the others follow in their order", .rule("A78"))
    func limit() {
        let upstream = Upstream("catalog", limit: 2)
        let tasks = products(upstream, 5)
        #expect(desk.fetcher.pending.map(\.key) == ["products/0", "products/1"])
        #expect(upstream.counts == [2, 3, 0])
        desk.fetcher.succeed(with: "a")
        #expect(desk.fetcher.pending.map(\.key) == ["products/1", "products/2"])
        for _ in 1..<5 { desk.fetcher.succeed(with: "b") }
        #expect(tasks.map(\.value) == ["a", "b", "b", "b", "b"])
        #expect(upstream.counts == [0, 0, 0])
    }

    @Test("what is invalidated while a fetch waits for a place is not fetched twice", .rule("A78"))
    func invalidatedInTheQueue() {
        let upstream = Upstream("catalog", limit: 1)
        let tasks = products(upstream, 2)
        desk.client.invalidateWithoutWaiting(.key("products/1"))
        let later = desk.fetch(desk.query("products/1").upstream(upstream))
        desk.fetcher.succeed(with: "a")
        desk.fetcher.succeed(with: "b")
        #expect(tasks.map(\.value) == ["a", "b"] && later.value == "b")
        #expect(desk.fetcher.calls.count == 2 && upstream.counts == [0, 0, 0])
    }

    @Test("a failed attempt leaves its place, and the next attempt takes another one", .rule("A78"))
    func retries() {
        let upstream = Upstream("catalog", limit: 1)
        let retried = desk.query("products/0").upstream(upstream).retry(RetryPolicy(limit: 1, hasJitter: false))
        let first = desk.fetch(retried)
        let second = desk.fetch(desk.query("products/1").upstream(upstream))
        desk.fetcher.fail(with: Status(503))
        #expect(desk.fetcher.pending.map(\.key) == ["products/1"])
        desk.lab.advance(by: .seconds(1))
        #expect(upstream.counts == [1, 1, 0])
        desk.fetcher.succeed(with: "b")
        desk.fetcher.succeed(with: "a")
        #expect(first.value == "a" && second.value == "b")
    }

    @Test("a fetch that finds the queue full is refused, and is not retried", .rule("A78"))
    func refusal() {
        let upstream = Upstream("catalog", limit: 1, queue: 1)
        let query = desk.query("products/9").upstream(upstream).retry(.standard)
        let tasks = products(upstream, 2)
        let refused = desk.fetch(query)
        #expect(refused.error as? QueryError == .overloaded(key: "products/9", upstream: "catalog"))
        #expect("\(QueryError.overloaded(key: "products/9", upstream: "catalog"))".contains("catalog"))
        #expect(upstream.counts == [1, 1, 1])
        desk.fetcher.succeed(with: "a")
        desk.fetcher.succeed(with: "b")
        #expect(tasks.map(\.value) == ["a", "b"])
        let again = desk.fetch(query)
        desk.fetcher.succeed(with: "c")
        #expect(again.value == "c")
    }

    @Test("a caller who accepts a stale value receives it instead of a refusal", .rule("A78"))
    func staleInstead() {
        let upstream = Upstream("catalog", limit: 1, queue: 0)
        let user = desk.user.upstream(upstream).staleAfter(.seconds(1))
        desk.receive("Ann", for: user)
        desk.lab.advance(by: .seconds(2))
        _ = products(upstream, 1)
        let task = desk.lab.start { [client = desk.client] in try await client.fetch(user, .staleIfError()) }
        #expect(task.value == "Ann")
        #expect(upstream.load.refused == 1)
    }

    @Test("a fetch that is cancelled or exceeds its time limit leaves the queue, and makes room in it", .rule("A78"))
    func leaving() {
        let upstream = Upstream("catalog", limit: 1, queue: 2)
        _ = products(upstream, 2)
        let limited = desk.fetch(desk.query("products/2").upstream(upstream).timeLimit(.seconds(3)))
        desk.client.cancel(.path("products/1"))
        desk.lab.settle()
        #expect(upstream.counts == [1, 1, 0])
        desk.lab.advance(by: .seconds(3))
        #expect(limited.error as? QueryError == .timedOut(key: "products/2", limit: .seconds(3)))
        #expect(upstream.counts == [1, 0, 0])
        let last = desk.fetch(desk.query("products/3").upstream(upstream))
        desk.fetcher.succeed(with: "a")
        desk.fetcher.succeed(with: "d")
        #expect(last.value == "d")
        #expect(desk.fetcher.calls.map(\.key) == ["products/0", "products/3"])
    }

    @Test(
        "a fetch that waits for other queries of the upstream has no place, and returns to one before newcomers",
        .rule("A78"))
    func dependence() {
        let upstream = Upstream("catalog", limit: 1, queue: 2)
        let server = desk.fetcher
        func part(_ name: QueryKey) -> QueryDefinition<String> { desk.query(name).upstream(upstream) }
        let whole = QueryDefinition<String>("whole") { [parts = [part("parts/1"), part("parts/2")]] context in
            let parts = try await context.fetch(all: parts)
            return try await server.fetch(context) + parts.joined()
        }.upstream(upstream)
        let task = desk.fetch(whole)
        #expect(server.pending.map(\.key) == ["parts/1"])
        let newcomer = desk.fetch(part("other"))
        #expect(upstream.counts == [1, 2, 0])
        server.succeed(with: "a")
        #expect(server.pending.map(\.key) == ["parts/2"])
        server.succeed(with: "b")
        server.succeed(with: "c")
        server.succeed(with: "d")
        #expect(server.calls.map(\.key) == ["parts/1", "parts/2", "other", "whole"])
        #expect(task.value == "dab" && newcomer.value == "c")
        #expect(upstream.counts == [0, 0, 0])
    }

    @Test("a fetch that waits for others needs no room for them, even if nothing may wait", .rule("A78"))
    func dependenceWithoutQueue() {
        let upstream = Upstream("catalog", limit: 1, queue: 0)
        let part = desk.query("part").upstream(upstream)
        let task = desk.fetch(QueryDefinition("whole") { try await $0.fetch(part) }.upstream(upstream))
        desk.fetcher.succeed(with: "a")
        #expect(task.value == "a")
        #expect(upstream.counts == [0, 0, 0])
    }

    @Test("a query that a fetch asks for, and whose end it does not await, takes no place with it", .rule("A78"))
    func unawaited() {
        let upstream = Upstream("catalog", limit: 1)
        let part = desk.query("part").upstream(upstream)
        let lab = desk.lab
        let whole = QueryDefinition<String>("whole") { context in
            _ = lab.start { try await context.fetch(part) }
            return "done"
        }.upstream(upstream)
        #expect(desk.fetch(whole).value == "done")
        desk.fetcher.succeed(with: "a")
        lab.settle()
        #expect(upstream.counts == [0, 0, 0])
    }

    @Test("page loads have places, too", .rule("A78"))
    func pages() {
        let upstream = Upstream("catalog", limit: 1)
        let server = desk.lab.fetcher(returning: [Int].self)
        let list = QueryDefinition<Pages<[Int], Int>>.pages("list", first: 1) { page, _ in
            try await server.call(page)
        } next: { _, page in
            page + 1
        }.upstream(upstream)
        let observer = desk.client.observe(list)
        desk.lab.settle()
        server.succeed(with: [1])
        _ = products(upstream, 1)
        let more = desk.lab.start { [client = desk.client] in try await client.fetchNextPage(of: list) }
        #expect(server.pendingCount == 0 && upstream.counts == [1, 1, 0])
        desk.fetcher.succeed(with: "a")
        server.succeed(with: [2])
        desk.lab.settle()
        #expect(more.error == nil && observer.value?.count == 2)
        #expect(upstream.counts == [0, 0, 0])
    }

    @Test("what waits for another process has no place", .rule("A78"))
    func fleet() {
        let upstream = Upstream("catalog", limit: 1)
        let store = InMemoryFleetStore(clock: desk.lab.clock)
        let members = (0..<2).map { _ in
            QueryClient(fleet: Fleet.Setup(store: store), environment: desk.lab.environment)
        }
        desk.lab.settle()
        let shared = desk.query("shared").upstream(upstream).staleAfter(.seconds(60)).shared()
        let tasks = members.map { member in desk.lab.start { try await member.fetch(shared) } }
        #expect(upstream.counts == [1, 0, 0])
        desk.fetcher.succeed(with: "a")
        desk.lab.advance(by: .seconds(1))
        #expect(tasks.map(\.value) == ["a", "a"])
        #expect(desk.fetcher.calls.count == 1)
    }

    @Test("that one process has no place says nothing to the others of its fleet", .rule("A78"))
    func fleetRefusal() {
        let upstream = Upstream("catalog", limit: 1, queue: 0)
        let store = InMemoryFleetStore(clock: desk.lab.clock)
        let members = (0..<2).map { _ in
            QueryClient(fleet: Fleet.Setup(store: store), environment: desk.lab.environment)
        }
        desk.lab.settle()
        _ = products(upstream, 1)
        let shared = desk.query("shared").staleAfter(.seconds(60)).shared()
        let refused = desk.lab.start { try await members[0].fetch(shared.upstream(upstream)) }
        let other = desk.lab.start { try await members[1].fetch(shared) }
        desk.lab.advance(by: .milliseconds(500))
        #expect(refused.error as? QueryError == .overloaded(key: "shared", upstream: "catalog"))
        #expect(desk.fetcher.pending.map(\.key) == ["products/0", "shared"])
        desk.fetcher.succeed(1, with: "b")
        desk.lab.advance(by: .milliseconds(500))
        #expect(other.value == "b")
    }

    @Test(
        "defaults of a path and a definition name the upstream, and equal options are those of one object", .rule("A78")
    )
    func options() {
        let (one, other) = (Upstream("a", limit: 1), Upstream("a", limit: 1))
        desk.client.setDefaults(for: "products") { $0.upstream = one }
        _ = desk.fetch(desk.query("products/1"))
        #expect(one.load.running == 1)
        #expect(one == one && one != other)
        #expect(Upstream("b", limit: 0, queue: -1).limit == 1)
        #expect(Upstream("b", limit: 0, queue: -1).queue == 0)
    }

    /// Fetches whose tasks have priorities, in the order in which they came, and the order in which they asked.
    private func order(queue: Int = 100, _ priorities: [TaskPriority]) async -> (asked: [Int], refused: Int) {
        let upstream = Upstream("catalog", limit: 1, queue: queue)
        let client = QueryClient()
        let gate = Gate()
        let asked = Recorder<Int>()
        let first = Task {
            try await client.fetch(
                QueryDefinition<Int>("gate") { _ in
                    await gate.wait()
                    return 0
                }.upstream(upstream))
        }
        await until { upstream.load.running == 1 }
        var tasks: [Task<Int, any Error>] = []
        for (number, priority) in priorities.enumerated() {
            let before = upstream.load
            tasks.append(
                Task(priority: priority) {
                    try await client.fetch(
                        QueryDefinition<Int>("products", number) { _ in
                            asked.append(number)
                            return number
                        }.upstream(upstream))
                })
            await until { upstream.load != before || upstream.load.refused > 0 }
        }
        let refused = upstream.load.refused
        gate.open()
        _ = try? await first.value
        for task in tasks { _ = try? await task.value }
        #expect(upstream.load.running == 0 && upstream.load.waiting == 0)
        return (asked.all, refused)
    }

    @Test(
        "a task of a higher priority asks first, and every eighth turn is of the one that has waited longest",
        .rule("A78"))
    func priorities() async {
        let (asked, _) = await order([.background] + Array(repeating: .high, count: 10))
        #expect(asked == [1, 2, 3, 4, 5, 6, 7, 0, 8, 9, 10])
    }

    @Test("if the queue is full, the one of the lowest priority that came last is refused", .rule("A78"))
    func refusesLowest() async {
        let (asked, refused) = await order(queue: 2, [.background, .background, .high])
        #expect(asked == [2, 0])
        #expect(refused == 1)
    }
}

extension Upstream {
    /// The numbers of fetches that run, wait and were refused.
    fileprivate var counts: [Int] { [load.running, load.waiting, load.refused] }
}
