import Pigeon
import PigeonTesting
import TestSupport
import Testing

/// A change with a type of its own.
private struct Rename: Mutating {
    let name: String
    let server: ScriptedFetcher<String>

    func run(_ context: MutationContext) async throws -> String { try await server.call(name) }
    func optimistic(_ edits: inout OptimisticEdits) { edits.set(name, for: .value("name")) }
    func invalidates(_ output: String) -> [KeyFilter] { ["name"] }
}

@MainActor
@Suite("Mutations of changes with a type")
struct TypedMutationTests {
    @Test("A change with a type is shown at once, has a state, and invalidates what it names")
    func typed() {
        let lab = QueryLab()
        let server = lab.fetcher(returning: String.self)
        let rename = Mutation(client: lab.client) { name in Rename(name: name, server: server) }
        rename.execute(with: "Bea")
        #expect(lab.client.value(of: "name") == "Bea")
        server.succeed(with: "Bea")
        #expect(rename.state.value == "Bea")
        #expect(lab.log.contains("name invalidated (mutation Rename)"))
        rename.execute(with: "Cid")
        server.fail(with: Broken())
        #expect(rename.state.error is Broken && lab.client.value(of: "name") == "Bea")
    }
}

@MainActor
@Suite("a mutation in a lab", .rule("N7"))
struct MutationLabTests {
    let lab = QueryLab()

    @Test("its state follows the answer before the call that answers returns", .rule("N7"))
    func state() {
        let server = Server(lab, Int.self, Int.self)
        let mutation = Mutation<Int, Int>(client: lab.client, fetcher: server.fetch)
        let log = StateLog(mutation.statePublisher)
        mutation.execute(with: 1)
        #expect(mutation.state.isLoading)
        server.succeed(with: 10)
        #expect(mutation.state.value == 10)
        #expect(log.states == ["idle", "loading", "succeed(10)"])
        mutation.execute(with: 2)
        #expect(mutation.state.isLoading)
        server.fail()
        #expect(mutation.state.error is Broken)
    }

    @Test("its callbacks run before the call that answers returns, once the state has changed", .rule("N7"))
    func callbacks() {
        let server = Server(lab, Int.self, Int.self)
        let mutation = Mutation<Int, Int>(client: lab.client, name: "M", fetcher: server.fetch)
        let observer = lab.client.observe(QueryDefinition("users") { _ in 1 })
        lab.settle()
        lab.clearLog()
        var calls: [String] = []
        mutation.execute(with: 1) { value, invalidate in
            calls.append("\(value), \(mutation.state)")
            invalidate("users", .lastData)
        }
        server.succeed(with: 10)
        #expect(calls == ["10, succeed(10)"])
        #expect(lab.log.contains("users fetching (invalidated by mutation M)"))
        mutation.execute(
            with: 2,
            onFailure: { error in
                calls.append(error is Broken && mutation.state.error is Broken ? "failed" : "other")
            })
        server.fail()
        #expect(calls.last == "failed")
        withExtendedLifetime(observer) {}
    }

    @Test("the network, a scope and a retry continue it before the lab's call returns", .rule("N7"))
    func waits() {
        let server = Server(lab, String.self, Int.self)
        let policy = RetryPolicy(limit: 1, delay: { _ in .seconds(1) }, hasJitter: false) { $0 is Broken }
        let one = Mutation<String, Int>(client: lab.client, retry: policy, scope: "s", fetcher: server.fetch)
        let two = Mutation<String, Int>(client: lab.client, scope: "s", fetcher: server.fetch)
        lab.setOnline(false)
        one.execute(with: "a")
        two.execute(with: "b")
        #expect(one.isPaused && two.isPaused)
        lab.setOnline(true)
        #expect(!one.isPaused && two.isPaused)
        server.fail()
        #expect(one.state.isLoading)
        lab.advance(by: .seconds(1))
        #expect(server.requests == ["a", "a"])
        server.succeed(with: 1)
        #expect(one.state.value == 1)
        #expect(server.requests == ["a", "a", "b"])
        #expect(!two.isPaused)
        server.succeed(with: 2)
        #expect(two.state.value == 2)
    }

    @Test("an optimistic change is rolled back before the call that answers returns", .rule("N7"))
    func rollBack() throws {
        let server = Server(lab, String.self, User.self)
        let users = QueryDefinition<[User]>.value("users")
        try lab.client.set([ann], for: "users")
        let mutation = Mutation(client: lab.client) { RenameFirst(name: $0, server: server) }
        mutation.execute(with: "Anna")
        #expect(lab.client.value(of: users)?.first?.name == "Anna")
        server.fail()
        #expect(lab.client.value(of: users) == [ann])
        #expect(mutation.state.error is Broken)
    }

    @Test("an awaited mutation ends when the lab runs it", .rule("N7"))
    func awaited() async throws {
        let server = lab.fetcher(returning: User.self)
        let mutation = Mutation<String, User>(client: lab.client) { name in try await server.call("rename", name) }
        let task = Task { try await mutation("Ann") }
        await lab.settled()
        #expect(mutation.state.isLoading)
        server.succeed(with: ann)
        #expect(mutation.state.value == ann)
        #expect(try await task.value == ann)
        server.succeed(with: bob)
        let user = try await lab.run { try await mutation("Bob") }
        #expect(user == bob)
        #expect(server.calls.map(\.arguments) == [["rename", "Ann"], ["rename", "Bob"]])
        server.fail(with: Broken())
        await #expect(throws: Broken.self) { try await lab.run { try await mutation("Cid") } }
    }

    @Test("steps that occur on other threads are applied in order", .rule("N7"))
    func order() async {
        let environment = QueryEnvironment()
        let client = QueryClient(environment: environment)
        for number in 0..<100 {
            environment.connectivity.set(false)
            let mutation = Mutation<Int, Int>(client: client) { $0 }
            var ends: [String] = []
            mutation.execute(with: number) { value, _ in ends.append("\(value), \(mutation.isPaused)") }
            #expect(mutation.isPaused)
            await Task.detached { environment.connectivity.set(true) }.value
            await until { !ends.isEmpty }
            #expect(ends == ["\(number), false"])
            #expect(mutation.state.value == number)
        }
    }

    @Test(
        "pages of a list are there before the call that answers returns, or when an async method has ended", .rule("N7")
    )
    func pages() async throws {
        let server = lab.fetcher(returning: [Int].self)
        let numbers = PaginatedQuery<Void, NumericPaginatedQueryKey, [Int]>(
            key: "numbers", firstPage: NumericPaginatedQueryKey(current: 1), cache: InMemoryQueryCache(),
            client: lab.client
        ) { _, page in
            try await server.call("numbers", page.current)
        }
        numbers.refetch(())
        server.succeed(with: [1, 2])
        #expect(numbers.items == [1, 2])
        numbers.fetchNextPage()
        server.succeed(with: [3])
        #expect(numbers.items == [1, 2, 3])
        server.succeed(with: [4])
        try await lab.run { try await numbers.nextPage() }
        #expect(numbers.items == [1, 2, 3, 4])
        #expect(server.calls.map(\.key) == ["numbers/1", "numbers/2", "numbers/3"])
    }
}
