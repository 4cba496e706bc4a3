import Foundation
import PigeonCore
import PigeonOutbox
import PigeonHTTP
import PigeonTesting
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Failures on the way to a server")
struct LocalFailureTests {
    private struct LockedKeychain: Error {
        let secret = "hush"
    }

    private struct Throwing: URLRequestAdapter {
        let error: any Error

        func adapt(_ request: URLRequest) async throws -> URLRequest { throw error }
    }

    private struct Unwritable: Encodable {
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue("hush", EncodingError.Context(codingPath: [], debugDescription: "hush"))
        }
    }

    private let server = StubServer()
    private let post = BasicRequest(method: .post, path: "/notes")

    private func error(
        of request: BasicRequest, answering status: Int = 200, limit: Int? = nil, change: (inout HTTPPolicy) -> Void
    ) async -> HTTPError? {
        var policy = HTTPPolicy()
        policy.requestsPerHost = limit
        change(&policy)
        let transport = StubTransport { _ in .answer(status, [:], "body") }
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
        do throws(HTTPError) {
            try await dispatcher.send(request)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "a 401 stays a 401 for the program, the person and the outbox, whatever the renewal throws", .rule("D17", "K5"),
        arguments: [
            LockedKeychain(), CocoaError(.fileReadNoSuchFile), URLError(.userAuthenticationRequired),
            HTTPError.status(400), HTTPError.status(403), HTTPError.other(LockedKeychain()),
            HTTPError.decoding(.unexpectedEmptyResponse, Answer(body: "hush")),
            EncodingError.invalidValue("hush", EncodingError.Context(codingPath: [], debugDescription: "hush")),
        ] as [any Error])
    func refusedRenewal(thrown: any Error) async throws {
        let found = await error(of: post, answering: 401) { policy in
            policy.authorization = TokenAuthorization(token: "expired") { _ in throw thrown }
        }
        let error = try #require(found)
        #expect(error.statusCode == 401)
        #expect(!error.isTransient)
        #expect(error.userMessage == HTTPError.status(401).userMessage)
        #expect(error.localizedDescription == error.userMessage)
        #expect(MutationFailure(error, retry: .persistent) == .unauthorized)
        guard case .status(let answer) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(answer.data == Data("body".utf8))
        #expect(answer.error.cause != nil)
        #expect("\(error)".hasPrefix("the server answered 401 (to POST https://example.com/notes); the cause: "))
        #expect(!"\(error)".contains("hush"))
    }

    @Test("a stream that is refused is a 401 too, and gives its permit back before the renewal", .rule("D17", "K5"))
    func refusedStream() async throws {
        let asking = Locked<NetworkDispatcher?>(nil)
        var policy = HTTPPolicy()
        policy.requestsPerHost = 1
        policy.authorization = TokenAuthorization(token: "expired") { _ in
            let own = asking.withLock { $0 }
            return try await own?.string(from: BasicRequest(method: .get, path: "/token")) ?? ""
        }
        let transport = StubTransport { _ in .answer(401, [:], "body") }
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
        asking.withLock { $0 = dispatcher }
        await #expect {
            _ = try await dispatcher.stream(from: post)
        } throws: { error in
            (error as? HTTPError)?.statusCode == 401
        }
        #expect(transport.requests.map(\.url.path) == ["/notes", "/token"])
        asking.withLock { $0 = nil }
    }

    @Test(
        "a renewal that may succeed later is no refusal: the request fails as without a network, and is tried again",
        .rule("D17", "K5"),
        arguments: [URLError(.notConnectedToInternet), HTTPError.status(503), HTTPError.transport(URLError(.timedOut))]
            as [any Error])
    func passingRenewal(thrown: any Error) async throws {
        let found = await error(of: post, answering: 401) { policy in
            policy.authorization = TokenAuthorization(token: "expired") { _ in throw thrown }
        }
        let error = try #require(found)
        #expect(error.statusCode != 401)
        #expect(error.isTransient)
        #expect(MutationFailure(error, retry: .persistent) == .transient)
    }

    @Test(
        "without a token, nothing is renewed, and the 401 is the answer", .rule("D17", "K5"), arguments: [nil, "new"])
    func withoutToken(signedInMeanwhile token: String?) async throws {
        let renewals = Locked(0)
        let authorization = TokenAuthorization { _ in
            renewals.withLock { $0 += 1 }
            return "renewed"
        }
        let transport = StubTransport { request in
            guard request.headers["Authorization"] == nil else { return .ok("welcome") }
            if let token { authorization.token = token }
            return .answer(401)
        }
        var policy = HTTPPolicy()
        policy.authorization = authorization
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
        let answer = try await dispatcher.response(from: post)
        #expect(answer.statusCode.rawValue == (token == nil ? 401 : 200))
        #expect(renewals.withLock { $0 } == 0)
        #expect(transport.requests.map { $0.headers["Authorization"] } == (token == nil ? [nil] : [nil, "Bearer new"]))
    }

    @Test(
        "an adapter's error is not the server's refusal: a change is tried again, and a status is not the answer's",
        .rule("D17", "K5"),
        arguments: [
            LockedKeychain(), HTTPError.status(401), HTTPError.status(403), HTTPError.status(409),
            HTTPError.status(422),
            HTTPError.decoding(.unexpectedEmptyResponse, Answer(body: "hush")), CocoaError(.fileReadNoSuchFile),
        ] as [any Error])
    func adapters(thrown: any Error) async throws {
        let found = await error(of: post) { $0.requestAdapters = [Throwing(error: thrown)] }
        let error = try #require(found)
        #expect(error.statusCode == nil)
        #expect(error.isLocal)
        #expect(MutationFailure(error, retry: .persistent) == .transient)
        #expect(!"\(error)".contains("hush"))
    }

    @Test("a status that a dispatcher of your own reports stays a refusal", .rule("D17", "K5"))
    func ownDispatcher() {
        struct Refused: TransientErrorType {
            var statusCode: Int? { 422 }
        }
        #expect(MutationFailure(HTTPError.other(Refused()), retry: .persistent) == .refused)
        #expect(MutationFailure(HTTPError.status(422), retry: .persistent) == .refused)
    }

    @Test("a value that cannot be encoded was never sent, and its text says so", .rule("D17", "K5"))
    func encoding() async throws {
        let found = await error(of: .post("/notes", json: Unwritable())) { _ in }
        let error = try #require(found)
        let plain = EncodingError.invalidValue("hush", EncodingError.Context(codingPath: [], debugDescription: "hush"))
        for error in [error, plain] as [any Error] {
            #expect(MutationFailure(error, retry: .persistent) == .refused)
            let label = TransientError.label(error)
            #expect(label.contains("nothing was sent") || label.contains("neither sent nor stored"))
            #expect(!TransientError.label(error).contains("hush"))
        }
    }
}
