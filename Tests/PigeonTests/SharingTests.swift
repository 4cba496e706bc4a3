import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("queries with one key", .rule("B5"))
struct SharingTests {
    let lab = QueryLab()

    @Test func `queries with one key share one fetch and one state`() {
        let (one, other) = (Server(lab, Void.self, [User].self), Server(lab, Void.self, [User].self))
        let first = lab.users(one, .startImmediately(()))
        let second = lab.users(other, .startImmediately(()))
        #expect(one.callCount == 1)
        #expect(other.callCount == 0)
        #expect(one.cancelled.isEmpty)
        #expect(second.state.isLoading)
        one.succeed(with: [ann])
        #expect(first.state.value == [ann])
        #expect(second.state.value == [ann])
    }

    @Test func `a query made after the value is there shows it`() {
        let server = Server(lab, Void.self, [User].self)
        let first = lab.users(server, .startImmediately(()))
        server.succeed(with: [ann])
        let second = lab.users(server)
        #expect(second.state.value == [ann])
        #expect(server.callCount == 1)
        #expect(first.state.value == [ann])
    }

    /// Two queries of one key.
    private func pair(_ server: Server<Int, User>) -> (UserByID, UserByID) {
        func query() -> UserByID {
            UserByID(key: "user", cache: InMemoryQueryCache(), client: lab.client, fetcher: server.fetch)
        }
        return (query(), query())
    }

    @Test func `each query has its own last request`() {
        let server = Server(lab, Int.self, User.self)
        let (one, two) = pair(server)
        one.refetch(request: 1)
        server.succeed(with: ann)
        two.refetch(request: 2)
        server.succeed(with: bob)
        #expect(one.lastRequest == 1)
        #expect(two.lastRequest == 2)
        #expect(one.state.value == bob)
    }

    /// Refreshes a query, and returns once its fetch has been asked for, with the task that waits for its end.
    private func beginRefresh<Request: Sendable>(
        of server: Server<Request, some Sendable>, _ refresh: @escaping @MainActor () async -> Void
    ) async -> Task<Void, Never> {
        let count = server.callCount
        let task = Task { await refresh() }
        await until {
            lab.settle()
            return server.callCount > count
        }
        return task
    }

    @Test(.rule("B5")) func `a refresh is with the query's own last request, whatever another query has asked for`()
        async
    {
        let server = Server(lab, Int.self, User.self)
        let (one, two) = pair(server)
        one.refetch(request: 1)
        server.succeed(with: ann)
        two.refetch(request: 2)
        server.succeed(with: bob)
        let refresh = await beginRefresh(of: server) { await one.refresh() }
        #expect(server.requests == [1, 2, 1])
        server.succeed(with: cid)
        await refresh.value
        #expect(one.state.value == cid && two.state.value == cid)
        QueryInvalidator(client: lab.client).invalidateQuery(for: "user", with: .lastData)
        #expect(server.requests == [1, 2, 1, 1], "it is the newest request of the key")
        #expect(two.lastRequest == 2)
    }

    @Test(.rule("B5"))
    func `a refresh joins a first load with the same request, and replaces one with another request`() async {
        let server = Server(lab, Int.self, User.self)
        let (one, two) = pair(server)
        one.refetch(request: 1)
        two.refetch(request: 2)
        let refresh = await beginRefresh(of: server) { await one.refresh() }
        #expect(server.requests == [1, 2, 1] && server.cancelled == [0, 1])
        let joining = Task { await one.refresh() }
        await until { lab.log.last == "user joined (requested)" }
        server.succeed(with: ann)
        await refresh.value
        await joining.value
        #expect(server.requests == [1, 2, 1] && two.state.value == ann)
    }

    @Test(.rule("B5")) func `a list refreshes its pages with its own last request`() async {
        let server = Server(lab, String.self, [Int].self)
        let (one, two) = (list(server), list(server))
        one.refetch(request: 1)
        server.succeed(with: [10])
        two.refetch(request: 2)
        server.succeed(with: [20])
        let refresh = await beginRefresh(of: server) { await one.refresh() }
        server.succeed(with: [11])
        await refresh.value
        #expect(server.requests == ["1-1", "2-1", "1-1"])
        #expect(one.items == [11] && two.items == [11])
    }

    private func list(_ server: Server<String, [Int]>) -> PaginatedQuery<Int, NumericPaginatedQueryKey, [Int]> {
        PaginatedQuery<Int, NumericPaginatedQueryKey, [Int]>(
            key: "numbers", firstPage: NumericPaginatedQueryKey(current: 1), cache: InMemoryQueryCache(),
            client: lab.client
        ) { request, page in server.fetch("\(request)-\(page.current)") }
    }

    @Test func `a first load with another request is replaced, with the same one joined`() {
        let server = Server(lab, Int.self, User.self)
        let (one, two) = pair(server)
        one.refetch(request: 1)
        two.refetch(request: 1)
        #expect(server.requests == [1])
        two.refetch(request: 2)
        #expect(server.requests == [1, 2])
        #expect(server.cancelled == [0])
        server.succeed(with: ann, at: 0)
        #expect(one.state.isLoading)
        server.succeed(with: bob, at: 1)
        #expect(one.state.value == bob)
    }

    @Test func `queries whose adapters make one key are one entry, others are not`() {
        let server = Server(lab, Int.self, User.self)
        let (one, two) = (lab.user(server), lab.user(server))
        one.refetch(request: 1)
        two.refetch(request: 1)
        #expect(server.requests == [1])
        two.refetch(request: 2)
        #expect(server.requests == [1, 2])
        server.succeed(with: ann, at: 0)
        server.succeed(with: bob, at: 1)
        #expect(one.state.value == ann)
        #expect(two.state.value == bob)
    }

    @Test func `a query that goes leaves the other one loading`() {
        let server = Server(lab, Void.self, [User].self)
        var first: Users? = lab.users(server, .startImmediately(()))
        let second = lab.users(server, .startImmediately(()))
        _ = first
        first = nil
        server.succeed(with: [ann])
        #expect(second.state.value == [ann])
        #expect(server.callCount == 1)
    }

    @Test func `two paginated queries with one key share one load`() {
        let server = Server(lab, Int.self, [Int].self)
        let one = lab.numbers(server, .startImmediately(()))
        let two = lab.numbers(server, .startImmediately(()))
        #expect(server.requests == [1])
        server.succeed(with: [1])
        two.fetchNextPage()
        server.succeed(with: [2])
        #expect(one.items == [1, 2])
        #expect(server.requests == [1, 2])
    }

    @Test func `a key used with two types gives the later one an error that names both`() {
        let server = Server(lab, Void.self, [User].self)
        let users = lab.users(server, .startImmediately(()))
        server.succeed(with: [ann])
        let numbers = Query<Void, Int>(
            key: "users", behavior: .startImmediately(()), cache: InMemoryQueryCache(), client: lab.client
        ) { 1 }
        let expected = QueryError.typeMismatch(key: "users", existing: "Array<User>", requested: "Int")
        #expect(numbers.state.error as? QueryError == expected)
        #expect(users.state.value == [ann])
        #expect(lab.log.contains { $0.hasPrefix("users misuse: users holds Array<User> and cannot be used as Int") })
    }
}
