import Foundation
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

import class PigeonHTTP.FixedServer
import struct PigeonHTTP.HTTPPolicy
import class PigeonHTTP.MockTransport
import class PigeonHTTP.NetworkDispatcher
import class PigeonHTTP.TokenAuthorization
import protocol PigeonHTTP.URLRequestAdapter

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Credentials of a dispatcher's policy")
struct DispatcherCredentialTests {
    let transport = MockTransport()
    let policy: HTTPPolicy

    init() {
        var policy = HTTPPolicy()
        policy.authorization = TokenAuthorization(token: "old") { _ in "new" }
        policy.headers["X-Key"] = "secret"
        policy.requestAdapters = [Signing()]
        self.policy = policy
        transport.answer(.get, "https://api.test/a", with: .status(.unauthorized), then: .text("one"))
        transport.answer(.get, "https://evil.test/a", with: .text("two"))
        transport.answer(.get, "https://api.test/b", with: .text("three"))
    }

    private func sent(to host: String) -> [[String?]] {
        transport.requests.filter { $0.url.host() == host }.map {
            [$0.headers["Authorization"], $0.headers["X-Key"], $0.headers["X-Signed"]]
        }
    }

    @Test("go to the server, and are renewed once when it refuses them")
    func own() async throws {
        let url = try #require(URL(string: "https://api.test"))
        let dispatcher = NetworkDispatcher(baseURL: url, transport: transport, policy: policy)
        let service = Service(baseURL: "https://api.test", networking: dispatcher, client: QueryClient())
        #expect(try await service.resource("a").loaded().text == "one")
        #expect(sent(to: "api.test") == [["Bearer old", "secret", "by me"], ["Bearer new", "secret", "by me"]])
    }

    @Test("do not go to other servers that a link leads to", .rule("Siesta S33"))
    func foreign() async throws {
        let url = try #require(URL(string: "https://api.test"))
        let dispatcher = NetworkDispatcher(baseURL: url, transport: transport, policy: policy)
        let service = Service(baseURL: "https://api.test", networking: dispatcher, client: QueryClient())
        #expect(try await service.resource("b").relative("https://evil.test/a").loaded().text == "two")
        #expect(sent(to: "evil.test") == [[nil, nil, nil]])
        #expect(try await service.resource("b").loaded().text == "three")
        #expect(sent(to: "api.test") == [["Bearer old", "secret", "by me"]])
    }

    @Test("go to the server that a provider is told of, and to no other", .rule("Siesta S33"))
    func provider() async throws {
        let server = try #require(URL(string: "https://api.test/v1"))
        let provider = HTTPTransportProvider(transport, policy: policy, server: server)
        let service = Service(baseURL: "https://api.test", networking: provider, client: QueryClient())
        #expect(try await service.resource("b").loaded().text == "three")
        #expect(try await service.resource("b").relative("https://evil.test/a").loaded().text == "two")
        #expect(sent(to: "api.test") == [["Bearer old", "secret", "by me"]])
        #expect(sent(to: "evil.test") == [[nil, nil, nil]])
    }

    @Test("do not go anywhere with a provider that knows of no server", .rule("Siesta S33"))
    func unknown() async throws {
        let provider = HTTPTransportProvider(transport, policy: policy)
        let service = Service(baseURL: "https://api.test", networking: provider, client: QueryClient())
        #expect(try await service.resource("b").loaded().text == "three")
        #expect(sent(to: "api.test") == [[nil, nil, nil]])
    }

    @Test("header fields that say nothing of who asks go everywhere", .rule("Siesta S33"))
    func harmless() async throws {
        let url = try #require(URL(string: "https://api.test"))
        var policy = policy
        policy.headers["User-Agent"] = "pigeon"
        let dispatcher = NetworkDispatcher(baseURL: url, transport: transport, policy: policy)
        let service = Service(baseURL: "https://api.test", networking: dispatcher, client: QueryClient())
        _ = try await service.resource(absoluteURL: "https://evil.test/a").loaded()
        #expect(transport.requests.last?.headers["User-Agent"] == "pigeon")
    }

    @Test("A dispatcher whose server provider is gone says so, and sends nothing")
    func gone() async throws {
        let dispatcher = NetworkDispatcher(
            serverProvider: FixedServer(URL(string: "https://api.test")), transport: transport, policy: policy)
        let service = Service(baseURL: "https://api.test", networking: dispatcher, client: QueryClient())
        let response = await service.resource("b").load().response().response
        #expect(response.error?.cause.map { "\($0)" }?.contains("server provider") == true)
        #expect(transport.requests.isEmpty)
    }
}

private struct Signing: URLRequestAdapter {
    func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        request.setValue("by me", forHTTPHeaderField: "X-Signed")
        return request
    }
}
