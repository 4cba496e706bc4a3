import DemoHTTP
import Foundation
import NIOHTTP1
import PigeonCore
import PigeonTesting
import Testing

@testable import Gateway

/// The gateway in a lab, between two upstreams whose answers a test decides.
struct Desk {
    let lab = QueryLab(seed: 7)
    let products: ScriptedFetcher<Product>
    let stocks: ScriptedFetcher<Stock>
    let routes: Routes

    /// - Parameter allowsStale: True if the stock's server allows its answers to be used for 10 s while they are fetched
    ///   again, and for 60 s if that fails.
    init(allowsStale: Bool = false) {
        let products = lab.fetcher(returning: Product.self)
        let stocks = lab.fetcher(returning: Stock.self)
        let upstreams = Upstreams(
            product: { _, context in try await products.fetch(context) },
            stock: { _, context in
                if allowsStale { context.allowsStale(whileRevalidating: .seconds(10), ifError: .seconds(60)) }
                return try await stocks.fetch(context)
            })
        self.products = products
        self.stocks = stocks
        routes = Routes(ShopGateway(upstreams, environment: lab.environment))
    }

    var client: QueryClient { routes.gateway.client }

    func get(_ path: String) -> LabTask<Response> { send(Self.request(.GET, path)) }
    func post(_ path: String, _ body: String = "") -> LabTask<Response> { send(Self.request(.POST, path, body)) }

    static func request(_ method: HTTPMethod, _ path: String, _ body: String = "") -> Request {
        Request(head: HTTPRequestHead(version: .http1_1, method: method, uri: path), body: Data(body.utf8))
    }

    private func send(_ request: Request) -> LabTask<Response> {
        lab.start { [routes] in await routes.respond(to: request) }
    }

    /// Requests a product whose parts are not in memory, and answers for the upstreams.
    func receive(_ id: Int, count: Int = 3) {
        let task = get("/products/\(id)")
        products.succeed(with: Product(id: id, name: "Lamp"))
        stocks.succeed(with: Stock(id: id, count: count))
        #expect(task.value?.status == .ok)
    }
}

extension Response {
    var offer: Offer? { try? JSONDecoder().decode(Offer.self, from: body) }
    var text: String { String(decoding: body, as: UTF8.self) }
    var cache: String? { headers.first(name: "X-Cache") }
    var age: String? { headers.first(name: "Age") }
}

/// An upstream's answer with a status.
struct Status: TransientErrorType {
    let statusCode: Int?
}
