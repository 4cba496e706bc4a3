import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("consumers", .rule("B6"))
struct ConsumerTests {
    let lab = QueryLab()
    let server: Server<Void, [User]>

    init() {
        server = Server(lab)
    }

    private func consumer() -> Users.Consumer { Users.Consumer(key: "users", client: lab.client) }

    @Test func `a consumer shows what its query shows`() {
        let users = lab.users(server)
        let consumer = consumer()
        let log = StateLog(consumer)
        users.refetch(request: ())
        server.succeed(with: [ann])
        users.refetch(request: ())
        server.fail()
        #expect(log.states == ["idle", "loading", "succeed([Ann])", "loading", "succeed([Ann])"])
        #expect(consumer.snapshot.error is Broken)
        #expect(server.callCount == 2)
    }

    @Test func `a consumer that comes after the value has it at once`() {
        let users = lab.users(server, .startImmediately(()))
        server.succeed(with: [ann])
        let consumer = consumer()
        #expect(consumer.state.value == [ann])
        #expect(consumer.value == [ann])
        #expect(users.value == [ann])
    }

    @Test func `a consumer may come before its query`() {
        let consumer = consumer()
        #expect("\(consumer.state)" == "idle")
        let log = StateLog(consumer)
        let users = lab.users(server, .startImmediately(()))
        server.succeed(with: [ann])
        #expect(log.states == ["idle", "loading", "succeed([Ann])"])
        #expect(users.value == [ann])
    }

    @Test(.rule("U20")) func `a consumer and an invalidation name an adapted key by a literal`() {
        let server = Server(lab, Int.self, User.self)
        let user = lab.user(server)
        user.refetch(request: 42)
        let (written, listed) = (
            UserByID.Consumer(key: "user/42", client: lab.client),
            UserByID.Consumer(key: QueryKey("user", 42), client: lab.client)
        )
        server.succeed(with: ann)
        #expect(written.state.value == ann)
        #expect(listed.state.value == ann)
        QueryInvalidator(client: lab.client).invalidateQuery(for: "user/42", with: .lastData)
        #expect(server.requests == [42, 42])
        let id = 42
        QueryInvalidator(client: lab.client).invalidateQuery(for: "user/\(id)", with: .lastData)
        #expect(server.requests == [42, 42, 42])
        #expect(user.state.isLoading)
    }

    @Test func `a consumer uses its query's policy`() {
        let consumer = consumer()
        let users = lab.users(server, .startImmediately(()), config: .using(.useAndThenFetch))
        server.succeed(with: [ann])
        let log = StateLog(consumer)
        users.refetch(request: ())
        server.succeed(with: [bob])
        #expect(log.states == ["succeed([Ann])", "succeed([Bob])"])
    }

    @Test func `a consumer outlives its query, keeps the value, and can have it refetched`() {
        let consumer = consumer()
        var users: Users? = lab.users(server, .startImmediately(()))
        server.succeed(with: [ann])
        weak let gone = users
        users = nil
        #expect(gone == nil)
        lab.advance(by: .seconds(3600))
        #expect(consumer.state.value == [ann])
        consumer.refetch(for: .lastData)
        #expect(server.callCount == 2)
        server.succeed(with: [bob])
        #expect(consumer.state.value == [bob])
    }

    @Test func `consumers of one key are many`() {
        let users = lab.users(server, .startImmediately(()))
        let consumers = (0..<10).map { _ in consumer() }
        server.succeed(with: [ann])
        #expect(consumers.allSatisfy { $0.state.value == [ann] })
        #expect(server.callCount == 1)
        #expect(users.value == [ann])
    }

    @Test func `a consumer asks its query to fetch with a new request`() {
        let server = Server(lab, Int.self, User.self)
        let user = lab.user(server)
        let consumer = UserByID.Consumer(key: "user", client: lab.client)
        user.refetch(request: 1)
        consumer.refetch(request: 2)
        #expect(server.requests == [1, 2])
        #expect(user.lastRequest == 2)
        let adapted = UserByID.Consumer(key: QueryKey("user", 2), client: lab.client)
        server.succeed(with: bob)
        #expect(adapted.state.value == bob)
        adapted.refetch(request: 3)
        #expect(server.requests == [1, 2, 3])
    }

    // MARK: Types

    private let mismatch = QueryError.typeMismatch(key: "users", existing: "Array<User>", requested: "Int")

    @Test func `a consumer of another type that comes after its query is told both types`() {
        let users = lab.users(server, .startImmediately(()))
        let consumer = Query<Void, Int>.Consumer(key: "users", client: lab.client)
        #expect(consumer.state.error as? QueryError == mismatch)
        server.succeed(with: [ann])
        #expect(consumer.state.error as? QueryError == mismatch)
        #expect(users.state.value == [ann])
    }

    @Test func `a consumer of another type that comes before its query is told both types, and the query works`() {
        let consumer = Query<Void, Int>.Consumer(key: "users", client: lab.client)
        let log = StateLog(consumer)
        let good = Users.Consumer(key: "users", client: lab.client)
        #expect(consumer.state.error == nil)
        let users = lab.users(server, .startImmediately(()))
        #expect(consumer.state.error as? QueryError == mismatch)
        #expect(log.states == ["idle", "failed(QueryError)"])
        server.succeed(with: [ann])
        #expect(users.state.value == [ann])
        #expect(good.state.value == [ann])
        #expect(consumer.snapshot.error as? QueryError == mismatch)
        #expect("\(mismatch)".contains("Array<User>") && "\(mismatch)".contains("Int"))
    }
}
