import DemoHTTP
import Foundation
import NIOHTTP1
import PigeonCore
import PigeonHTTP
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
        answer: MockAnswer, status: Int
    ) async throws {
        let mock = MockTransport()
        mock.answer(nil, "/**", with: answer)
        let url = try #require(URL(string: "https://internal.example/s3cret"))
        let http = NetworkDispatcher(baseURL: url, transport: mock)
        let routes = Routes(ShopGateway(Upstreams(products: http, stocks: http)))
        let response = await routes.respond(to: Desk.request(.GET, "/products/7"))
        #expect(response.status == HTTPResponseStatus(statusCode: status))
        let body = try JSONDecoder().decode([String: String].self, from: response.body)
        #expect(body.keys.sorted() == ["message"] && body["message"]?.isEmpty == false)
        let metrics = await routes.respond(to: Desk.request(.GET, "/metrics")).text
        for text in [response.text, "\(response.headers)", metrics] {
            #expect(!text.contains("s3cret") && !text.contains("internal.example"))
        }
    }
}
