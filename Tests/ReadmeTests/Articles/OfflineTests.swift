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
        let environment = QueryEnvironment()
        let client: QueryClient
        let users: Query<Void, [User]>

        init(api: Backend, file: URL) throws {
            let cache = try SQLiteQueryCache(at: file)
            client = QueryClient(cache: cache, environment: environment)
            users = Query(
                key: "users",
                cacheConfig: QueryCacheConfig(usagePolicy: .useAndThenFetch),
                client: client
            ) {
                try await api.users()
            }
        }

        func appear() { users.refetch(request: ()) }

        func networkChanged(isReachable: Bool) { environment.connectivity.set(isReachable) }

        var banner: String? {
            if users.snapshot.isPaused { return "You are offline. The list is from an earlier visit." }
            if users.snapshot.error != nil { return "The list could not be refreshed." }
            return nil
        }
    }

    @Test func `what was known is shown after a restart without a network`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try Model(api: api, file: file)
        #expect(first.users.value == nil)
        first.appear()
        #expect(first.users.value?.count == 2)
        await first.client.flush()

        let second = try Model(api: api, file: file)
        second.networkChanged(isReachable: false)
        #expect(second.users.value?.count == 2)
        second.appear()
        #expect(second.users.state.value?.count == 2)
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

    struct RenameUser: Mutating {
        var api: Backend
        var id: Int
        var name: String
        var scope: String? { "users/\(id)" }

        func run(_ context: MutationContext) async throws -> User {
            try await api.rename(id, to: name, idempotencyKey: context.idempotencyKey)
        }

        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update(.list(from: api)) { [id, name] users in
                for index in users.indices where users[index].id == id { users[index].name = name }
            }
        }

        func invalidates(_ user: User) -> [KeyFilter] { [.path("users")] }
    }

    @Test func `a change is shown at once, waits for the network, and is taken back if it fails`() throws {
        let (lab, api) = (QueryLab(), api)
        let users = lab.client.observe(.list(from: api))
        lab.settle()
        lab.setOnline(false)
        let (client, rename) = (lab.client, RenameUser(api: api, id: 0, name: "Zoe"))
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

        api.setReachable(false)
        let second = lab.start { try await client.mutate(RenameUser(api: api, id: 0, name: "Eve")) }
        #expect(second.error != nil)
        #expect(users.value?.first?.name == "Zoe")
    }

    @Test func `an optimistic change is not written to the cache`() async throws {
        let (cache, api) = (InMemoryQueryCache(), api)
        let lab = QueryLab(cache: cache)
        let client = lab.client
        let users = client.observe(.list(from: api).persisted())
        lab.settle()
        lab.setOnline(false)
        let change = lab.start { try await client.mutate(RenameUser(api: api, id: 0, name: "Zoe")) }
        #expect(users.value?.first?.name == "Zoe")
        _ = lab.start { await client.flush() }
        let kept: [User]? = cache.get(for: "users")
        #expect(kept?.first?.name == "Ann")
        change.cancel()
        #expect(users.value?.first?.name == "Ann")
    }

    @Test func `offline-first asks a cache below`() {
        let (lab, api) = (QueryLab(), api)
        lab.setOnline(false)
        let users = QueryDefinition("users") { _ in try await api.users() }
            .networkMode(.offlineFirst)
        let observer = lab.client.observe(users)
        lab.settle()
        #expect(observer.value?.count == 2)
    }
}

extension QueryDefinition where Value == [User] {
    static func list(from api: Backend) -> Self {
        QueryDefinition("users") { _ in try await api.users() }
    }
}
