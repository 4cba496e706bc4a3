import Foundation
import Pigeon
import PigeonTesting
import Testing

protocol ProfileAPI: Sendable {
    func me() async throws -> User
    func rename(to name: String) async throws -> User
}

struct ScriptedProfileAPI: ProfileAPI {
    let users: ScriptedFetcher<User>

    func me() async throws -> User { try await users.call("me") }
    func rename(to name: String) async throws -> User { try await users.call("rename", name) }
}

@MainActor
final class ProfileModel {
    let user: Query<Void, User>
    let rename: Mutation<String, User>
    private(set) var message: String?

    init(client: QueryClient, api: any ProfileAPI) {
        user = Query(key: "me", cache: InMemoryQueryCache(), client: client) { try await api.me() }
        rename = Mutation(
            client: client,
            optimistic: { name, edits in edits.update(QueryDefinition<User>.value(at: "me")) { $0.name = name } }
        ) { name in
            try await api.rename(to: name)
        }
    }

    func save(_ name: String) {
        rename.execute(with: name) { [weak self] _, invalidate in
            invalidate("me", .lastData)
            self?.message = "Saved"
        } onFailure: { [weak self] _ in
            self?.message = "Not saved"
        }
    }
}

struct RenameMe: Mutating {
    var name: String
    var api: any ProfileAPI

    func run(_ context: MutationContext) async throws -> User { try await api.rename(to: name) }
}

@MainActor
@Suite("Article: test mutations")
struct MutationTestingTests {
    private let lab: QueryLab
    private let server: ScriptedFetcher<User>
    private let api: ScriptedProfileAPI
    private let model: ProfileModel

    init() {
        lab = QueryLab()
        server = lab.fetcher(returning: User.self)
        api = ScriptedProfileAPI(users: server)
        model = ProfileModel(client: lab.client, api: api)
        model.user.refetch(request: ())
        server.succeed(with: User(id: 42, name: "Ann"))
    }

    @Test func `a change is shown at once, and rolled back if it fails`() {
        model.save("Bea")
        #expect(model.user.value?.name == "Bea")
        #expect(model.rename.state.isLoading)
        server.fail(with: URLError(.timedOut))
        #expect(model.user.value?.name == "Ann")
        #expect(model.message == "Not saved")
    }

    @Test func `a success is followed by a fetch`() {
        model.save("Bea")
        server.succeed(with: User(id: 42, name: "Bea"))
        #expect(model.message == "Saved")
        #expect(server.pending.map(\.key) == ["me"])
        server.succeed(with: User(id: 42, name: "Bea"))
        #expect(server.calls.map(\.key) == ["me", "rename/Bea", "me"])
    }

    @Test func `a change waits for the network`() {
        lab.setOnline(false)
        model.save("Bea")
        #expect(model.rename.isPaused)
        lab.setOnline(true)
        #expect(server.pending.map(\.key) == ["rename/Bea"])
    }

    @Test func `a cancelled change is rolled back`() {
        model.save("Bea")
        model.rename.cancel()
        lab.settle()
        #expect(model.user.value?.name == "Ann")
        #expect(model.message == nil)
    }

    @Test func `a mutation of the engine is started by the lab`() {
        let api = api
        let change = lab.start { [client = lab.client] in try await client.mutate(RenameMe(name: "Bea", api: api)) }
        server.succeed(with: User(id: 42, name: "Bea"))
        #expect(change.value?.name == "Bea")
    }

    @Test func `a mutation is awaited when it has its answer`() async throws {
        let model = model
        server.succeed(with: User(id: 42, name: "Bea"))
        let user = try await lab.run { try await model.rename("Bea") }
        #expect(user.name == "Bea")
    }
}
