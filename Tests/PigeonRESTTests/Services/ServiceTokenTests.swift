import Foundation
import PigeonCore
import PigeonHTTP
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Token refresh below a service")
struct ServiceTokenTests {
    @Test("R7: all loads that are refused wait for one refresh, and go again once")
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
}
