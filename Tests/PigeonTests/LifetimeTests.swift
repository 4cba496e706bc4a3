import Pigeon
import PigeonTesting
import Testing

@MainActor
@Suite("Lifetimes")
struct LifetimeTests {
    let lab = QueryLab()
    let server: Server<Void, [User]>

    init() {
        server = Server(lab)
    }

    @Test func `a query is freed while idle, fetching, polling, and observed`() {
        for polling in [Users.PollingBehavior.noPolling, .pollEvery(1)] {
            var users: Users? = lab.users(server, polling: polling)
            weak let gone = users
            let log = users.map { StateLog($0) }
            users?.refetch(request: ())
            #expect(gone != nil)
            users = nil
            #expect(gone == nil)
            #expect(log?.isFinished == true)
        }
        lab.advance(by: .seconds(60))
        #expect(server.callCount == 1)
    }

    @Test func `a consumer is freed`() {
        let users = lab.users(server, .startImmediately(()))
        var consumer: Users.Consumer? = Users.Consumer(key: "users", client: lab.client)
        weak let gone = consumer
        let log = consumer.map { StateLog($0) }
        consumer = nil
        #expect(gone == nil)
        #expect(log?.isFinished == true)
        #expect(users.state.isLoading)
    }

    @Test func `a paginated query is freed while a page loads`() {
        let server = Server(lab, Int.self, [Int].self)
        var numbers: NumberList? = lab.numbers(server, .startImmediately(()))
        weak let gone = numbers
        server.succeed(with: [1])
        numbers?.fetchNextPage()
        numbers = nil
        #expect(gone == nil)
        server.succeed(with: [2])
    }

    @Test func `a mutation is freed while it runs, which goes on`() async {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        var mutation: Mutation<Int, Int>? = Mutation(client: lab.client) { number in
            for await _ in gate { break }
            return number
        }
        weak let gone = mutation
        mutation?.execute(with: 1) { _, _ in end.yield() }
        mutation = nil
        #expect(gone == nil)
        open.yield()
        lab.settle()
        for await _ in ended { break }
    }

    @Test func `an erased query keeps its query, and frees it`() {
        var users: Users? = lab.users(server)
        weak let gone = users
        var erased = users?.eraseToAnyQuery()
        weak let goneErased = erased
        users = nil
        #expect(gone != nil)
        #expect("\(erased.map { "\($0.state)" } ?? "")" == "idle")
        erased = nil
        #expect(gone == nil)
        #expect(goneErased == nil)
    }

    @Test func `what nobody uses any more is collected`() {
        var users: Users? = lab.users(server, .startImmediately(()))
        server.succeed(with: [ann])
        #expect(users?.value == [ann])
        users = nil
        lab.advance(by: .seconds(301))
        #expect(lab.client.count == 0)
        #expect(lab.clock.alarmCount == 0)
    }

    @Test func `invalidations reach no query that is gone`() {
        var users: Users? = lab.users(server, .startImmediately(()))
        server.succeed(with: [ann])
        users = nil
        QueryInvalidator(client: lab.client).invalidateQuery(for: "users", with: .newData(()))
        #expect(users == nil)
        #expect(server.callCount == 1)
    }
}
