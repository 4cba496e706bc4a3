package import DemoHTTP
import Foundation
import NIOConcurrencyHelpers
import NIOHTTP1
package import PigeonCore

/// The paths, statuses and headers of the gateway.
package struct Routes: Sendable {
    let gateway: ShopGateway
    private let metrics: Metrics
    private let events: QuerySubscription

    init(_ gateway: ShopGateway) {
        let (client, metrics) = (gateway.client, Metrics())
        (self.gateway, self.metrics, self.events) = (gateway, metrics, client.onEvent { metrics.count($0) })
    }

    /// Starts the gateway on loopback. It runs until the caller closes or releases the listener.
    package static func start(
        _ upstreams: Upstreams, environment: QueryEnvironment = QueryEnvironment()
    ) async throws -> Listener<HandlerSite>? {
        let routes = Routes(ShopGateway(upstreams, environment: environment))
        return try await Listener.open(host: "127.0.0.1", port: 0, site: HandlerSite { await routes.respond(to: $0) })
    }

    func respond(to request: Request) async -> Response {
        do {
            switch (request.method, request.path) {
            case (.GET, ["metrics"]): return Response(status: .ok, body: Data(metrics.text.utf8))
            case (.GET, let path) where path.count == 2 && path[0] == "products":
                guard let id = Int(path[1]) else { return Response(status: .notFound) }
                let (offer, age, cache) = try await gateway.offer(id)
                metrics.count("answers", cache)
                return try .json(offer, headers: ["Age": "\(age.components.seconds)", "X-Cache": cache])
            case (.POST, ["webhooks", "stock"]):
                gateway.stockChanged(of: try JSONDecoder().decode([Int].self, from: request.body))
            case (.POST, ["webhooks", "stock", "all"]): gateway.allStockChanged()
            default: return Response(status: .notFound)
            }
            return Response(status: .noContent)
        } catch {
            let status = HTTPResponseStatus(statusCode: ShopGateway.status(of: error))
            return (try? .json(["message": error.userMessage], status: status)) ?? Response(status: status)
        }
    }
}

/// Counts answers, and the events of a client, in the text format of Prometheus.
final class Metrics: Sendable {
    private let counts = NIOLockedValueBox<[String: Int]>([:])

    func count(_ name: String, _ label: String) {
        counts.withLockedValue { $0["gateway_\(name)_total{of=\"\(label)\"}", default: 0] += 1 }
    }
    func count(_ event: QueryEvent) {
        let query = event.key?.components.first ?? ""
        if case .fetching = event.kind { count("fetches", query) }
        if case .joined = event.kind { count("joined", query) }
        if event.kind.isFailure { count("failures", query) }
    }
    var text: String { counts.withLockedValue { $0.map { "\($0.key) \($0.value)\n" } }.sorted().joined() }
}
