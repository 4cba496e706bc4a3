import Foundation
import Pigeon
import Testing

@MainActor
@Suite("Pigeon 0.1: observing queries", OwnSharedState(), .timeLimit(.minutes(1)))
struct QueryObservingTests {
    // uses: Query.statePublisher, Query.valuePublisher
    // guide: `query.$state`, `mutation.$state`, `list.$items`, `list.$currentPage`
    @Test func `a query publishes its states and its values`() async {
        let server = Server<Void, [User]>()
        let users = Query<Void, [User]>(key: .users, fetcher: { server.fetch(()) })
        var (states, projected, names, sent): ([String], [String], [String], [String]) = ([], [], [], [])
        var cancellables = Set<AnyCancellable>()
        users.statePublisher.sink { states.append($0.label) }.store(in: &cancellables)
        users.$state.map(\.label).sink { projected.append($0) }.store(in: &cancellables)
        users.valuePublisher.sink { names += $0.map(\.name) }.store(in: &cancellables)
        users.$state.sink { state in sent.append("\(state.label) \(users.state.label)") }.store(in: &cancellables)
        users.refetch(request: ())
        server.succeed(with: [ann])
        await settle(users)
        users.refetch(request: ())
        server.fail()
        await settle(users)
        // The policy of the default configuration shows what is cached, where there is something.
        #expect(states == ["idle", "loading", "succeed", "loading", "succeed"])
        #expect(projected == states)
        #expect(sent == states.map { "\($0) \($0)" })
        #expect(names == ["Ann", "Ann"] || names == ["Ann"])
        let publisher: AnyPublisher<QueryState<[User]>, Never> = users.statePublisher
        let values: AnyPublisher<[User], Never> = users.valuePublisher
        publisher.map(\.label).sink { states.append($0) }.store(in: &cancellables)
        values.map(\.count).sink { states.append("\($0)") }.store(in: &cancellables)
        #expect(states.suffix(2) == ["succeed", "1"])
    }

    // guide: `statePublisher` and `valuePublisher`, when nothing is new
    @Test func `a refetch that finds a valid value publishes nothing`() async {
        let users = Query<Void, [User]>(
            key: .users, behavior: .startImmediately(()),
            cacheConfig: QueryCacheConfig(usagePolicy: .useInsteadOfFetching), fetcher: { answer([ann]) })
        var states: [String] = []
        let subscription = users.statePublisher.sink { states.append($0.label) }
        users.refetch(request: ())
        #expect(states == ["succeed"])
        await users.refresh()
        #expect(states == ["succeed", "loading", "succeed"])
        subscription.cancel()
    }

    // guide: `statePublisher` and `valuePublisher`, when nothing is new
    @Test func `an equal value that comes again is published once`() async {
        let server = Server<Void, [Int]>()
        let numbers = Query<Void, [Int]>(key: "numbers", fetcher: { server.fetch(()) })
        var (values, states): ([[Int]], [String]) = ([], [])
        var cancellables = Set<AnyCancellable>()
        numbers.valuePublisher.sink { values.append($0) }.store(in: &cancellables)
        numbers.statePublisher.sink { states.append($0.label) }.store(in: &cancellables)
        for _ in 1...2 {
            numbers.refetch(request: ())
            server.succeed(with: [1])
            await settle(numbers)
        }
        #expect(values == [[1]])
        #expect(states == ["idle", "loading", "succeed", "loading", "succeed"])
    }

    @Test func `a value that cannot be compared is published each time it comes`() async {
        let server = Server<Void, [User]>()
        let users = Query<Void, [User]>(key: .users, fetcher: { server.fetch(()) })
        var names: [String] = []
        let subscription = users.valuePublisher.sink { names += $0.map(\.name) }
        for _ in 1...2 {
            users.refetch(request: ())
            server.succeed(with: [ann])
            await settle(users)
        }
        #expect(names == ["Ann", "Ann"])
        subscription.cancel()
    }

    // uses: Query.objectWillChange
    @Test func `a query announces its changes`() {
        let users = Query<Void, [User]>(key: .users, fetcher: { answer([ann]) })
        var changes = 0
        let subscription = users.objectWillChange.sink { _ in changes += 1 }
        users.refetch(request: ())
        #expect(changes > 0)
        subscription.cancel()
    }

    @Test func `queries are chained by their values`() {
        let user = Query<Int, User>(key: "user", fetcher: { API(name: "Ann").user($0) })
        let users = Query<Void, [User]>(key: .users, fetcher: { answer([bob]) })
        let chain = users.valuePublisher
            .compactMap { $0.first?.id }
            .sink { user.refetch(request: $0) }
        users.refetch(request: ())
        #expect(user.state.value?.id == 2)
        chain.cancel()
    }

    // uses: QueryType, QueryType.Request, QueryType.Response, QueryType.state, QueryType.statePublisher
    // guide: a `QueryType` of your own
    final class Fake: QueryType {
        typealias Request = Int
        typealias Response = User

        private let subject = CurrentValueSubject<QueryState<User>, Never>(.succeed(ann))
        var state: QueryState<User> { subject.value }
        var statePublisher: AnyPublisher<QueryState<User>, Never> { subject.eraseToAnyPublisher() }
    }

    // uses: QueryType.eraseToAnyQuery(), Query.eraseToAnyQuery(), AnyQuery, AnyQuery.state, AnyQuery.statePublisher
    // guide: `AnyQuery`
    @Test func `queries of several kinds are erased to one`() {
        let query = Query<Int, User>(
            key: "user", behavior: .startImmediately(1), fetcher: { API(name: "Ann").user($0) })
        let queries: [AnyQuery<Int, User>] = [Fake().eraseToAnyQuery(), query.eraseToAnyQuery()]
        var names: [String] = []
        for query in queries {
            #expect(query.state.value?.name == "Ann")
            let subscription = query.statePublisher.sink { names.append($0.value?.name ?? "") }
            subscription.cancel()
        }
        #expect(names == ["Ann", "Ann"])
        #expect(name(Fake()) == "Ann" && name(query) == "Ann")
    }

    private func name<SomeQuery: QueryType>(_ query: SomeQuery) -> String? where SomeQuery.Response == User {
        query.state.value?.name
    }

    // uses: AnyQuery.init(stateGetter:statePublisherGetter:)
    @Test func `a query is made of closures`() {
        var state = QueryState<User>.idle
        let query = AnyQuery<Int, User>(
            stateGetter: { state },
            statePublisherGetter: { Just(.succeed(bob)).eraseToAnyPublisher() }
        )
        #expect(query.state.label == "idle")
        state = .loading
        #expect(query.state.label == "loading")
        var published: [String] = []
        let subscription = query.statePublisher.sink { published.append($0.value?.name ?? "") }
        #expect(published == ["Bob"])
        subscription.cancel()
    }

    @Test func `an old program's own extensions stay`() {
        let users = Query<Void, [User]>(key: .users, fetcher: { answer([ann]) })
        users.refetch()
        users.refetchIfIdle(request: ())
        #expect(users.state.isSucceeded)
    }
}

extension Query where Request == Void {
    func refetch() { refetch(request: ()) }
}

extension Query {
    func refetchIfIdle(request: Request) {
        if case .idle = state { refetch(request: request) }
    }
}

extension QueryState {
    var isSucceeded: Bool { value != nil }

    // What the library has too: the program's own is used.
    var isLoading: Bool {
        if case .loading = self { return true }
        return false
    }
    var error: Error? {
        if case let .failed(error) = self { return error }
        return nil
    }
}
