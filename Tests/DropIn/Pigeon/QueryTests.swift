import Foundation
import Pigeon
import Testing

/// The app's own object that sends requests.
final class APIDispatcher: Sendable {
    private let answers: [User]

    init(users: [User]) {
        answers = users
    }

    func users() -> AnyPublisher<[User], Error> {
        answer(answers)
    }
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

    // guide: capture of `dispatcher` with non-Sendable type in a `@Sendable` closure, in Swift 6 mode
    @Test func `K33: a fetcher asks the app's own dispatcher`() {
        let dispatcher = APIDispatcher(users: [bob])
        let users = Query<Void, [User]>(key: .users) { dispatcher.users() }
        users.refetch(request: ())
        #expect(users.state.value?.map(\.name) == ["Bob"])
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
}
