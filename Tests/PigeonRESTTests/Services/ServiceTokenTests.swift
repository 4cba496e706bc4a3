import Foundation
import PigeonCore
import PigeonHTTP
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Token refresh below a service")
struct ServiceTokenTests {
    @Test("all loads that are refused wait for one refresh, and go again once", .rule("R7"))
    func singleFlight() async throws {
        let transport = MockTransport()
        let isOpen = Gate()
        transport.answer(.get, "/users/:id") { request, values in
            guard request.headers["Authorization"] == "Bearer new" else { return .status(.unauthorized) }
            return .text(values["id"] ?? "")
        }
        let refreshes = Locked(0)
        let tokens = TokenAuthorization(token: "old") { _ in
            refreshes.withLock { $0 += 1 }
            await isOpen.wait()
            return "new"
        }
        var policy = HTTPPolicy()
        policy.authorization = tokens
        let url = try #require(URL(string: "https://api.test"))
        let dispatcher = NetworkDispatcher(baseURL: url, transport: transport, policy: policy)
        let service = Service(baseURL: "https://api.test", networking: dispatcher, client: QueryClient())
        let requests = (0..<8).map { service.resource("/users/\($0)").load() }
        await transport.requests(count: 8)
        isOpen.open()
        for (number, request) in requests.enumerated() {
            #expect(await request.response().response.content(String.self) == "\(number)")
        }
        #expect(refreshes.withLock { $0 } == 1)
        #expect(transport.requests.count == 16)
    }

    private struct LockedKeychain: Error {}

    private struct Throwing: URLRequestAdapter {
        func adapt(_ request: URLRequest) async throws -> URLRequest { throw LockedKeychain() }
    }

    /// The error of a load over a dispatcher with a policy.
    private func failure(_ change: (inout HTTPPolicy) -> Void) async throws -> ResourceRequestError {
        let transport = MockTransport()
        transport.answer(.get, "/me", with: .text("no", status: .unauthorized))
        var policy = HTTPPolicy()
        change(&policy)
        let url = try #require(URL(string: "https://api.test"))
        let dispatcher = NetworkDispatcher(baseURL: url, transport: transport, policy: policy)
        let service = Service(baseURL: url, networking: dispatcher, client: QueryClient())
        let response = await service.resource("/me").load().response().response
        return try #require(response.error)
    }

    @Test("a 401 stays a 401 for a resource too, if the renewal throws", .rule("D17", "K5"))
    func refusedRenewal() async throws {
        let error = try await failure { policy in
            policy.authorization = TokenAuthorization(token: "expired") { _ in throw LockedKeychain() }
        }
        #expect(error.httpStatusCode == 401)
        #expect(error.userMessage == "Unauthorized")
        #expect(error.entity?.content as? String == "no")
        #expect(MutationFailure(error, retry: .persistent) == .unauthorized)
    }

    @Test("an adapter's error is not the server's refusal of a resource's request", .rule("D17", "K5"))
    func adapter() async throws {
        let error = try await failure { $0.requestAdapters = [Throwing()] }
        #expect(error.cause is LockedKeychain)
        #expect(error.httpStatusCode == nil)
        #expect(MutationFailure(error, retry: .persistent) == .transient)
    }
}
