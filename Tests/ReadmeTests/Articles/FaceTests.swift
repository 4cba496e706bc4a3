import Foundation
import Pigeon
import PigeonHTTP
import PigeonREST
import PigeonStore
import TestSupport
import Testing

@MainActor
@Suite("Article: which face is for me?", OwnSharedState())
struct FaceTests {
    let api = Backend()

    func asQuery(_ api: Backend) -> Query<Int, User> {
        let user = Query<Int, User>(key: "users", keyAdapter: { key, id in key.appending(id) }) { id in
            try await api.user(id)
        }
        user.refetch(request: 42)
        return user
    }

    @Test func `all faces find the same user`() async throws {
        let api = api
        #expect(asQuery(api).value?.name == "Ann")

        let client = QueryClient()
        let user = try await client.fetch(QueryDefinition("users", 42) { _ in try await api.user(42) })
        #expect(user.name == "Ann")

        struct UserFetcher: PigeonStore.Fetcher {
            let api: Backend
            func fetch(param id: Int) async throws -> User { try await api.user(id) }
        }
        let users = Cacher<Int, User>(expireSeconds: 60)
        let store = AnyStoreFlowable.from(cacher: users, fetcher: UserFetcher(api: api), param: 42)
        #expect(try await store.requireData() == user)

        let transport = MockTransport()
        transport.answer(.get, "/users/42", with: try .json(user))
        func Service(baseURL: String) -> PigeonREST.Service {
            PigeonREST.Service(baseURL: baseURL, networking: transport, client: client)
        }
        let service = Service(baseURL: "https://api.example.com")
        service.configure("/users/*", decoding: User.self)
        let resource = service.resource("/users/42").typed(User.self)
        #expect(try await resource.loadedIfNeeded() == user)
    }

    @Test func `faces of one client share what they know`() async throws {
        let api = api
        let user = asQuery(api)
        let definition = QueryDefinition<User>.value(at: QueryKey("users", 42))
        #expect(QueryClient.shared.value(of: definition) == user.value)
        QueryClient.shared.update(definition) { $0.name = "Zoe" }
        await until { user.value?.name == "Zoe" }
    }
}
