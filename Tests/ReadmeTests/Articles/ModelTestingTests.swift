import Pigeon
import PigeonTesting
import Testing

protocol SessionAPI: Sendable {
    func signOut() async throws
}

@MainActor
final class SessionModel {
    private let client: QueryClient
    private let api: any SessionAPI
    private(set) var user: User? = User(id: 42, name: "Ann")
    private(set) var isSigningOut = false

    init(client: QueryClient, api: any SessionAPI) {
        self.client = client
        self.api = api
    }

    func signOut() async throws {
        isSigningOut = true
        defer { isSigningOut = false }
        try await api.signOut()
        try await client.clear()
        user = nil
    }

    func signOutTapped() {
        Task { try? await signOut() }
    }
}

struct ScriptedSessionAPI: SessionAPI {
    let signOuts: ScriptedFetcher<Void>

    func signOut() async throws { try await signOuts.call() }
}

@MainActor
@Suite("Article: test async methods of a model", .timeLimit(.minutes(1)))
struct ModelTestingTests {
    private let lab: QueryLab
    private let server: ScriptedFetcher<Void>
    private let model: SessionModel

    init() {
        lab = QueryLab()
        server = lab.fetcher(returning: Void.self)
        model = SessionModel(client: lab.client, api: ScriptedSessionAPI(signOuts: server))
    }

    @Test func `a method is run to its end`() async throws {
        let model = model
        server.succeed(with: ())
        try await lab.run { try await model.signOut() }
        #expect(model.user == nil)
    }

    @Test func `a method is looked at halfway`() async {
        let model = model
        let signOut = lab.start { try await model.signOut() }
        await lab.settled()
        #expect(model.isSigningOut)
        server.succeed(with: ())
        await lab.settled()
        #expect(model.user == nil)
        #expect(signOut.result != nil)
    }

    @Test func `a method that was started is awaited`() async throws {
        let model = model
        let signOut = lab.start { try await model.signOut() }
        server.succeed(with: ())
        try await signOut.finished()
        #expect(model.user == nil)
    }

    @Test func `a method starts a task`() async {
        model.signOutTapped()
        await lab.settled()
        #expect(server.pendingCount == 1)
        server.succeed(with: ())
        await lab.settled()
        #expect(model.user == nil)
    }
}
