import Foundation
import Pigeon
import PigeonSQLite
import PigeonTesting
import TestSupport
import Testing

/// The snippets of the guide from Pigeon 0.1, compiled and run.
@Suite("Coming from Pigeon 0.1")
@MainActor
struct MigrationFromPigeon {
    @MainActor
    final class UsersModel: ObservableObject {
        let users: Query<Void, [User]>

        init(api: API) {
            users = Query(key: "users", behavior: .startImmediately(())) { [api] in try await api.users() }
        }
    }

    @Test func `a model makes a query`() async {
        await SharedState.$current.withValue(SharedState()) {
            let model = UsersModel(api: api)
            for await state in model.users.states where state.value != nil { break }
            #expect(model.users.value?.map(\.name) == ["Bea"])
        }
    }

    @Test func `the last value is there beside what goes on`() async {
        await SharedState.$current.withValue(SharedState()) { await showUsers() }
    }

    private func showUsers() async {
        var shown: [[User]] = []
        func show(_ users: [User], isLoading: Bool, problem: (any Error)?) { shown.append(users) }
        let users = Query<Void, [User]>(key: "users", retry: .standard) { try await api.users() }
        users.refetch(request: ())
        show(users.value ?? [], isLoading: users.snapshot.isFetching, problem: users.snapshot.error)
        for await state in users.states where state.value != nil { break }
        #expect(shown.count == 1)
    }

    private func list(_ api: Backend) -> Query<Void, [User]> {
        let users = Query<Void, [User]>(
            key: "users",
            behavior: .startImmediately(()),
            cacheConfig: QueryCacheConfig(invalidationPolicy: .expiresAfter(300), usagePolicy: .useAndThenFetch)
        ) {
            try await api.users()
        }
        return users
    }

    @Test(OwnSharedState()) func `useAndThenFetch keeps the list when a refresh fails`() async {
        let api = Backend()
        let users = list(api)
        #expect(users.value?.map(\.name) == ["Ann", "Bea"])
        api.setReachable(false)
        users.refetch(request: ())
        #expect(users.snapshot.error != nil)
        #expect(users.state.value?.count == 2)
        api.setReachable(true)
        await users.refresh()
        #expect(users.snapshot.error == nil)
    }

    @Test(OwnSharedState()) func `useAndThenFetch fails if nothing is known`() {
        let api = Backend()
        api.setReachable(false)
        #expect(list(api).state.error != nil)
    }

    @Test func `useAndThenFetch shows the list while it is refreshed`() {
        let lab = QueryLab()
        let fetcher = lab.fetcher(returning: [User].self)
        let users = Query<Void, [User]>(
            key: "users", behavior: .startImmediately(()), cacheConfig: QueryCacheConfig(usagePolicy: .useAndThenFetch),
            client: lab.client
        ) { _, context in try await fetcher.fetch(context) }
        #expect(users.state.isLoading)
        fetcher.succeed(with: [User(id: 0, name: "Ann")])
        users.refetch(request: ())
        #expect(users.snapshot.isFetching)
        #expect(users.state.value?.first?.name == "Ann")
    }

    @Test func `a list says whether it goes on`() async throws {
        var goesOn: [Bool] = []
        func show(_ posts: [Post], more: Bool, isLoading: Bool, problem: (any Error)?) { goesOn.append(more) }
        let posts = PaginatedQuery<Void, NumericPaginatedQueryKey, [Post]>(
            key: "posts", firstPage: NumericPaginatedQueryKey(current: 1), behavior: .startImmediately(()),
            client: QueryClient()
        ) { _, page in
            try await api.posts(page: page.current)
        }
        posts.fetchNextPage()
        show(posts.items, more: posts.hasNextPage, isLoading: posts.isFetchingNextPage, problem: posts.nextPageError)
        #expect(goesOn == [true])
        let both = try await posts.nextPage()
        #expect(both?.count == 2)
        #expect(!posts.hasNextPage)
    }

    @Test func `a mutation shows its change`() async throws {
        try await SharedState.$current.withValue(SharedState()) { try await changeUser(QueryClient.shared) }
    }

    private func changeUser(_ client: QueryClient) async throws {
        let log = Locked<[String]>([])
        let events = client.onEvent { event in log.withLock { $0.append("\(event)") } }
        try client.set(User(id: 42, name: "Bea"), for: QueryKey("users", 42))
        struct RenameUser: Mutating {
            let id: Int
            let name: String

            func run(_ context: MutationContext) async throws -> User { try await api.rename(id, to: name) }

            func optimistic(_ edits: inout OptimisticEdits) {
                let user = QueryDefinition<User>.value(QueryKey("users", id))
                edits.update(user) { $0.name = name }
            }
        }
        let rename = Mutation { name in RenameUser(id: 42, name: name) }
        let renamed = try await rename("Ann")
        #expect(renamed.name == "Ann")
        #expect(log.withLock { $0 }.contains { $0.contains("optimistic") })
        events.cancel()
    }

    private func watchAndForget() async throws {
        let log = QueryClient.shared.onEvent { event in print(event) }  // users/42 fetching (invalidated by mutation …)
        try await QueryClient.shared.clear()
        log.cancel()
    }

    private func persist(_ caches: URL) throws {
        QueryCache.setGlobal(try SQLiteQueryCache(at: caches.appendingPathComponent("queries.sqlite")))
    }

    /// What the tables of the guide spell.
    @Test(.rule("U20"), OwnSharedState()) func `the spellings of the tables`() {
        let key: QueryKey = "users"
        let keys = [QueryKey(value: "users"), QueryKey("users", 42), "users/42", key.appending(42)]
        QueryCache.setGlobal(.userDefaults)
        QueryCache.setGlobal(QueryCache.userDefaults)
        QueryCache.setGlobal(QueryCache(wrappedCache: .inMemory))
        let user = Query<Void, User>.Consumer(key: "users/42")
        let users = Query<Void, [User]>(key: "users") { [] }
        let log = users.$state.sink { state in print(state) }
        log.cancel()
        let id = 42
        #expect(user.key == QueryKey("users", 42))
        #expect(user.key == "users/\(id)")
        #expect(user.key != QueryKey(value: "users/42"))
        print(keys, user.state)
    }
}
