import Foundation
import Pigeon
import PigeonTesting
import TestSupport
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

extension QueryDefinition where Value == User {
    static var me: Self {
        QueryDefinition("me") { context in try await context[(any ProfileAPI).self].me() }
            .staleAfter(.minutes(5))
    }
}

struct RenameMe: Mutating {
    var name: String

    func run(_ context: MutationContext) async throws -> User {
        try await context[(any ProfileAPI).self].rename(to: name)
    }

    func optimistic(_ edits: inout OptimisticEdits) { edits.update(.me) { $0.name = name } }
    func invalidates(_ user: User) -> [KeyFilter] { [.query(.me)] }
}

struct SaveName: DurableMutation {
    var name: String

    func run(_ context: MutationContext) async throws -> User {
        try await context[(any ProfileAPI).self].rename(to: name)
    }

    func optimistic(_ edits: inout OptimisticEdits) { edits.update(.me) { $0.name = name } }
}

@MainActor
final class ProfileModel {
    let user: Query<Void, User>
    let rename: Mutation<String, User>
    private(set) var message: String?

    init(client: QueryClient) {
        user = Query(.me, client: client)
        rename = Mutation(client: client) { name in RenameMe(name: name) }
    }

    func save(_ name: String) {
        rename.execute(with: name) { [weak self] _, _ in
            self?.message = "Saved"
        } onFailure: { [weak self] _ in
            self?.message = "Not saved"
        }
    }
}

@MainActor
@Suite("Article: test mutations")
struct MutationTestingTests {
    private let lab: QueryLab
    private let server: ScriptedFetcher<User>
    private let client: QueryClient
    private let model: ProfileModel

    init() {
        lab = QueryLab()
        server = lab.fetcher(returning: User.self)
        client = QueryClient(
            dependencies: Dependencies(ScriptedProfileAPI(users: server) as any ProfileAPI),
            environment: lab.environment)
        model = ProfileModel(client: client)
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
        let client = client
        let change = lab.start { try await client.mutate(RenameMe(name: "Bea")) }
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

@Suite("Article: test mutations, a Save button")
struct SaveButtonTestingTests {
    private struct NameIsTaken: Error {}
    private struct NotQueued: Error {}

    private let lab: QueryLab
    private let server: ScriptedFetcher<User>
    private let client: QueryClient
    private let user: QueryObserver<User>

    init() {
        let lab = QueryLab()
        let server = lab.fetcher(returning: User.self)
        let client = QueryClient(
            outbox: Outbox.Setup(store: InMemoryMutationStore(), mutations: [SaveName.self]),
            dependencies: Dependencies(ScriptedProfileAPI(users: server) as any ProfileAPI),
            environment: lab.environment)
        let user = client.observe(.me)
        server.succeed(with: User(id: 42, name: "Ann"))
        (self.lab, self.server, self.client, self.user) = (lab, server, client, user)
    }

    @Test func `a change that the server makes is completed`() throws {
        let client = client
        let save = lab.start { try await client.submit(SaveName(name: "Bea")) }
        lab.settle()
        #expect(server.pending.map(\.key) == ["rename/Bea"])
        server.succeed(with: User(id: 42, name: "Bea"))
        lab.settle()
        let submission = try #require(save.value)
        #expect(submission.output?.name == "Bea")
        #expect(client.outbox.snapshot.isEmpty)
        #expect(user.value?.name == "Bea" && !user.snapshot.isOptimistic)
    }

    @Test func `without a network, a change is queued, and made later`() throws {
        let client = client
        lab.setOnline(false)
        let save = lab.start { try await client.submit(SaveName(name: "Bea")) }
        lab.settle()
        guard case .queued? = save.value else { throw NotQueued() }
        #expect(user.value?.name == "Bea" && user.snapshot.isOptimistic)
        #expect(client.outbox.snapshot.waiting.count == 1)
        lab.setOnline(true)
        server.succeed(with: User(id: 42, name: "Bea"))
        lab.settle()
        #expect(client.outbox.snapshot.isEmpty)
        #expect(server.calls.map(\.key) == ["me", "rename/Bea"])
        #expect(user.value?.name == "Bea" && !user.snapshot.isOptimistic)
    }

    @Test func `a refused change is thrown, reported and rolled back, and leaves nothing`() {
        let client = client
        let failures = Recorder<String>()
        let subscription = client.onFailure { error, _ in failures.append("\(type(of: error))") }
        let save = lab.start { try await client.submit(SaveName(name: "Bea")) }
        lab.settle()
        server.fail(with: NameIsTaken())
        lab.settle()
        #expect(save.error is NameIsTaken)
        #expect(user.value?.name == "Ann")
        #expect(client.outbox.snapshot.isEmpty)
        #expect(failures.all == ["NameIsTaken"])
        subscription.cancel()
    }

    @Test func `a change for which the connection is lost is queued`() throws {
        let client = client
        let save = lab.start { try await client.submit(SaveName(name: "Bea")) }
        lab.settle()
        server.fail(with: URLError(.timedOut))
        lab.settle()
        guard case .queued? = save.value else { throw NotQueued() }
        #expect(client.outbox.snapshot.waiting.count == 1)
    }
}
