import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("the state of a query", .rule("B2"))
struct StateTests {
    let lab = QueryLab()
    let server: Server<Void, [User]>

    init() {
        server = Server(lab)
    }

    @Test func `a query is idle until it is asked, loads, and succeeds`() {
        let users = lab.users(server)
        let log = StateLog(users)
        users.refetch(request: ())
        server.succeed(with: [ann])
        #expect(log.states == ["idle", "loading", "succeed([Ann])"])
    }

    @Test func `a query that starts immediately loads before its initialiser returns`() {
        let users = lab.users(server, .startImmediately(()))
        #expect(users.state.isLoading)
        #expect(server.callCount == 1)
    }

    @Test func `a query that fails shows the error, and can be asked again`() {
        let users = lab.users(server, .startImmediately(()))
        let log = StateLog(users)
        server.fail()
        #expect(users.state.error is Broken)
        users.refetch(request: ())
        server.succeed(with: [ann])
        #expect(log.states == ["loading", "failed(Broken)", "loading", "succeed([Ann])"])
    }

    @Test(arguments: [QueryCacheConfig.UsagePolicy.useIfFetchFails])
    func `what the user asks for shows loading`(policy: QueryCacheConfig.UsagePolicy) {
        let users = lab.users(server, .startImmediately(()), config: .using(policy))
        server.succeed(with: [ann])
        let log = StateLog(users)
        users.refetch(request: ())
        #expect(log.take() == ["succeed([Ann])", "loading"])
        server.succeed(with: [bob])
        #expect(log.take() == ["succeed([Bob])"])
    }

    @Test func `what an invalidation asks for shows loading`() {
        let users = lab.users(server, .startImmediately(()))
        server.succeed(with: [ann])
        let log = StateLog(users)
        QueryInvalidator(client: lab.client).invalidateQuery(for: "users", with: .lastData)
        #expect(log.take() == ["succeed([Ann])", "loading"])
    }

    @Test func `a poll shows no loading`() {
        let users = lab.users(server, .startImmediately(()), polling: .pollEvery(2))
        server.succeed(with: [ann])
        let log = StateLog(users)
        lab.advance(by: .seconds(2))
        #expect(server.callCount == 2)
        server.succeed(with: [bob])
        #expect(log.states == ["succeed([Ann])", "succeed([Bob])"])
    }

    @Test func `coming back to the foreground shows no loading`() {
        let users = lab.users(server, .startImmediately(()), config: .using(.useIfFetchFails, for: 1))
        server.succeed(with: [ann])
        let log = StateLog(users)
        lab.setActive(false)
        lab.advance(by: .seconds(10))
        lab.setActive(true)
        #expect(server.callCount == 2)
        server.succeed(with: [bob])
        #expect(log.states == ["succeed([Ann])", "succeed([Bob])"])
    }

    @Test func `the network's return shows no loading`() {
        let users = lab.users(server, .startImmediately(()), config: .using(.useIfFetchFails, for: 1))
        server.succeed(with: [ann])
        let log = StateLog(users)
        lab.setOnline(false)
        lab.advance(by: .seconds(10))
        lab.setOnline(true)
        #expect(server.callCount == 2)
        server.succeed(with: [bob])
        #expect(log.states == ["succeed([Ann])", "succeed([Bob])"])
    }

    @Test func `a first load without a network is loading, and goes on when the network is back`() {
        lab.setOnline(false)
        let users = lab.users(server, .startImmediately(()))
        #expect(users.state.isLoading)
        #expect(users.snapshot.isPaused)
        #expect(server.callCount == 0)
        lab.setOnline(true)
        server.succeed(with: [ann])
        #expect(users.state.value == [ann])
    }

    @Test func `a cancelled first load is idle again, and a cancelled reload shows what was there`() {
        let users = lab.users(server, .startImmediately(()))
        users.cancel()
        #expect("\(users.state)" == "idle")
        users.refetch(request: ())
        server.succeed(with: [ann])
        users.refetch(request: ())
        users.cancel()
        #expect(users.state.value == [ann])
        #expect(server.cancelled == [0, 2])
    }

    @Test func `states map their values`() {
        #expect(QueryState.succeed(2).map { $0 + 1 }.value == 3)
        #expect(QueryState<Int>.failed(Broken()).map { $0 + 1 }.error is Broken)
        #expect(QueryState<Int>.loading.map { $0 + 1 }.isLoading)
        #expect("\(QueryState<Int>.idle.map { $0 + 1 })" == "idle")
    }
}
