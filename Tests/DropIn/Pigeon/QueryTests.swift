import Foundation
import Pigeon
import Testing

/// What an old program fetches with. Structs of values are `Sendable` by themselves.
/// guide: type `User` does not conform to the `Sendable` protocol
struct API {
    let name: String

    func users() -> AnyPublisher<[User], Error> { answer([User(id: 1, name: name)]) }
    func user(_ id: Int) -> AnyPublisher<User, Error> { answer(User(id: id, name: name)) }
}

/// guide: call to main actor-isolated initializer in a nonisolated context; main actor-isolated default value in a nonisolated context; property `state` can not be referenced from a nonisolated context
@MainActor
final class UsersModel: ObservableObject {
    // uses: Query.State, Query.$state
    @Published var state = Query<Void, [User]>.State.idle
    let users: Query<Void, [User]>
    private let api: API
    private var cancellables = Set<AnyCancellable>()

    /// guide: capture of `self` with non-Sendable type in a `@Sendable` closure; main actor-isolated property `api` can not be referenced from a Sendable closure
    lazy var user = Query<Int, User>(key: QueryKey(value: "user"), fetcher: { [api] id in api.user(id) })

    init(api: API) {
        self.api = api
        users = Query<Void, [User]>(
            key: .users,
            fetcher: {
                api.users()
                    .map { $0 }
                    .eraseToAnyPublisher()
            }
        )
        users.$state
            .sink { [weak self] state in self?.state = state }
            .store(in: &cancellables)
    }

    func load() {
        users.refetch(request: ())
    }

    /// guide: main actor-isolated property `filter` can not be mutated from a Sendable closure
    func show(_ id: Int) {
        shown = id
        user.refetch(request: id)
    }

    private(set) var shown = 0
}

/// A query that is no model's.
@MainActor let program = Query<Int, User>(key: QueryKey(value: "program"), fetcher: { API(name: "Ann").user($0) })

/// What a program has of its own around queries, for requests and responses of any type.
@MainActor
final class Loader<Request: Sendable, Response: Codable & Sendable> {
    let query: Query<Request, Response>

    /// guide: passing non-Sendable parameter `fetch` to function expecting a '@Sendable' closure
    init(key: String, fetch: @escaping @Sendable (Request) -> AnyPublisher<Response, Error>) {
        query = Query<Request, Response>(key: QueryKey(value: key), fetcher: fetch)
    }
}

/// guide: main actor-isolated conformance of 'User' to 'Decodable' cannot satisfy …
nonisolated struct Profile: Codable {
    let name: String
}

/// guide: default argument cannot be both main actor-isolated and actor-isolated, or and nonisolated
@MainActor
final class ProfileModel {
    let profile: Query<Void, Profile>
    let published = Query<Void, Profile>(key: "published", fetcher: { answer(Profile(name: "Ann")) })
    let made = ProfileModel.make()

    init() {
        profile = Query(key: "profile", behavior: .startImmediately(())) { await ProfileModel.fetch() }
    }

    static func make() -> Query<Void, Profile> {
        Query(key: "made", behavior: .startImmediately(())) { await ProfileModel.fetch() }
    }

    static func fetch() async -> Profile { Profile(name: "Bea") }
}

@MainActor
@Suite("Pigeon 0.1: queries", OwnSharedState(), .timeLimit(.minutes(1)))
struct QueryTests {
    // uses: Query, Query.init(key:fetcher:), Query.refetch(request:), Query.state
    // guide: an answer that is there at once, as in unit tests
    @Test func `a query is idle until it is asked, and then has a value`() {
        let users = Query<Void, [User]>(
            key: QueryKey(value: "users"),
            fetcher: {
                answer([ann])
            }
        )
        #expect(users.state.label == "idle")
        users.refetch(request: ())
        #expect(users.state.value?.map(\.name) == ["Ann"])
    }

    @Test func `a failure is a state, and has the fetcher's error`() {
        let users = Query<Void, [User]>(key: .users) { failure() }
        users.refetch(request: ())
        guard case let .failed(error) = users.state else {
            Issue.record("\(users.state)")
            return
        }
        #expect(error is Broken)
        #expect(users.state.value == nil)
    }

    @Test func `a model shows what its query has`() {
        let model = UsersModel(api: API(name: "Bea"))
        #expect(model.state.label == "idle")
        model.load()
        #expect(model.state.value?.first?.name == "Bea")
        model.show(7)
        #expect(model.user.state.value?.id == 7 && model.shown == 7)
        let loader = Loader<Int, User>(key: "loader", fetch: { API(name: "Bea").user($0) })
        loader.query.refetch(request: 5)
        #expect(loader.query.state.value?.id == 5)
        program.refetch(request: 3)
        #expect(program.state.value?.id == 3)
    }

    @Test func `a model with fetchers that are async makes its queries in its initialiser`() async {
        let model = ProfileModel()
        model.published.refetch(request: ())
        await until { model.profile.state.value != nil && model.made.state.value != nil }
        #expect(model.profile.state.value?.name == "Bea" && model.published.state.value?.name == "Ann")
    }

    // uses: Query.FetchingBehavior, Query.FetchingBehavior.startWhenRequested, Query.FetchingBehavior.startImmediately
    @Test func `a query starts when it is requested, or at once`() {
        func make(_ behavior: Query<Int, User>.FetchingBehavior) -> Query<Int, User> {
            Query(key: QueryKey(value: "user"), behavior: behavior, fetcher: { answer(User(id: $0, name: "Ann")) })
        }
        #expect(make(.startWhenRequested).state.value == nil)
        #expect(make(.startImmediately(5)).state.value?.id == 5)
    }

    // uses: Query.PollingBehavior, Query.PollingBehavior.noPolling, Query.PollingBehavior.pollEvery
    @Test func `a query polls, or does not`() {
        let interval: TimeInterval = 2
        let behaviors: [Query<Void, [User]>.PollingBehavior] = [.noPolling, .pollEvery(interval), .pollEvery(0.5)]
        let fetched = Notes<Int>()
        for (number, polling) in behaviors.enumerated() {
            let users = Query<Void, [User]>(
                key: QueryKey(value: "users \(number)"),
                behavior: .startImmediately(()),
                pollingBehavior: polling,
                fetcher: {
                    fetched.add(number)
                    return answer([ann])
                }
            )
            #expect(users.state.value?.count == 1)
        }
        #expect(fetched.all == [0, 1, 2])
    }

    // uses: Query.QueryFetcher
    // uses: Query.init(key:keyAdapter:behavior:pollingBehavior:cache:cacheConfig:fetcher:)
    @Test func `a query is made with everything there is`() {
        let fetcher: Query<Int, User>.QueryFetcher = { id in answer(User(id: id, name: "Ann")) }
        let adapter: (QueryKey, Int) -> QueryKey = { key, id in key.appending(id.description) }
        let user = Query<Int, User>(
            key: QueryKey(value: "users"),
            keyAdapter: adapter,
            behavior: .startImmediately(42),
            pollingBehavior: .noPolling,
            cache: InMemoryQueryCache.shared,
            cacheConfig: QueryCacheConfig(invalidationPolicy: .notExpires, usagePolicy: .useIfFetchFails),
            fetcher: fetcher
        )
        #expect(user.state.value?.id == 42)
        let cached: User? = InMemoryQueryCache.shared.get(for: QueryKey(value: "users").appending("42"))
        #expect(cached?.id == 42)
        InMemoryQueryCache.shared.invalidate(for: QueryKey(value: "users").appending("42"))
    }

    // guide: `fetcher`, a publisher
    @Test func `a fetcher may be a method, a closure with a trailing place, or of several statements`() {
        let api = API(name: "Ann")
        #if swift(>=6)
            let byMethod = Query<Int, User>(key: "a", fetcher: api.user)
        #else
            // A warning, if it were a reference to the method.
            let byMethod = Query<Int, User>(key: "a", fetcher: { api.user($0) })
        #endif
        let trailing = Query<Int, User>(key: "b") { api.user($0) }
        let annotated = Query<Int, User>(key: "c") { (id: Int) -> AnyPublisher<User, Error> in
            let name = "Ann"
            return answer(User(id: id, name: name))
        }
        let several = Query<(id: Int, name: String), User>(
            key: "d",
            keyAdapter: { key, request in
                key.appending("\(request.id)").appending(request.name)
            },
            fetcher: { request in
                let user = User(id: request.id, name: request.name)
                return answer(user)
            })
        for query in [byMethod, trailing, annotated] {
            query.refetch(request: 1)
            #expect(query.state.value?.name == "Ann")
        }
        several.refetch(request: (2, "Bob"))
        #expect(several.state.value?.name == "Bob")
    }

    @MainActor
    final class ViewContext {
        func user(_ id: Int) throws -> User {
            guard id > 0 else { throw Broken() }
            return User(id: id, name: "Ann")
        }
    }

    // guide: a fetcher that uses what belongs to the main thread
    @Test func `a fetcher may be of the main actor`() async {
        let context = ViewContext()
        let user = Query<Int, User>(key: "user") { @MainActor id in
            try context.user(id)
        }
        user.refetch(request: 3)
        await until { user.state.value != nil }
        #expect(user.state.value?.id == 3)
        user.refetch(request: 0)
        await until { !user.state.isLoading }
        #expect(user.state.value?.id == 3 && user.snapshot.error is Broken)
    }

    // guide: two queries with one key, and different requests or responses
    @Test func `queries with one key share one value, and each id can have its own`() {
        func user(_ id: Int, _ keyAdapter: ((QueryKey, Int) -> QueryKey)? = nil) -> Query<Int, User> {
            Query<Int, User>(
                key: "user", keyAdapter: keyAdapter, behavior: .startImmediately(id),
                fetcher: { API(name: "Ann").user($0) })
        }
        let shared = [user(1), user(2)]
        #expect(shared.map { $0.state.value?.id } == [2, 2])
        let own = [1, 2].map { user($0) { key, id in key.appending(id.description) } }
        #expect(own.map { $0.state.value?.id } == [1, 2])
        let other = Query<Void, Int>(key: "user", behavior: .startImmediately(()), fetcher: { answer(1) })
        #expect(other.state.label == "failed")
    }

    @Test func `each value of a fetcher is shown`() {
        let server = Server<Void, Int>()
        let count = Query<Void, Int>(key: "count", behavior: .startImmediately(()), fetcher: { server.fetch(()) })
        #expect(count.state.label == "loading")
        server.send(1)
        server.send(2)
        #expect(count.state.value == 2)
    }

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
