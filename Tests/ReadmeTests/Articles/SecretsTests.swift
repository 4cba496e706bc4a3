import Foundation
import Pigeon
import PigeonHTTP
import PigeonREST
import PigeonSQLite
import PigeonTesting
import Testing

@Suite("Article: keep secrets out of caches and logs")
struct SecretsTests {
    let api = Backend()

    struct Refused: Error {
        var token: String
    }

    struct Wrong: Error, CustomStringConvertible {
        var description: String { "wrong token hunter2" }
    }

    @Test func `events name errors, not what is in them`() {
        let lab = QueryLab()
        let fetcher = lab.fetcher(returning: User.self)
        let client = lab.client
        let user = QueryDefinition("users", 1, fetch: fetcher.fetch)
        for error: any Error in [Refused(token: "hunter2"), Wrong()] {
            let task = lab.start { try await client.refetch(user) }
            fetcher.fail(with: error)
            #expect(task.error != nil)
        }
        #expect(lab.log.filter { $0.contains("failed") }.count == 2)
        #expect(!lab.log.joined().contains("hunter2"))
    }

    @Test func `errors and dumps of HTTP hold no credentials`() async throws {
        let mock = MockTransport()
        mock.answer(.get, "/me", with: .status(.forbidden))
        mock.answer(.get, "/you", with: .text("hunter2"))
        let url = try #require(URL(string: "https://api.example.com"))
        var policy = HTTPPolicy()
        let authorization = TokenAuthorization(token: "hunter2") { _ in throw URLError(.userAuthenticationRequired) }
        policy.authorization = authorization
        let dispatcher = NetworkDispatcher(baseURL: url, transport: mock, policy: policy)
        do {
            let user: User = try await dispatcher.value(
                from: .get("/me", queryItems: [URLQueryItem(name: "token", value: "hunter2")]))
            Issue.record("\(user)")
        } catch {
            #expect(!"\(error)".contains("hunter2"))
            #expect("\(error)" == "the server answered 403 (to GET https://api.example.com/me)")
        }
        #expect(mock.requests.first?.headers["Authorization"] == "Bearer hunter2")
        let answer = try await dispatcher.response(from: .get("/you"))
        #expect(!answer.dump().contains("hunter2"))
        #expect(answer.dump(showing: [.secrets]).contains("Bearer hunter2"))
        authorization.token = nil
    }

    @Test func `keys are in clear`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("secrets-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("data.sqlite")
        let (api, client) = (api, QueryClient(cache: try SQLiteQueryCache(at: file)))
        let feed = QueryDefinition("feed") { _ in try await api.posts(page: 1) }
            .persisted()
        let balance = QueryDefinition("balance") { _ in try await api.user(1) }
        _ = try await client.fetch(feed)
        _ = try await client.fetch(balance)
        await client.flush()
        #expect(try SQLiteQueryCache(at: file).count() == 1)
        let wal = (try? Data(contentsOf: URL(fileURLWithPath: file.path + "-wal"))) ?? Data()
        #expect((try Data(contentsOf: file) + wal).range(of: Data("feed".utf8)) != nil)
        #if os(Linux) || os(macOS)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #endif
    }

    @Test @MainActor func `a query keeps its value in memory only, unless its definition is persisted`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("secrets-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("data.sqlite")
        let (api, client) = (api, QueryClient(cache: try SQLiteQueryCache(at: file)))
        let balance = QueryDefinition("balance") { _ in try await api.user(1) }
        let screen = Query(balance, client: client)
        await screen.refresh()
        #expect(screen.value?.id == 1)
        await client.flush()
        #expect(try SQLiteQueryCache(at: file).count() == 0)
    }

    @Test func `a user's name is not in the keys of a cache per user`() throws {
        let service = PigeonREST.Service(baseURL: "https://api.example.com", client: QueryClient())
        let cache = PersistentEntityCache<User>(
            in: InMemoryQueryCache(), isolation: .perUser(identifiedBy: "ann@example.com"))
        let key = try #require(cache.key(for: service.resource("/me")))
        #expect(!"\(key)".contains("ann@example.com"))
        #expect("\(key)".contains("api.example.com"))
    }

    func configure(_ service: PigeonREST.Service, token: String) {
        service.configure {
            $0.headers["Authorization"] = "Bearer \(token)"
        }
    }

    @Test func `credentials of a configuration go to the service's own host`() async throws {
        let mock = MockTransport()
        mock.answer(.get, "https://api.example.com/me", with: .text("me"))
        mock.answer(.get, "https://cdn.example.com/picture", with: .text("picture"))
        let service = PigeonREST.Service(baseURL: "https://api.example.com", networking: mock, client: QueryClient())
        configure(service, token: "hunter2")
        _ = await service.resource("/me").load().response()
        _ = await service.resource(absoluteURL: "https://cdn.example.com/picture").load().response()
        #expect(mock.requests.map { $0.headers["Authorization"] } == ["Bearer hunter2", nil])
    }
}
