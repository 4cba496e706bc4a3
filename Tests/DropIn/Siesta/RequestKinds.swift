import Foundation
import PigeonREST
import Testing

// guide: a `Request` type of your own
/// A request of the program's own: it answers within the call.
private struct Guess: RequestDelegate {
    let content: String

    func startUnderlyingOperation(passingResponseTo completionHandler: RequestCompletionHandler) {
        let info = ResponseInfo(response: .success(Entity<Sendable>(content: content, contentType: "text/plain")))
        if !completionHandler.willIgnore(info) { completionHandler.broadcastResponse(info) }
    }

    func cancelUnderlyingOperation() {}

    func repeated() -> RequestDelegate { self }

    var requestDescription: String { "guess" }
}

/// One that never answers, with all that a delegate can say.
private final class Silence: RequestDelegate, @unchecked Sendable {  // `isCancelled` is used on the main thread alone
    var isCancelled = false

    func startUnderlyingOperation(passingResponseTo completionHandler: RequestCompletionHandler) {}

    func cancelUnderlyingOperation() { isCancelled = true }

    func repeated() -> RequestDelegate { Silence() }

    func computeProgress() -> Double { 0.5 }

    var progressReportingInterval: TimeInterval { 0.01 }

    var requestDescription: String { "silence" }
}

/// A token that a server refuses until it is renewed, as in the user guide's chapter on chains.
private final class Session: @unchecked Sendable {  // used on the main thread, and by configurations made there
    var token = "old"
    var renewals = 0
}

@MainActor
@Suite("Siesta: requests of one's own, and chains")
struct RequestKindTests {
    let network = StubNetwork(["GET /a": .text("got"), "GET /b": .text("other"), "POST /token": .text("new")])
    let service: Service
    let resource: Resource

    init() {
        service = Service(baseURL: "https://example.com", networking: network)
        resource = service.resource("/a")
    }

    @Test("prepareRequest(using:), and a delegate's defaults")
    func prepared() async {
        let request = Resource.prepareRequest(using: Guess(content: "7"))
        #expect(request.state == .notStarted)
        #expect(await end(of: request.start()).entity?.text == "7")
        #expect(Guess(content: "").computeProgress() == 0)
        #expect(Guess(content: "").progressReportingInterval == 0.05)
        #expect(await end(of: request.repeated().start()).entity?.text == "7")
    }

    @Test("a delegate says how far it is, and is cancelled with its request")
    func delegate() async {
        let silence = Silence()
        let request = Resource.prepareRequest(using: silence).start()
        #expect(request.progress == 0.5)
        var progress: [Double] = []
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            request.onProgress {
                if progress.isEmpty { continuation.resume() }
                progress.append($0)
            }
        }
        #expect(progress == [0.5])
        request.cancel()
        #expect(await end(of: request).response.isCancellation)
        #expect(silence.isCancelled)
    }

    @Test("chained: useThisResponse, useResponse and passTo, of a request under way")
    func chaining() async {
        let chain = resource.request(.get).chained { _ in .useThisResponse }
        #expect(await end(of: chain).entity?.text == "got")

        let other = resource.request(.get).chained { info in
            let entity = Entity<Sendable>(content: "mine", contentType: "text/plain")
            return .useResponse(ResponseInfo(response: .success(entity), isNew: info.isNew))
        }
        #expect(await end(of: other).entity?.text == "mine")

        let next = service.resource("/b")
        let passed = resource.request(.get).chained(whenCompleted: { _ in .passTo(next.request(.get)) })
        #expect(await end(of: passed).entity?.text == "other")
    }

    @Test("chained: by a function of the program that returns a RequestChainAction")
    func chainingByFunction() async {
        @Sendable func decide(_ info: ResponseInfo) -> RequestChainAction {
            info.response.isCancellation ? .useThisResponse : .useResponse(info)
        }
        #expect(await end(of: resource.request(.get).chained(whenCompleted: decide)).entity?.text == "got")
    }

    @Test("chained: of a request that has failed already, and of one that was cancelled")
    func chainedFailure() async {
        let failed = Resource.failedRequest(returning: RequestError(userMessage: "no", cause: Refusal()))
        let next = resource
        let chain = failed.chained { _ in .passTo(next.request(.get)) }
        #expect(await end(of: chain).entity?.text == "got")
        network.hold()
        let held = resource.request(.get)
        let cancelled = held.chained { _ in .useThisResponse }
        cancelled.cancel()
        #expect(await end(of: cancelled).response.isCancellation)
        #expect(held.state == .completed)
    }

    @Test("the user guide's chain: a token is renewed, and the request repeated")
    func token() async {
        let session = Session()
        let tokens = service.resource("/token")
        network["GET /a"] = .text("refused", status: 401)
        let network = self.network
        service.configure("/a") {
            $0.headers["Token"] = session.token
            $0.decorateRequests { _, request in
                request.chained { info in
                    guard case .failure(let error) = info.response, error.httpStatusCode == 401 else {
                        return .useThisResponse
                    }
                    return .passTo(
                        tokens.request(.post)
                            .onSuccess {
                                session.token = $0.text
                                session.renewals += 1
                                network["GET /a"] = .text("secret")
                                tokens.service.invalidateConfiguration()
                            }
                            .chained { _ in .passTo(request.repeated()) })
                }
            }
        }
        await end(of: resource.load())
        #expect(resource.text == "secret")
        #expect(session.renewals == 1)
        #expect(network.requests.map { $0.value(forHTTPHeaderField: "Token") } == ["old", nil, "new"])
    }

    @Test("a decorator that puts a failure in a request's place")
    func replaced() async {
        service.configure("/a") {
            $0.decorateRequests { _, request in
                Resource.failedRequest(returning: RequestError(userMessage: "offline", cause: Refusal()))
            }
        }
        let observer = Recorder()
        resource.addObserver(observer)
        await end(of: resource.load())
        #expect(resource.latestError?.userMessage == "offline")
        #expect(network.requests.isEmpty)
        await observer.saw(.error)
    }
}
