import Dispatch
import Foundation
import Observation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

private struct Refused: Error {}

@MainActor
@Suite("Ways to observe a query")
struct ObservingTests {
    let lab = QueryLab()
    let server: Server<Void, [User]>

    init() {
        server = Server(lab)
    }

    @Test func `statePublisher sends the present state first, then each change once`() {
        let users = lab.users(server, .startImmediately(()), config: .using(.useAndThenFetch))
        let log = StateLog(users)
        #expect(log.take() == ["loading"])
        server.succeed(with: [ann])
        users.refetch(request: ())
        server.succeed(with: [ann])
        #expect(log.take() == ["succeed([Ann])"])
        #expect(StateLog(users).states == ["succeed([Ann])"])
    }

    @Test func `valuePublisher sends values only, and an equal one that comes again is not new`() {
        let users = lab.users(server)
        var values: [[User]] = []
        let subscription = users.valuePublisher.sink { values.append($0) }
        users.refetch(request: ())
        server.succeed(with: [ann])
        users.refetch(request: ())
        server.succeed(with: [ann])
        users.refetch(request: ())
        server.succeed(with: [bob])
        #expect(values == [[ann], [bob]])
        subscription.cancel()
    }

    @Test func `a subscriber without demand gets the newest state when it asks`() {
        let users = lab.users(server)
        let reader = SlowReader<QueryState<[User]>>()
        users.statePublisher.subscribe(reader)
        users.refetch(request: ())
        server.succeed(with: [ann])
        #expect(reader.inputs.isEmpty)
        reader.request(1)
        #expect(reader.inputs.map(\.value) == [[ann]])
        reader.cancel()
        users.refetch(request: ())
        #expect(reader.inputs.count == 1)
    }

    /// Performs work on another thread while the main actor is blocked, so that queries apply only the last state.
    private func blockingMainActor(_ work: @escaping @Sendable () -> Void) {
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            work()
            end.signal()
        }
        end.wait()
    }

    @Test func `a failure after a reset is sent, also if the states between two failures are skipped`() async {
        let (lab, server) = (lab, server)
        let users = lab.users(server, .startImmediately(()))
        server.fail()
        let log = StateLog(users)
        blockingMainActor {
            lab.client.reset(.key("users"))
            lab.settle()
            server.fail(with: Refused())
        }
        await until { users.state.error is Refused }
        #expect(log.states == ["failed(Broken)", "failed(Refused)"])
    }

    @Test func `a slow reader of states gets the last`() async {
        let users = lab.users(server)
        var states = users.states.makeAsyncIterator()
        users.refetch(request: ())
        server.succeed(with: [ann])
        #expect(await states.next()?.value == [ann])
    }

    @Test func `states end when the query is let go`() async {
        var users: Users? = lab.users(server)
        guard let states = users?.states else { return }
        users = nil
        var count = 0
        for await _ in states { count += 1 }
        #expect(count <= 1)
    }

    @Test func `publishers outlive the query, and finish`() {
        var users: Users? = lab.users(server)
        guard let publisher = users?.statePublisher else { return }
        let log = StateLog(publisher)
        users = nil
        #expect(log.states == ["idle"])
        #expect(log.isFinished)
        let late = StateLog(publisher)
        #expect(late.states.isEmpty && late.isFinished)
    }

    @Test func `objectWillChange is sent before the change`() {
        let users = lab.users(server)
        var before: [String] = []
        let subscription = users.objectWillChange.sink { before.append("\(users.state)") }
        users.refetch(request: ())
        #expect(before.first == "idle")
        before = []
        server.succeed(with: [ann])
        #expect(before.first == "loading")
        #expect("\(users.state)" == "succeed([Ann])")
        subscription.cancel()
    }

    @Test func `the Observation framework sees changes of the state, the value, and the snapshot`() {
        let users = lab.users(server)
        let changes = Locked(0)
        func track(_ read: () -> Void) {
            withObservationTracking(read) { changes.withLock { $0 += 1 } }
        }
        track { _ = users.state }
        users.refetch(request: ())
        #expect(changes.withLock { $0 } == 1)
        track { _ = users.value }
        server.succeed(with: [ann])
        #expect(changes.withLock { $0 } == 2)
        track { _ = users.snapshot }
        users.refetch(request: ())
        #expect(changes.withLock { $0 } == 3)
    }

    @Test func `Observation sees consumers, paginated queries, and mutations`() async throws {
        let changes = Locked(0)
        let consumer = Users.Consumer(key: "users", client: lab.client)
        withObservationTracking {
            _ = consumer.state
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        let users = lab.users(server, .startImmediately(()))
        #expect(changes.withLock { $0 } == 1)
        let numbers = lab.numbers(Server(lab, Int.self, [Int].self))
        withObservationTracking {
            _ = numbers.items
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        numbers.refetch(())
        #expect(changes.withLock { $0 } == 2)
        let mutation = Mutation<Int, Int>(client: lab.client) { $0 }
        withObservationTracking {
            _ = mutation.state
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        try await mutation(1)
        #expect(changes.withLock { $0 } == 3)
        #expect(users.state.isLoading)
    }

    @Test(.rule("U22")) func `the properties that were @Published have publishers under their names`() async throws {
        let users = lab.users(server)
        var states: [String] = []
        var subscriptions = [
            users.$state.sink { state in
                states.append("\(state)")
                #expect("\(users.state)" == "\(state)", "what is sent can be read")
            }
        ]
        users.refetch(request: ())
        server.succeed(with: [ann])
        #expect(states == ["idle", "loading", "succeed([Ann])"])

        let pages = Server(lab, Int.self, [Int].self)
        let numbers = lab.numbers(pages)
        var (items, current): ([[Int]], [Int]) = ([], [])
        subscriptions.append(numbers.$items.sink { items.append($0) })
        subscriptions.append(numbers.$currentPage.map(\.current).sink { current.append($0) })
        numbers.refetch(())
        pages.succeed(with: [1, 2])
        numbers.fetchNextPage()
        pages.succeed(with: [3])
        #expect(items == [[], [1, 2], [1, 2, 3]])
        #expect(current == [1, 1, 2])

        let mutation = Mutation<Int, Int>(client: lab.client) { $0 }
        var changes: [String] = []
        subscriptions.append(mutation.$state.sink { changes.append("\($0)") })
        try await mutation(1)
        #expect(changes == ["idle", "loading", "succeed(1)"])
        subscriptions.removeAll()
    }

    @Test(.rule("U22")) func `a publisher of a property does not keep its query, and finishes with it`() {
        weak var freed: Users?
        var hasFinished = false
        var subscription: AnyCancellable?
        do {
            let users = lab.users(server)
            freed = users
            subscription = users.$state.sink { _ in
                hasFinished = true
            } receiveValue: { _ in
            }
        }
        #expect(freed == nil)
        #expect(hasFinished)
        subscription?.cancel()
    }

    @Test(.rule("U22")) func `a query type of one's own needs a state and its publisher only`() {
        let fixed = Fixed()
        fixed.refetch(request: 1)
        #expect(fixed.eraseToAnyQuery().state.value == "fixed")
        #expect(StateLog(fixed).states == ["succeed(fixed)"])
    }

    @Test func `an erased query shows and does what the query does`() {
        let users = lab.users(server)
        let erased = users.eraseToAnyQuery()
        let log = StateLog(erased)
        erased.refetch(request: ())
        server.succeed(with: [ann])
        #expect(erased.state.value == [ann])
        #expect(log.states == ["idle", "loading", "succeed([Ann])"])
    }

    @Test func `queries can be used by their protocol`() {
        let numbers = lab.numbers(Server(lab, Int.self, [Int].self))
        let users: any QueryType<Void, [User]> = lab.users(server)
        users.refetch(request: ())
        server.succeed(with: [ann])
        #expect(users.state.value == [ann])
        func describe(_ query: some QueryType) -> String { "\(query.state)" }
        #expect(describe(numbers) == "idle")
    }

    @Test func `dependent queries are chained by valuePublisher`() {
        let details = Server(lab, Int.self, User.self)
        let users = lab.users(server)
        let user = lab.user(details)
        let chain = users.valuePublisher.compactMap(\.first?.id).sink { user.refetch(request: $0) }
        users.refetch(request: ())
        server.succeed(with: [bob])
        #expect(details.requests == [2])
        details.succeed(with: bob)
        #expect(user.state.value == bob)
        chain.cancel()
    }
}

/// A query type as old code has them.
@MainActor
private final class Fixed: QueryType {
    typealias Request = Int

    var state: QueryState<String> { .succeed("fixed") }
    var statePublisher: AnyPublisher<QueryState<String>, Never> { Just(state).eraseToAnyPublisher() }
}

/// Takes what it asks for, and no more.
@MainActor
final class SlowReader<Input>: nonisolated Subscriber {
    typealias Failure = Never

    private(set) var inputs: [Input] = []
    private var subscription: (any Subscription)?

    nonisolated func receive(subscription: any Subscription) {
        nonisolated(unsafe) let subscription = subscription  // the tests subscribe on the main actor
        MainActor.assumeIsolated { self.subscription = subscription }
    }

    nonisolated func receive(_ input: Input) -> Subscribers.Demand {
        nonisolated(unsafe) let input = input  // it is sent on the main actor
        MainActor.assumeIsolated { inputs.append(input) }
        return .none
    }

    nonisolated func receive(completion: Subscribers.Completion<Never>) {}

    func request(_ count: Int) { subscription?.request(.max(count)) }

    func cancel() { subscription?.cancel() }
}
