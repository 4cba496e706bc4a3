import Foundation
import Pigeon
import PigeonTesting
import Testing

// The gateway of the article is linked into the folder `Gateway`, so that the article shows the gateway itself.

@Suite("Article: build a gateway")
struct GatewayTests {
    let lab = QueryLab()

    @Test func `if a service fails, its stale value is answered with the fresh value of the other`() {
        let products = lab.fetcher(returning: Product.self)
        let stocks = lab.fetcher(returning: Stock.self)
        let upstreams = Upstreams(
            product: { _, context in try await products.fetch(context) },
            stock: { _, context in try await stocks.fetch(context) })
        let gateway = ShopGateway(upstreams, environment: lab.environment)
        let offer = lab.start { try await gateway.offer(7) }
        #expect(products.pendingCount == 1 && stocks.pendingCount == 1)
        products.succeed(with: Product(id: 7, name: "Lamp"))
        stocks.succeed(with: Stock(id: 7, count: 3))
        #expect(offer.value?.cache == "miss")
        lab.advance(by: .minutes(5))
        let later = lab.start { try await gateway.offer(7) }
        products.fail(with: URLError(.cannotConnectToHost))
        stocks.succeed(with: Stock(id: 7, count: 2))
        #expect(later.value?.offer == Offer(product: Product(id: 7, name: "Lamp"), stock: Stock(id: 7, count: 2)))
    }
}
