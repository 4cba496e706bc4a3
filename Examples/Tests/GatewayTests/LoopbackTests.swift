import Foundation
import Hummingbird
import NIOCore
import PigeonHTTP
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import Gateway

@Suite("The gateway over real HTTP", .serialized, .timeLimit(.minutes(2)))
struct LoopbackTests {
    @Test func `two hundred requests at once cause one request to each upstream`() async throws {
        let upstream = MockTransport()
        for (path, text) in [("products", #"{"id": 7, "name": "Lamp"}"#), ("stock", #"{"id": 7, "count": 3}"#)] {
            upstream.answer(.get, PathPattern("/\(path)/7"), with: .text(text).after(.milliseconds(100)))
        }
        let http = NetworkDispatcher(baseURL: try #require(URL(string: "https://shop.example")), transport: upstream)
        let gateway = ShopGateway(Upstreams(products: http, stocks: http))

        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = Application(
            router: Routes(gateway, metrics: MetricsPage()).router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) })
        try await withThrowingTaskGroup(of: Offer?.self) { group in
            group.addTask {
                try await server.run()
                return nil
            }
            let address = try #require(URL(string: "http://127.0.0.1:\(await ports.first { _ in true } ?? 0)"))
            let configuration = URLSessionTransport.defaultConfiguration
            configuration.httpMaximumConnectionsPerHost = 100
            let shopper = NetworkDispatcher(baseURL: address, configuration: configuration)
            for _ in 0..<200 {
                group.addTask {
                    let response = try await shopper.response(from: BasicRequest.get("/products/7"))
                    return try response.data.map { try JSONDecoder().decode(Offer.self, from: $0) }
                }
            }
            let offer = Offer(product: Product(id: 7, name: "Lamp"), stock: Stock(id: 7, count: 3))
            for _ in 0..<200 {
                let answer = try await group.next()
                #expect(answer == offer)
            }
            group.cancelAll()
        }
        #expect(upstream.requests.count == 2)
    }
}
