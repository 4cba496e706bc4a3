import Foundation
import Pigeon
import PigeonSQLite
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("Article: work offline", OwnSharedState())
struct OfflineTests {
    let api = Backend()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("offline-\(UUID())")
    var file: URL { folder.appendingPathComponent("cache.sqlite") }

    @MainActor
    final class Model {
        let environment: QueryEnvironment
        let client: QueryClient
        let users: Query<Void, [User]>

        init(api: Backend, folder: URL, environment: QueryEnvironment = QueryEnvironment()) throws {
            self.environment = environment
            client = QueryClient(
                cache: try SQLiteQueryCache(at: folder.appendingPathComponent("cache.sqlite")),
                outbox: Outbox.Setup(
                    store: try SQLiteMutationStore(at: folder.appendingPathComponent("outbox.sqlite")),
                    mutations: [RenameUser.self]),
                dependencies: Dependencies(api),
                environment: environment)
            users = Query(.userList, client: client)
        }

        func networkChanged(isReachable: Bool) { environment.connectivity.set(isReachable) }

        var banner: String? {
            if users.snapshot.isPaused { return "You are offline. The list is from an earlier visit." }
            if users.snapshot.error != nil { return "The list could not be refreshed." }
            return nil
        }
    }

    private var offline: QueryEnvironment {
        let environment = QueryEnvironment()
        environment.connectivity.set(false)
        return environment
    }

    /// A run of the program without a network.
    private func program(_ store: any MutationStore, _ cache: InMemoryQueryCache) -> QueryLab {
        let lab = QueryLab(
            cache: cache, outbox: Outbox.Setup(store: store, mutations: [RenameUser.self]),
            dependencies: Dependencies(api))
        lab.setOnline(false)
        return lab
    }

    @Test func `what was known is shown after a restart without a network`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = try Model(api: api, folder: folder, environment: offline)
        #expect(model.users.value == nil)
        model.networkChanged(isReachable: true)
        await until { model.users.value?.count == 2 }
        await model.client.flush()

        let second = try Model(api: api, folder: folder, environment: offline)
        #expect(second.users.value?.count == 2)
        #expect(second.banner == "You are offline. The list is from an earlier visit.")
        #expect(api.calls.count == 1)
        second.networkChanged(isReachable: true)
        await until { api.calls.count >= 2 }
        await until { second.banner == nil }
    }

    @Test func `a definition is persisted by a modifier`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (api, file) = (api, file)
        let users = QueryDefinition("users") { _ in try await api.users() }
            .persisted(schema: 1)
        let client = QueryClient(cache: try SQLiteQueryCache(at: file))
        _ = try await client.fetch(users)
        await client.flush()
        let next = QueryClient(cache: try SQLiteQueryCache(at: file))
        #expect(next.observe(users.enabled(false)).value?.count == 2)
        let later = QueryClient(cache: try SQLiteQueryCache(at: file))
        #expect(later.observe(users.persisted(schema: 2).enabled(false)).value == nil)
    }

    struct RenameUser: DurableMutation {
        var id: User.ID
        var name: String
        var scope: String? { "users/\(id)" }

        func run(_ context: MutationContext) async throws -> User {
            try await context[Backend.self].rename(id, to: name, idempotencyKey: context.idempotencyKey)
        }

        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update(.userList) { users in
                for index in users.indices where users[index].id == id { users[index].name = name }
            }
        }

        func invalidates(_ user: User) -> [KeyFilter] { [.path("users")] }
    }

    /// A change that the server refuses.
    private struct RefusedRename: Mutating {
        struct Refusal: Error {}

        var rename: RenameUser

        func run(_ context: MutationContext) async throws { throw Refusal() }
        func optimistic(_ edits: inout OptimisticEdits) { rename.optimistic(&edits) }
    }

    @Test func `a change is shown at once, waits for the network, and is taken back if it fails`() throws {
        let lab = QueryLab(dependencies: Dependencies(api))
        let users = lab.client.observe(.userList)
        lab.settle()
        lab.setOnline(false)
        let (client, rename) = (lab.client, RenameUser(id: 0, name: "Zoe"))
        let change = lab.start {
            try await client.mutate(rename)
        }
        #expect(users.value?.first?.name == "Zoe")
        #expect(users.snapshot.isOptimistic)
        #expect(!api.calls.contains("rename 0"))
        #expect(lab.log.contains("mutation RenameUser paused"))
        lab.setOnline(true)
        lab.settle()
        #expect(change.value?.name == "Zoe")
        #expect(!users.snapshot.isOptimistic)
        #expect(users.value?.first?.name == "Zoe")

        let second = lab.start { try await client.mutate(RefusedRename(rename: RenameUser(id: 0, name: "Eve"))) }
        #expect(second.error != nil)
        #expect(users.value?.first?.name == "Zoe")
    }

    @Test func `a change that is enqueued offline is shown after a restart, and is sent when the network is back`()
        async
    {
        let (store, cache) = (InMemoryMutationStore(), InMemoryQueryCache())
        let visit = QueryLab(cache: cache, dependencies: Dependencies(api))
        _ = visit.start { [client = visit.client] in
            _ = try await client.fetch(.userList)
            await client.flush()
        }
        let first = program(store, cache)
        let users = first.client.observe(.userList)
        first.settle()
        let change = first.start { [client = first.client] in
            try await client.enqueue(RenameUser(id: 0, name: "Zoe"))
            await client.flush()
        }
        #expect(change.error == nil)
        #expect(users.value?.first?.name == "Zoe")

        let second = program(store, cache)
        let restored = second.client.observe(.userList)
        second.settle()
        #expect(restored.value?.map(\.name) == ["Zoe", "Bea"])
        #expect(restored.snapshot.isOptimistic)
        #expect(!api.calls.contains("rename 0"))
        second.setOnline(true)
        second.settle()
        await until { !restored.snapshot.isOptimistic }
        #expect(api.calls.filter { $0 == "rename 0" }.count == 1)
        #expect(restored.value?.first?.name == "Zoe")
    }

    @Test func `an optimistic change is not written to the cache`() async throws {
        let cache = InMemoryQueryCache()
        let lab = QueryLab(cache: cache, dependencies: Dependencies(api))
        let client = lab.client
        let users = client.observe(.userList)
        lab.settle()
        lab.setOnline(false)
        let change = lab.start { try await client.mutate(RenameUser(id: 0, name: "Zoe")) }
        #expect(users.value?.first?.name == "Zoe")
        _ = lab.start { await client.flush() }
        let kept: [User]? = cache.get(for: "users")
        #expect(kept?.first?.name == "Ann")
        change.cancel()
        #expect(users.value?.first?.name == "Ann")
    }

    @Test(.rule("A96")) func `a page that waits for the network is paused`() {
        let lab = QueryLab(dependencies: Dependencies(api))
        let client = lab.client
        let posts = PaginatedQuery(.timeline, client: client)
        lab.settle()
        lab.setOnline(false)
        posts.fetchNextPage()
        lab.settle()
        #expect(posts.isNextPagePaused && posts.isFetchingNextPage && posts.nextPageError == nil)
        #expect(api.calls == ["posts 1"])
        lab.setOnline(true)
        #expect(posts.items.count == 2 && !posts.isFetchingNextPage && !posts.isNextPagePaused)
    }

    @Test func `offline-first asks a cache below`() {
        let lab = QueryLab(dependencies: Dependencies(api))
        lab.setOnline(false)
        let users = QueryDefinition<[User]>("users") { context in try await context[Backend.self].users() }
            .networkMode(.offlineFirst)
        let observer = lab.client.observe(users)
        lab.settle()
        #expect(observer.value?.count == 2)
    }
}

extension QueryDefinition where Value == [User] {
    static var userList: Self {
        QueryDefinition("users") { context in try await context[Backend.self].users() }
            .persisted(schema: 1)
    }
}
