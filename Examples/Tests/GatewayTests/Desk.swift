import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import PigeonCore
import PigeonFleet
import PigeonServer
import PigeonTesting
import Testing

@testable import Gateway

/// The gateway in a lab, between two upstreams whose answers a test decides.
struct Desk {
    let lab = QueryLab(seed: 7)
    let products: ScriptedFetcher<Product>
    let stocks: ScriptedFetcher<Stock>
    let store: InMemoryFleetStore
    let gateway: ShopGateway
    private let site: Site
    private let metrics: QuerySubscription

    /// - Parameters:
    ///   - allowsStale: True if the stock's server allows its answers to be used for 10 s while they are fetched again, and
    ///     for 60 s if that fails.
    ///   - isShared: True for one of several processes with the same store.
    init(allowsStale: Bool = false, isShared: Bool = false) {
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
        store = InMemoryFleetStore(clock: lab.clock)
        let fleet = isShared ? Fleet.Setup(store: store) : nil
        gateway = ShopGateway(upstreams, fleet: fleet, environment: lab.environment)
        let page = MetricsPage()
        site = Site(Routes(gateway, metrics: page))
        metrics = gateway.client.recordMetrics(of: gateway.limits, with: page)
    }

    var client: QueryClient { gateway.client }

    func get(_ path: String) -> LabTask<Answer> { lab.start { [site] in try await site.answer(to: .get, path) } }
    func post(_ path: String, _ body: String = "") -> LabTask<Answer> {
        lab.start { [site] in try await site.answer(to: .post, path, body) }
    }

    /// Requests a product whose parts are not in memory, and answers for the upstreams.
    func receive(_ id: Int, count: Int = 3) {
        let task = get("/products/\(id)")
        products.succeed(with: Product(id: id, name: "Lamp"))
        stocks.succeed(with: Stock(id: id, count: count))
        #expect(task.value?.status == .ok)
    }
}

/// The routes of a gateway, without a server.
struct Site: Sendable {
    private let responder: RouterResponder<BasicRequestContext>

    init(_ routes: Routes) { responder = routes.router.buildResponder() }

    func answer(to method: HTTPRequest.Method, _ path: String, _ body: String = "") async throws -> Answer {
        let head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test"))
        let context = BasicRequestContext(source: source)
        let response: Response
        do {
            response = try await responder.respond(to: request, context: context)
        } catch let error as any HTTPResponseError {
            // As the server does it.
            response = try error.response(from: request, context: context)
        }
        let content = Content()
        try await response.body.write(content)
        return Answer(status: response.status, headers: response.headers, text: content.text.withLockedValue { $0 })
    }
}

/// An answer as a client of the gateway receives it.
struct Answer: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let text: String

    var offer: Offer? { try? JSONDecoder().decode(Offer.self, from: Data(text.utf8)) }
    var cache: String? { headers[.xCache] }
    var age: String? { headers[.age] }
}

/// Collects the body of a response.
private final class Content: ResponseBodyWriter, Sendable {
    let text = NIOLockedValueBox("")

    func write(_ buffer: ByteBuffer) async throws { text.withLockedValue { $0 += String(buffer: buffer) } }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// An upstream's answer with a status.
struct Status: TransientErrorType {
    let statusCode: Int?
}
