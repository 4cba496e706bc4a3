import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A request's error")
struct RequestErrorTests {
    private struct Localized: LocalizedError {
        var errorDescription: String? { "in words" }
    }

    @Test("the text for users is the one that is given, else the cause's, else the status's", .rule("Siesta 14"))
    func messages() throws {
        let response = try answer(404)
        func message(_ response: HTTPURLResponse?, _ cause: (any Error)?, _ given: String? = nil) -> String {
            RequestError(response: response, content: nil, cause: cause, userMessage: given).userMessage
        }
        #expect(message(response, Localized(), "mine") == "mine")
        #expect(message(response, Localized()) == "in words")
        #expect(message(response, nil).lowercased() == "not found")
        #expect(message(nil, nil) == "Request failed")
        #expect(message(nil, Cancelled.http) == "Request cancelled")
    }

    @Test(
        "a status in words begins with a large letter", .rule("Siesta 14"), arguments: [400, 404, 429, 500, 503, 599])
    func statusWords(status: Int) throws {
        let first = try #require(RequestError(response: answer(status), content: nil, cause: nil).userMessage.first)
        #expect(first.isUppercase)
    }

    @Test(
        "what the network says is in words, not in numbers", .rule("Siesta 14"),
        arguments: [
            URLError.Code.timedOut, .notConnectedToInternet, .cannotFindHost, .networkConnectionLost, .cancelled,
        ])
    func networkWords(code: URLError.Code) {
        let message = RequestError(response: nil, content: nil, cause: URLError(code)).userMessage
        #expect(!message.contains("\(code.rawValue)"))
        #expect(!message.isEmpty)
    }

    @Test("An answer gives status, body, headers and address")
    func answered() throws {
        let error = RequestError(response: try answer(403, ["X-Limit": "0"]), content: Data("no".utf8), cause: nil)
        #expect(error.httpStatusCode == 403)
        #expect(error.entity?.content as? Data == Data("no".utf8))
        #expect(error.entity?.header(forKey: "x-limit") == "0")
        #expect(error.url?.absoluteString == "https://example.com/users/1")
        #expect(error.timestamp <= Date.timeIntervalSinceReferenceDate)
        #expect(error.statusCode == 403)
        #expect(!error.isTransient)
    }

    @Test("an error says when it happened by the client's clock, and so does its entity", .rule("U10"))
    func time() async throws {
        let bench = RESTBench()
        let resource = bench.resource()
        bench.lab.advance(by: .seconds(86_400))
        let request = resource.load()
        bench.answer("no", status: 500)
        let now = bench.client.environment.wallClock().timeIntervalSinceReferenceDate
        let error = try #require(await request.response().response.error)
        #expect(error.timestamp == now)
        #expect(error.entity?.timestamp == now)
        #expect(resource.latestError?.timestamp == now)
        #expect(resource.timestamp == now)
        bench.lab.advance(by: .seconds(60))
        #expect(resource.latestError?.timestamp == now)
    }

    @Test("so do errors of requests that could not be sent, and of content that was not understood", .rule("U10"))
    func timesOfOthers() async throws {
        let bench = RESTBench(transformers: [.json])
        bench.lab.advance(by: .seconds(86_400))
        let now = bench.client.environment.wallClock().timeIntervalSinceReferenceDate
        let wrong = bench.service.resource(absoluteURL: "").load()
        let unsent = bench.resource().request(.post, json: ["a": Date()] as [String: Any])
        let garbled = bench.resource().request(.get)
        bench.answer("{", headers: ["Content-Type": "application/json"])
        let cancelled = bench.resource().load()
        cancelled.cancel()
        for request in [wrong, unsent, garbled, cancelled] {
            #expect(try #require(await request.response().response.error).timestamp == now)
        }
    }

    @Test("An error of the program's own has no status, unless its body came with one")
    func own() throws {
        #expect(RequestError(userMessage: "no", cause: nil).httpStatusCode == nil)
        let entity = Entity<any Sendable>(response: try answer(200), content: "x")
        #expect(RequestError(userMessage: "no", cause: nil, entity: entity).httpStatusCode == 200)
    }

    @Test("whoever calls a request off, it is a cancellation", .rule("Siesta S34"))
    func cancellation() {
        let causes: [any Error] = [
            RequestError.Cause.RequestCancelled(networkError: nil), URLError(.cancelled), CancellationError(),
            Cancelled.http, RequestError(userMessage: "", cause: CancellationError()),
        ]
        for cause in causes {
            let error = RequestError(userMessage: "", cause: cause)
            #expect(error.isCancellation)
            #expect(Response.failure(error).isCancellation)
        }
        for cause: (any Error)? in [nil, URLError(.timedOut), Localized()] {
            #expect(!RequestError(userMessage: "", cause: cause).isCancellation)
        }
        #expect(!Response.success(.body("")).isCancellation)
    }

    @Test("Retries know what is worth one, and how long to wait")
    func transience() throws {
        let busy = RequestError(response: try answer(503, ["Retry-After": "7"]), content: Data(), cause: nil)
        #expect(busy.isTransient)
        #expect(busy.retryAfter == .seconds(7))
        #expect(RequestError(response: nil, content: nil, cause: URLError(.timedOut)).isTransient)
        #expect(!RequestError(userMessage: "", cause: Localized()).isTransient)
    }
}
