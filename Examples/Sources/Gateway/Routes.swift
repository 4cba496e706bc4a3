import Foundation
import HTTPTypes
package import Hummingbird
import Metrics
import PigeonCore
import PigeonServer

/// The paths, statuses and headers of the gateway.
package struct Routes: Sendable {
    let gateway: ShopGateway
    let metrics: MetricsPage
    private let answers: [String: Counter]

    package init(_ gateway: ShopGateway, metrics: MetricsPage) {
        (self.gateway, self.metrics) = (gateway, metrics)
        answers = metrics.counters("gateway.answers", of: ["hit", "stale", "miss"])
    }

    package var router: Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: ErrorTexts())
        router.get("products/:id") { _, context in
            guard let id = context.parameters.get("id", as: Int.self) else { throw HTTPError(.notFound) }
            let (offer, age, cache) = try await gateway.offer(id)
            answers[cache]?.increment()
            return EditedResponse(headers: [.age: "\(age.components.seconds)", .xCache: cache], response: offer)
        }
        router.post("webhooks/stock") { request, context in
            await gateway.stockChanged(of: try await request.decode(as: [Int].self, context: context))
            return HTTPResponse.Status.noContent
        }
        router.post("webhooks/stock/all") { _, _ in
            await gateway.allStockChanged()
            return HTTPResponse.Status.noContent
        }
        router.get("metrics") { _, _ in metrics.text }
        router.get("health") { _, _ in
            let health = gateway.client.health(of: gateway.limits)
            let text = String(decoding: try JSONEncoder().encode(health), as: UTF8.self)
            let status: HTTPResponse.Status = health.isReady ? .ok : .serviceUnavailable
            return EditedResponse(status: status, headers: [.contentType: "application/json"], response: text)
        }
        return router
    }
}

/// Answers with errors that have neither the answer nor the address of an upstream.
private struct ErrorTexts: RouterMiddleware {
    func handle(
        _ request: Request, context: BasicRequestContext,
        next: @concurrent (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch  where !(error is any HTTPResponseError) {
            let status = HTTPResponse.Status(code: ShopGateway.status(of: error))
            throw HTTPError(status, message: error.userMessage)
        }
    }
}

extension Offer: ResponseEncodable {}
extension HTTPField.Name { static let xCache = Self("X-Cache") ?? .cacheControl }
