import Foundation
import Pigeon
import PigeonHTTP
import PigeonREST
import PigeonStore
import TestSupport
import Testing

@MainActor
@Suite("Article: which module is for me?", OwnSharedState())
struct FaceTests {
    func onAScreen() -> Query<Void, User> {
        let user = Query(.user(42))
        return user
    }

    @Test func `all modules find the same user`() async throws {
        #expect(onAScreen().value?.name == "Bea")

        let client = QueryClient()
        let user = try await client.fetch(.user(42))
        #expect(user.name == "Bea")

        struct UserFetcher: PigeonStore.Fetcher {
            func fetch(param id: Int) async throws -> User { try await api.user(id) }
        }
        let users = Cacher<Int, User>(expireSeconds: 60)
        let store = AnyStoreFlowable.from(cacher: users, fetcher: UserFetcher(), param: 42)
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

    @Test func `a query and its client share what they know`() async throws {
        let user = onAScreen()
        #expect(user.value?.name == "Bea")
        #expect(QueryClient.shared.value(of: .user(42)) == user.value)
        QueryClient.shared.update(.user(42)) { $0.name = "Zoe" }
        await until { user.value?.name == "Zoe" }
    }
}
