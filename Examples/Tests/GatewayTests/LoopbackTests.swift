import DemoHTTP
import Gateway
import PigeonHTTP
import Testing

@testable import GatewayCommand

@Suite("The gateway over real HTTP", .serialized, .timeLimit(.minutes(2)))
struct LoopbackTests {
    @Test func `two hundred requests at once cause one request to each upstream`() async throws {
        let products = try await SampleUpstream.products()
        let stocks = try await SampleUpstream.stocks()
        let upstreams = Upstreams(
            products: NetworkDispatcher(baseURL: products.url), stocks: NetworkDispatcher(baseURL: stocks.url))
        let started = try await Routes.start(upstreams)
        let gateway = try #require(started)
        let answers = try await Shopper(gateway.url).get("/products/7", times: 200)
        #expect(answers.count == 200 && answers.allSatisfy { $0.status == 200 && $0.body == answers[0].body })
        #expect(products.requests == 1 && stocks.requests == 1)
        try await gateway.close()
        try await products.stop()
        try await stocks.stop()
    }

    @Test func `each step of the story causes what it should`() async throws {
        var lines: [String] = []
        let holds = try await Story.play { lines.append($0) }
        #expect(holds, "\(lines.joined(separator: "\n"))")
        #expect(lines.contains { $0.contains("gateway_answers_total") })
    }
}
