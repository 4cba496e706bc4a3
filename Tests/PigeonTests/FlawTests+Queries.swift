import Foundation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("Flaws of Pigeon 0.1.17: queries, consumers, mutations")
struct QueryFlawTests {
    let lab = QueryLab()
    let server: Server<Void, [User]>

    init() {
        server = Server(lab)
    }

    @Test("the newest request wins, not the latest answer", .rule("Pigeon P12"))
    func p12() {
        let server = Server(lab, Int.self, User.self)
        let user = UserByID(key: "user", cache: InMemoryQueryCache(), client: lab.client, fetcher: server.fetch)
        user.refetch(request: 1)
        user.refetch(request: 2)
        #expect(server.cancelled == [0])
        server.succeed(with: bob, at: 1)
        server.succeed(with: ann, at: 0)
        #expect(user.state.value == bob)
    }

    @Test("a query that is let go is freed, and its polling ends", .rule("Pigeon P13"))
    func p13() {
        var users: Users? = lab.users(server, .startImmediately(()), polling: .pollEvery(1))
        weak let gone = users
        server.succeed(with: [ann])
        users = nil
        #expect(gone == nil)
        lab.advance(by: .seconds(10))
        #expect(server.callCount == 1)
    }

    @Test(
        "queries made again and again with one key refetch once, and one that goes takes no other with it",
        .rule("Pigeon P14"))
    func p14() {
        var queries = (0..<10).map { _ in lab.users(server, .startImmediately(())) }
        #expect(server.callCount == 1)
        server.succeed(with: [ann])
        QueryInvalidator(client: lab.client).invalidateQuery(for: "users", with: .lastData)
        #expect(server.callCount == 2)
        queries.removeLast(9)
        server.succeed(with: [bob])
        #expect(queries[0].state.value == [bob])
        #expect(Users.Consumer(key: "users", client: lab.client).state.value == [bob])
    }

    @Test("a consumer without its query, or of another type, does not crash", .rule("Pigeon P15"))
    func p15() {
        let early = Users.Consumer(key: "users", client: lab.client)
        let other = Query<String, Int>.Consumer(key: "users", client: lab.client)
        let users = lab.users(server, .startImmediately(()))
        server.succeed(with: [ann])
        #expect(early.state.value == [ann])
        #expect(other.state.error is QueryError)
        #expect(users.state.value == [ann])
    }

    @Test("keys of different requests have entries and invalidations of their own", .rule("Pigeon P17"))
    func p17() {
        let server = Server(lab, Int.self, User.self)
        let (one, two) = (lab.user(server), lab.user(server))
        one.refetch(request: 1)
        server.succeed(with: ann)
        two.refetch(request: 2)
        server.succeed(with: bob)
        #expect(one.state.value == ann)
        #expect(UserByID.Consumer(key: QueryKey("user", 2), client: lab.client).state.value == bob)
        QueryInvalidator(client: lab.client).invalidateQuery(for: QueryKey("user", 1), with: .lastData)
        #expect(server.requests == [1, 2, 1])
    }

    @Test("a new request of the wrong type is reported", .rule("Pigeon P19"))
    func p19() {
        let users = lab.users(server)
        Misuse.$isExpected.withValue(true) {
            QueryInvalidator(client: lab.client).invalidateQuery(for: "users", with: .newData(1))
        }
        #expect(server.callCount == 0)
        #expect(lab.log.contains { $0.contains("misuse: invalidated with a Int") })
        #expect("\(users.state)" == "idle")
    }

    @Test("a failure does not end polling, ticks never overlap, and no run loop is needed", .rule("Pigeon P20"))
    func p20() {
        let users = lab.users(server, .startImmediately(()), polling: .pollEvery(1))
        lab.advance(by: .seconds(5))
        #expect(server.callCount == 1)
        server.fail()
        lab.advance(by: .seconds(1))
        #expect(server.callCount == 2)
        server.succeed(with: [ann])
        #expect(users.state.value == [ann])
    }

    @Test("fetching again and again keeps nothing", .rule("Pigeon P21"))
    func p21() {
        let tokens = Locked<[WeakToken]>([])
        let users = Users(key: "users", cache: InMemoryQueryCache(), client: lab.client) {
            let token = Token()
            tokens.withLock { $0.append(WeakToken(token: token)) }
            return Just([ann]).setFailureType(to: (any Error).self).handleEvents(receiveOutput: { _ in
                _ = token
            }).eraseToAnyPublisher()
        }
        for _ in 0..<20 { users.refetch(request: ()) }
        lab.settle()
        #expect(tokens.withLock { $0.count } == 20)
        #expect(tokens.withLock { $0.count { $0.token != nil } } == 0)
        #expect(lab.clock.alarmCount <= 1)
    }

    @Test(
        "a mutation can be cancelled, reset, retried and undone, and tells of failure; nobody sets its state",
        .rule("Pigeon P27")
    )
    func p27() async {
        struct Raise: Mutating {
            let retry = RetryPolicy.never
            func run(_ context: MutationContext) async throws -> Int { throw Broken() }
            func optimistic(_ edits: inout OptimisticEdits) {
                edits.update(QueryDefinition<Int>.value("n")) { $0 += 1 }
            }
        }
        let mutation = Mutation<Int, Int>(client: lab.client) { _ in Raise() }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        mutation.execute(with: 1, onFailure: { _ in continuation.yield() })
        for await _ in stream { break }
        #expect(mutation.state.error is Broken)
        mutation.cancel()
        mutation.reset()
        #expect("\(mutation.state)" == "idle")
        #expect(!(\Mutation<Int, Int>.state is ReferenceWritableKeyPath<Mutation<Int, Int>, QueryState<Int>>))
    }

    @Test("the protocol has values and refetch, and an erased query can refetch", .rule("Pigeon P28"))
    func p28() {
        func ask<Q: QueryType<Void, [User]>>(_ query: Q) -> AnyPublisher<[User], Never> {
            query.refetch(request: ())
            return query.valuePublisher
        }
        let users = lab.users(server)
        var values: [[User]] = []
        let subscription = ask(users.eraseToAnyQuery()).sink { values.append($0) }
        server.succeed(with: [ann])
        #expect(values == [[ann]])
        subscription.cancel()
    }

    @Test("a renderer keeps the type of each case, and idle need not be loading", .rule("Pigeon P29"))
    func p29() {
        struct Renderer: QueryRenderer {
            var idleView: Int { 0 }
            var loadingView: String { "..." }
            func successView(for response: [User]) -> [String] { response.map(\.name) }
            func failureView(for failure: any Error) -> Bool { false }
        }
        guard case .idle(0) = Renderer().rendering(for: .idle) else { return #expect(Bool(false)) }
        guard case .loading("...") = Renderer().rendering(for: .loading) else { return #expect(Bool(false)) }
        guard case .success(["Ann"]) = Renderer().rendering(for: .succeed([ann])) else { return #expect(Bool(false)) }
        guard case .failure(false) = Renderer().rendering(for: .failed(Broken())) else { return #expect(Bool(false)) }
    }
}

private final class Token: Sendable {}

private struct WeakToken: Sendable {
    weak var token: Token?
}
