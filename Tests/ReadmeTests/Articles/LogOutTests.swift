import Foundation
import Pigeon
import PigeonFleet
import PigeonHTTP
import PigeonREST
import PigeonSQLite
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("Article: log out cleanly", OwnSharedState())
struct LogOutTests {
    let api = Backend()

    @Test func `clearing empties memory and disk, and stops what runs`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("logout-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("data.sqlite")
        let api = api
        let cache = try SQLiteQueryCache(at: file)
        let client = QueryClient(cache: cache)
        let users = QueryDefinition("users") { _ in try await api.users() }.persisted()
        let observer = client.observe(users)
        _ = try await client.fetch(users)
        await client.flush()
        #expect(try cache.count() == 1)
        let asked = api.calls.count

        func logOut() async {
            do {
                try await client.clear()
            } catch {
                report("the cache could not be emptied: \(error)")
            }
            showLogin()
        }
        await logOut()
        #expect(observer.value == nil)
        #expect(try cache.count() == 0)
        #expect(problems.isEmpty)
        #expect(api.calls.count == asked)
    }

    private let log = Log()
    private var problems: [String] { log.lines }
    private func report(_ text: String) { log.lines.append(text) }
    private func showLogin() {}
    private final class Log { var lines: [String] = [] }

    @Test func `queries with a cache of their own are emptied too`() async throws {
        let (api, own, client) = (api, InMemoryQueryCache(), QueryClient())
        let users = Query<Void, [User]>(
            key: "users", behavior: .startImmediately(()), cache: own, client: client
        ) { try await api.users() }
        #expect(users.value?.count == 2)
        try await client.clear()
        #expect(users.value == nil)
        #expect(own.count == 0)
        #expect(QueryCache.global is InMemoryQueryCache)
    }

    @Test(.rule("K1")) func `a screen that stays is empty, says so, and asks again at the next sign-in`() async throws {
        let api = api
        let client = QueryClient()
        let users = Query(QueryDefinition("users") { _ in try await api.users() }, client: client)
        await until { users.value != nil }
        try await client.clear()
        #expect(users.value == nil && users.snapshot.isCleared)
        func signedIn() {
            client.invalidateWithoutWaiting(.all)
        }
        signedIn()
        await until { users.value != nil }
        #expect(!users.snapshot.isCleared)
    }

    @Test(.rule("K3"))
    func `what a fleet shares stays for the others, and what belongs to a person is removed everywhere`()
        async
    {
        struct Person { let id = 7 }
        let lab = QueryLab()
        let store = InMemoryFleetStore(clock: lab.clock)
        let (client, other) = (
            QueryClient(fleet: Fleet.Setup(store: store), environment: lab.environment),
            QueryClient(fleet: Fleet.Setup(store: store), environment: lab.environment)
        )
        let calls = Locked(0)
        func shared(_ key: QueryKey) -> QueryDefinition<Int> {
            QueryDefinition<Int>(key) { _ in
                calls.withLock { calls in
                    calls += 1
                    return calls
                }
            }.staleAfter(.never).shared()
        }
        let person = Person()
        let (news, orders) = (shared("news"), shared(["people", person.id, "orders"]))
        lab.settle()
        #expect(lab.start { try await client.fetch(all: [news, orders]) }.value == [1, 2])
        #expect(lab.start { try await other.fetch(all: [news, orders]) }.value == [1, 2])
        let isRemoved = lab.start {
            client.remove(.path("people", person.id))
            await client.flush()
            try await client.clear()
        }
        lab.settle()
        #expect(isRemoved.value != nil)
        #expect(other.value(of: news) == 1 && other.value(of: orders) == nil)
        #expect(lab.start { try await client.fetch(all: [news, orders]) }.value == [1, 3], "the store has the news")
    }

    @Test func `an answer that was on its way does not land`() {
        let lab = QueryLab()
        let fetcher = lab.fetcher(returning: [User].self, ignoringCancellation: true)
        let users = lab.client.observe(QueryDefinition("users", fetch: fetcher.fetch))
        let client = lab.client
        _ = lab.start { try await client.clear() }
        fetcher.succeed(with: [User(id: 0, name: "Ann")])
        #expect(users.value == nil)
    }

    private struct Save: DurableMutation {
        var text: String
        func run(_ context: MutationContext) async throws {}
    }

    @Test func `a person is asked before changes are lost, and the result has their number`() async throws {
        let setup = Outbox.Setup(store: InMemoryMutationStore(), mutations: [Save.self])
        let client = QueryClient(
            outbox: setup, environment: QueryEnvironment(connectivity: EnvironmentSignal(false)))
        for text in ["Milk", "Bread"] { try await client.enqueue(Save(text: text)) }
        let log = log
        func signOut(answering answer: Bool) async throws {
            func confirm(_ question: String) async -> Bool {
                log.lines.append(question)
                return answer
            }
            let unsent = client.outbox.snapshot.count
            if unsent > 0, await !confirm("\(unsent) changes are not sent yet. Sign out all the same?") { return }
            let gone = try await client.clear().discardedMutations
            log.lines.append("\(gone)")
        }
        try await signOut(answering: false)
        #expect(client.outbox.snapshot.count == 2)
        try await signOut(answering: true)
        #expect(client.outbox.snapshot.isEmpty)
        let question = "2 changes are not sent yet. Sign out all the same?"
        #expect(problems == [question, question, "2"])
    }

    private struct Rename: Mutating {
        var api: Backend
        func run(_ context: MutationContext) async throws -> User { try await api.rename(0, to: "Zoe") }
    }

    @Test func `a mutation that waits for the network is cancelled`() {
        let (lab, api) = (QueryLab(), api)
        let client = lab.client
        lab.setOnline(false)
        let change = lab.start { try await client.mutate(Rename(api: api)) }
        _ = lab.start { try await client.clear() }
        lab.setOnline(true)
        #expect(change.error is CancellationError)
        #expect(api.calls.isEmpty)
    }

    @Test func `a client for each session shares nothing`() async throws {
        let api = api
        final class Session: Sendable {
            let client: QueryClient

            init(userID: String, folder: URL) throws {
                let file = folder.appendingPathComponent("\(userID).sqlite")
                client = QueryClient(cache: try SQLiteQueryCache(at: file))
            }
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sessions-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (ann, bea) = (try Session(userID: "1", folder: folder), try Session(userID: "2", folder: folder))
        let me = QueryDefinition("me") { _ in try await api.user(0) }.persisted()
        _ = try await ann.client.fetch(me)
        #expect(bea.client.value(of: me) == nil)
    }

    @Test func `a service is wiped, and its caches are told apart by user`() async throws {
        let transport = MockTransport()
        transport.answer(.get, "/me", with: try .json(User(id: 1, name: "Ann")))
        let file = InMemoryQueryCache()
        let (userID, other) = ("1", "2")
        let service = PigeonREST.Service(
            baseURL: "https://api.example.com", networking: transport, client: QueryClient())
        service.configure("/me", decoding: User.self)
        service.configure("/me") {
            $0.pipeline[.model].cacheUsing(
                PersistentEntityCache<User>(in: file, isolation: .perUser(identifiedBy: userID)))
        }
        let me = service.resource("/me").typed(User.self)
        _ = try await me.loaded()
        await service.settlePersistentCaches()
        #expect(file.count == 1)
        let theirs = PersistentEntityCache<User>(in: file, isolation: .perUser(identifiedBy: other))
        let key = try #require(theirs.key(for: me.resource))
        #expect(theirs.readEntity(forKey: key) == nil)

        service.wipeResources()
        await service.settlePersistentCaches()
        #expect(me.content == nil)
        #expect(file.count == 0)
    }
}
