import PigeonCore
import PigeonServer
import PigeonTesting
import TestSupport
import Testing

@Suite("The health of a client")
struct HealthTests {
    @Test("a client is ready until it is closed, and says what does not work", .rule("A84"))
    func health() async {
        let lab = QueryLab()
        let upstream = Upstream("catalog", limit: 1, queue: 1)
        let server = lab.fetcher(returning: Int.self)
        #expect(lab.client.health(of: [upstream]).problems.isEmpty)
        for id in 0..<2 {
            _ = lab.start { [client = lab.client] in
                try await client.fetch(QueryDefinition("items", id, fetch: server.fetch).upstream(upstream))
            }
        }
        let busy = lab.client.health(of: [upstream])
        #expect(busy.isReady && busy.fetches == 2 && busy.entries == 2 && busy.bytes == nil)
        #expect(busy.problems == ["the queue of catalog is full"])
        _ = lab.start { [client = lab.client] in await client.close(within: .zero) }
        lab.settle()
        let closed = lab.client.health()
        #expect(!closed.isReady && closed.problems == ["the client is closed"])
    }
}
