import Foundation
import Observation
import Pigeon
import PigeonHTTP
import TestSupport
import Testing

#if canImport(Security)
    import Security
#endif

@MainActor
@Suite("Article: sign in, and stay signed in")
struct SignInTests {
    @MainActor @Observable
    final class Session {
        private(set) var isSignedIn: Bool
        let client: QueryClient
        private let keeper: TokenKeeper
        private let authorization: TokenAuthorization
        private var failures: QuerySubscription?

        init(
            baseURL: URL, transport: any HTTPTransport, secrets: any SecretStore, outbox: Outbox.Setup,
            environment: QueryEnvironment = QueryEnvironment()
        ) {
            let keeper = TokenKeeper(secrets, server: NetworkDispatcher(baseURL: baseURL, transport: transport))
            let token = secrets.tokens?.access
            let authorization = TokenAuthorization(token: token) { _ in try await keeper.renew() }
            var policy = HTTPPolicy()
            policy.authorization = authorization
            let server = NetworkDispatcher(baseURL: baseURL, transport: transport, policy: policy)
            client = QueryClient(outbox: outbox, dependencies: Dependencies(server), environment: environment)
            (self.keeper, self.authorization) = (keeper, authorization)
            isSignedIn = token != nil
            failures = client.onFailure { [weak self] _, event in
                guard event.failureReason == .unauthorized else { return }
                Task { @MainActor [weak self] in self?.isSignedIn = false }
            }
        }

        func signIn(_ name: String, _ password: String) async throws {
            authorization.token = try await keeper.signIn(name, password)
            isSignedIn = true
            client.outbox.resume()  // makes the changes that wait for new credentials
            client.invalidateWithoutWaiting(.all)
        }

        func signOut() async throws {
            authorization.token = nil
            isSignedIn = false
            try await keeper.signOut()
            try await client.clear()
        }
    }

    func message(ofSignIn error: any Error) -> String {
        (error as? HTTPError)?.statusCode == 401 ? "Wrong name or password." : error.userMessage
    }

    struct AddNote: DurableMutation {
        var title: String

        func run(_ context: MutationContext) async throws -> [String] {
            let headers = ["Idempotency-Key": context.idempotencyKey]
            let request = BasicRequest.post("/notes", json: ["title": title], headers: headers)
            return try await context[NetworkDispatcher.self].value(from: request)
        }
    }

    /// Secrets in memory.
    final class SecretBox: SecretStore {
        private let secret: Locked<Data?>
        init(_ tokens: Tokens?) { secret = Locked(tokens.flatMap { try? JSONEncoder().encode($0) }) }
        func read() -> Data? { secret.withLock { $0 } }
        func write(_ new: Data?) throws { secret.withLock { $0 = new } }
    }

    private let notes = QueryDefinition<[String]>("notes") { context in
        try await context[NetworkDispatcher.self].value(from: .get("/notes"))
    }
    private let transport = MockTransport()
    private let secrets = SecretBox(Tokens(access: "old", refresh: "r1"))
    private let new = Tokens(access: "new", refresh: "r2")

    /// Makes the server accept the new token only.
    private func accept(_ token: String) {
        for method in [HTTPMethod.get, .post] {
            transport.answer(method, "/notes") { request, _ in
                guard request.headers["Authorization"] == "Bearer \(token)" else { return .status(.unauthorized) }
                return try .json(["Milk"])
            }
        }
    }

    private func session() throws -> Session {
        let url = try #require(URL(string: "https://api.example.com"))
        let outbox = Outbox.Setup(store: InMemoryMutationStore(), mutations: [AddNote.self])
        return Session(baseURL: url, transport: transport, secrets: secrets, outbox: outbox)
    }

    private func count(_ path: String) -> Int { transport.requests.count { $0.path == path } }

    @Test func `two dispatchers are enough to renew a token`() async throws {
        accept("new")
        transport.answer(.post, "/token", with: try .json(new))
        let url = try #require(URL(string: "https://api.example.com"))
        let client = signedInClient(with: Tokens(access: "old", refresh: "r1"), at: url, over: transport)
        for _ in 1...2 { #expect(try await client.refetch(notes) == ["Milk"]) }
        #expect(count("/token") == 1 && count("/notes") == 3)
        let renewal = try #require(transport.requests.first { $0.path == "/token" })
        #expect(renewal.headers["Authorization"] == nil)
    }

    @Test func `requests that are refused together are renewed once, and the new tokens are saved`() async throws {
        accept("new")
        transport.answer(.post, "/token", with: try .json(new))
        let session = try session()
        let other = QueryDefinition<[String]>("others") { context in
            try await context[NetworkDispatcher.self].value(from: .get("/notes"))
        }
        #expect(try await session.client.fetch(all: [notes, other]) == [["Milk"], ["Milk"]])
        #expect(count("/token") == 1)
        #expect(secrets.tokens == new)
        let renewal = try #require(transport.requests.first { $0.path == "/token" })
        #expect(renewal.headers["Authorization"] == nil)
        #expect(try renewal.json([String: String].self) == ["refresh": "r1"])
        #expect(session.isSignedIn)
    }

    @Test(arguments: [StatusCode.unauthorized, .badRequest])
    func `if the renewal is refused, the 401 stays the error, and the login appears`(status: StatusCode) async throws {
        accept("new")
        transport.answer(.post, "/token", with: .status(status))
        let session = try session()
        let error = await #expect(throws: HTTPError.self) { try await session.client.fetch(notes) }
        #expect(error?.statusCode == 401)
        #expect(error?.userMessage == "Please sign in.")
        guard case .status(let answer)? = error else { return }
        #expect(answer.error.cause != nil)
        await until { !session.isSignedIn }
    }

    @Test func `a renewal that may succeed later is no sign-out, and the next request renews`() async throws {
        accept("new")
        transport.answer(.post, "/token", with: .error(URLError(.cannotConnectToHost)), then: try .json(new))
        let session = try session()
        let reasons = Recorder<FailureReason?>()
        let failures = session.client.onFailure { _, event in reasons.append(event.failureReason) }
        let error = await #expect(throws: HTTPError.self) { try await session.client.fetch(notes) }
        #expect(error?.statusCode == nil && error?.isTransient == true)
        #expect(error?.userMessage == "Could not connect to the server.")
        #expect(try await session.client.fetch(notes) == ["Milk"])
        #expect(reasons.all == [.noConnection])
        #expect(session.isSignedIn && secrets.tokens == new)
        failures.cancel()
    }

    @Test func `a queued change waits for the sign-in, and is then made`() async throws {
        accept("fresh")
        transport.answer(.post, "/token", with: .status(.unauthorized))
        transport.answer(.post, "/sign-in", with: try .json(Tokens(access: "fresh", refresh: "r3")))
        let session = try session()
        let client = session.client
        try await client.enqueue(AddNote(title: "Milk"))
        await until { !session.isSignedIn }
        await until { client.outbox.snapshot.waiting.first?.stage == .waiting(.authorization) }
        try await session.signIn("Ann", "secret")
        await until { client.outbox.snapshot.isEmpty }
        #expect(session.isSignedIn)
        #expect(transport.requests.last { $0.path == "/notes" }?.headers["Authorization"] == "Bearer fresh")
        #expect(secrets.tokens?.refresh == "r3")
        let keys = transport.requests.filter { $0.path == "/notes" }.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && Set(keys).count == 1)
    }

    @Test func `a queued change is not set aside while the renewal has no answer`() async throws {
        accept("new")
        transport.answer(.post, "/token", with: .status(.serviceUnavailable), then: try .json(new))
        let session = try session()
        let client = session.client
        let enqueued = try await client.enqueue(AddNote(title: "Milk"))
        let id = try #require(enqueued.id)
        await until { client.outbox.snapshot.isEmpty || client.outbox.snapshot.waiting.first?.error != nil }
        #expect(client.outbox.snapshot.setAside.isEmpty)
        try? await client.outbox.retry(id)  // has ended if its own attempt was sooner
        await until { client.outbox.snapshot.isEmpty }
        #expect(session.isSignedIn && count("/token") == 2)
    }

    @Test func `a wrong password has a text of its own`() async throws {
        transport.answer(
            .post, "/sign-in", with: .status(.unauthorized), then: .error(URLError(.notConnectedToInternet)))
        let session = try session()
        let texts = ["Wrong name or password.", "The Internet connection appears to be offline."]
        for text in texts {
            do {
                try await session.signIn("Ann", "wrong")
                Issue.record("signed in")
            } catch {
                #expect(message(ofSignIn: error) == text)
            }
        }
    }

    @Test func `signing out leaves no token and no data`() async throws {
        accept("old")
        let session = try session()
        #expect(try await session.client.fetch(notes) == ["Milk"])
        try await session.signOut()
        #expect(!session.isSignedIn && secrets.read() == nil)
        #expect(session.client.value(of: notes) == nil)
        await #expect(throws: HTTPError.self) { try await session.client.fetch(notes) }
        #expect(transport.requests.last?.headers["Authorization"] == nil)
        #expect(count("/token") == 0)
    }

    @Test func `tokens that arrive after the sign-out are not saved`() async throws {
        let url = try #require(URL(string: "https://api.example.com"))
        let keeper = TokenKeeper(secrets, server: NetworkDispatcher(baseURL: url, transport: transport))
        let new = new
        transport.answer(.post, "/token") { _, _ in
            try await keeper.signOut()
            return try .json(new)
        }
        await #expect(throws: SignedOut.self) { try await keeper.renew() }
        #expect(secrets.read() == nil)
    }

    @Test func `a file of secrets can be read by its owner only`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("secret-\(UUID())")
        defer { try? FileManager.default.removeItem(at: url) }
        let file = SecretFile(url: url)
        #expect(file.read() == nil)
        for tokens in [Tokens(access: "a", refresh: "b"), new] {
            try file.write(JSONEncoder().encode(tokens))
            #expect(file.tokens == tokens)
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
        try file.write(nil)
        #expect(file.read() == nil)
    }
}

func signedInClient(
    with tokens: Tokens, at baseURL: URL, over transport: any HTTPTransport = URLSessionTransport(),
    in environment: QueryEnvironment = QueryEnvironment()
) -> QueryClient {
    let plain = NetworkDispatcher(baseURL: baseURL, transport: transport)
    var policy = HTTPPolicy()
    policy.authorization = TokenAuthorization(token: tokens.access) { _ in
        let new: Tokens = try await plain.value(from: .post("/token", json: ["refresh": tokens.refresh]))
        return new.access
    }
    let server = NetworkDispatcher(baseURL: baseURL, transport: transport, policy: policy)
    return QueryClient(dependencies: Dependencies(server), environment: environment)
}

struct Tokens: Codable, Equatable, Sendable {
    var access: String
    var refresh: String
}

struct SignedOut: Error {}

actor TokenKeeper {
    private var tokens: Tokens?
    private let secrets: any SecretStore
    private let server: NetworkDispatcher  // without the authorization

    init(_ secrets: any SecretStore, server: NetworkDispatcher) {
        (self.secrets, self.server) = (secrets, server)
        tokens = secrets.tokens
    }

    func signIn(_ name: String, _ password: String) async throws -> String {
        keep(try await server.value(from: .post("/sign-in", json: ["name": name, "password": password])))
    }

    func renew() async throws -> String {
        guard let old = tokens else { throw SignedOut() }
        let new: Tokens = try await server.value(from: .post("/token", json: ["refresh": old.refresh]))
        guard tokens == old else { throw SignedOut() }  // the person has signed out in the meantime
        return keep(new)
    }

    func signOut() throws {
        tokens = nil
        try secrets.write(nil)
    }

    private func keep(_ new: Tokens) -> String {
        tokens = new
        try? secrets.write(JSONEncoder().encode(new))  // unsaved tokens last until the program ends
        return new.access
    }
}

protocol SecretStore: Sendable {
    func read() -> Data?
    func write(_ secret: Data?) throws
}

extension SecretStore {
    var tokens: Tokens? { read().flatMap { try? JSONDecoder().decode(Tokens.self, from: $0) } }
}

struct SecretFile: SecretStore {
    let url: URL

    func read() -> Data? { try? Data(contentsOf: url) }

    func write(_ secret: Data?) throws {
        try? FileManager.default.removeItem(at: url)
        guard let secret else { return }
        let file = open(url.path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
        try FileHandle(fileDescriptor: file, closeOnDealloc: true).write(contentsOf: secret)
    }
}

#if canImport(Security)
    struct Keychain: SecretStore {
        private var item: [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "Notes",
                kSecAttrAccount as String: "tokens",
            ]
        }

        func read() -> Data? {
            var query = item
            query[kSecReturnData as String] = true
            var found: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
            return found as? Data
        }

        func write(_ secret: Data?) throws {
            SecItemDelete(item as CFDictionary)
            guard let secret else { return }
            var new = item
            new[kSecValueData as String] = secret
            let status = SecItemAdd(new as CFDictionary, nil)
            guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
        }
    }
#endif
