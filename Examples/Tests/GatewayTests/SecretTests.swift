import Foundation
import HTTPTypes
import Hummingbird
import PigeonCore
import PigeonHTTP
import PigeonServer
import Testing

@testable import Gateway

@Suite("Errors of the gateway", .timeLimit(.minutes(1)))
struct SecretTests {
    private struct Refused: Error { let password = "s3cret" }

    /// The response of both upstreams, and the status that the gateway answers with.
    static let answers: [(answer: MockAnswer, status: Int)] = [
        (.text("s3cret", status: .internalServerError), 502),
        (.text("s3cret", status: .unauthorized, headers: ["WWW-Authenticate": "s3cret"]), 502),
        (.text("s3cret", status: .notFound), 404),
        (.text("s3cret"), 502),
        (.error(URLError(.cannotConnectToHost)), 502),
        (.error(Refused()), 502),
    ]

    @Test(arguments: answers)
    func `an error has a text for people, and neither the upstream's answer nor its address`(
        given: MockAnswer, status: Int
    ) async throws {
        let mock = MockTransport()
        mock.answer(nil, "/**", with: given)
        let url = try #require(URL(string: "https://internal.example/s3cret"))
        let http = NetworkDispatcher(baseURL: url, transport: mock)
        let gateway = ShopGateway(Upstreams(products: http, stocks: http))
        let page = MetricsPage()
        let watching = gateway.client.recordMetrics(with: page)
        let site = Site(Routes(gateway, metrics: page))
        let answer = try await site.answer(to: .get, "/products/7")
        #expect(answer.status == HTTPResponse.Status(code: status))
        let body = try JSONDecoder().decode([String: [String: String]].self, from: Data(answer.text.utf8))
        #expect(body.keys.sorted() == ["error"] && body["error"]?.keys.sorted() == ["message"])
        #expect(body["error"]?["message"]?.isEmpty == false)
        let metrics = try await site.answer(to: .get, "/metrics").text
        watching.cancel()
        for text in [answer.text, "\(answer.headers)", metrics] {
            #expect(!text.contains("s3cret") && !text.contains("internal.example"))
        }
    }
}
