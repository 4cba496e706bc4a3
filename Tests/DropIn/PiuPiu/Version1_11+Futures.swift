import Foundation
import PigeonFutures
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The README's extension.
extension ResponseFuture where Success == Response<Data?> {
    fileprivate var validHTTPResponse: ResponseFuture<HTTPResponse<Data?>> {
        return then(HTTPResponse<Data?>.self) { response -> HTTPResponse<Data?> in
            let httpResponse = try response.makeHTTPResponse()
            if let error = httpResponse.httpError {
                throw error
            }
            return httpResponse
        }
    }
}

@MainActor
@Suite("PiuPiu 1.11: futures")
struct Version1_11FuturesTests {
    let screen = Screen()
    let url = URL(string: "https://example.com/posts/1")!

    private var dispatcher: MockURLRequestDispatcher {
        return MockURLRequestDispatcher { request in
            return try Response.makeMockJSONResponse(with: request, encodable: Post(), statusCode: .ok)
        }
    }

    private var failing: ResponseFuture<Int> {
        return ResponseFuture<Int> { future in future.fail(with: Trouble()) }
    }

    @Test("the README's request, with each callback")
    func readme() async {
        let screen = self.screen
        await dispatcher.dataFuture(from: URLRequest(url: url, method: .get))
            .success { response in
                let httpResponse = try response.makeHTTPResponse()
                if let error = httpResponse.httpError {
                    throw error
                } else {
                    screen.show(try response.decode(Post.self).title)
                }
            }
            .error { error in
                screen.show(error)
            }
            .completion {
                screen.show("done")
            }
            .finish()
        #expect(screen.lines == ["Lasers", "done"])
    }

    @Test("the README's async call")
    func fetching() async throws {
        let response = try await dispatcher.dataFuture(from: URLRequest(url: url, method: .get))
            .decoded(Post.self)
            .fetchResult()
        #expect(response.data == Post())
        await #expect(throws: Trouble.self) { try await failing.fetchResult() }
    }

    @Test("the README's extension, and the guide's chain")
    func extensions() async throws {
        let screen = self.screen
        let request = URLRequest(url: url, method: .get)
        let post: HTTPResponse<Post> = try await dispatcher.dataFuture { request }
            .validHTTPResponse
            .decoded(Post.self)
            .fetchResult()
        #expect(post.data == Post())
        let missing = MockURLRequestDispatcher { try Response.makeMockResponse(with: $0, statusCode: .notFound) }
        await missing.dataFuture(from: request).validHTTPResponse.error { error in
            screen.show((error as? HTTPError)?.statusCode ?? 0)
        }.finish()
        #expect(screen.lines == ["404"])
    }

    @Test("ResponseFuture: its names for closures, and the generic name Success")
    func names() async {
        let screen = self.screen
        let success: ResponseFuture<Int>.SuccessHandler = { @MainActor in screen.show($0) }
        let cancellation: ResponseFuture<Int>.CancellationHandler = { @MainActor in screen.show("cancelled") }
        // guide: `updated { task in … }`
        let progress: ResponseFuture<Int>.ProgressHandler = { @MainActor in screen.show($0.percentSent ?? 0) }
        let value: ResponseFuture<Int>.Success = 1
        await ResponseFuture(result: value).success(success).cancellation(cancellation).updated(progress).finish()
        #expect(screen.lines == ["1"])
    }

    @Test("cancel, cancellation, and the status that it leaves")
    func cancelling() async {
        let screen = self.screen
        let future = ResponseFuture<Int> { _ in }
        future.success { screen.show($0) }.error { screen.show($0) }.cancellation { screen.show("cancelled") }.start()
        // guide: cancelling the tasks that `updated` gave
        // guide: N6
        future.cancel()
        await future.finish()
        #expect(future.status == .cancelled && screen.lines == ["cancelled"])
        switch future.status {
        case .created, .started, .success, .error: Issue.record("not cancelled")
        case .cancelled: break
        }
        let within = ResponseFuture<Int> { future in future.cancel() }
        await within.cancellation { screen.show("within") }.finish()
        #expect(screen.lines == ["cancelled", "within"])
    }

    @Test("complete(with:), result, and fulfilling")
    func results() async {
        let screen = self.screen
        for result in [Result<Int, Error>.success(1), .failure(Trouble())] {
            let inner = ResponseFuture<Int> { future in future.complete(with: result) }
            let outer = ResponseFuture<Int> { future in inner.fulfill(future) }
            await outer.result { result in
                switch result {
                case .success(let value): screen.show(value)
                case .failure(let error): screen.show(error is Trouble)
                }
            }.finish()
        }
        #expect(screen.lines == ["1", "true"])
    }

    @Test("then and map, with the type and the queue left out and given")
    func transforms() async throws {
        let one = { ResponseFuture(result: 1) }
        let futures: [ResponseFuture<Int>] = [
            one().then { $0 + 1 },
            one().then(on: .global()) { $0 + 1 },
            one().then(Int.self) { $0 + 1 },
            one().then(Int.self, on: .global()) { $0 + 1 },
            one().map(Int.self) { $0 + 1 },
            one().map(Int.self, successCallback: { $0 + 1 }),
            one().map(Int.self, on: .global()) { $0 + 1 },
            one().map(Int.self, on: .global(), successCallback: { $0 + 1 }),
        ]
        for future in futures { #expect(try await future.fetchResult() == 2) }
        await #expect(throws: Trouble.self) {
            try await one().then(Int.self, on: .global()) { _ in throw Trouble() }.fetchResult()
        }
        // guide: `then(on: .main) { … }` that touches an interface
        let screen = self.screen
        await one().then { screen.show($0) }.finish()
        #expect(screen.lines == ["1"])
    }

    @Test("thenResult, safeResult, and replace")
    func stages() async throws {
        let text = try await failing.thenResult(String.self) { result -> String in
            switch result {
            case .success: return "success"
            case .failure: return "failure"
            }
        }.fetchResult()
        #expect(text == "failure")
        await #expect(throws: Trouble.self) {
            try await failing.thenResult(String.self) { try "\($0.get())" }.fetchResult()
        }
        guard case .failure = try await failing.safeResult().fetchResult() else {
            Issue.record("no failure")
            return
        }
        let replaced = ResponseFuture(result: 1).replace(String.self) { ResponseFuture(result: "\($0)") }
        #expect(try await replaced.fetchResult() == "1")
        let screen = self.screen
        await ResponseFuture(result: 1).replace(String.self) { _ in return nil }
            .cancellation { screen.show("cancelled") }.finish()
        #expect(screen.lines == ["cancelled"])
    }

    @Test("updated: the progress of a transfer, by the percentages of 1.11")
    func progress() async {
        let screen = self.screen
        let future = ResponseFuture<Int> { _ in }
        // guide: `update(with: task)`
        future.updated { progress in
            screen.show("\(progress.percentSent ?? -1) \(progress.percentRecieved ?? -1)")
            screen.show(progress.percentTransferred ?? -1)
            future.succeed(with: 1)
        }.start()
        future.update(progress: TransferProgress(sent: 1, expectedToSend: 2))
        await future.finish()
        #expect(screen.lines == ["0.5 -1.0", "0.5"])
    }

    @Test("makeHTTPResponse, decoded, decodedString and safeDecoded of a future")
    func decoding() async throws {
        let request = URLRequest(url: url, method: .get)
        let answers = { self.dispatcher.dataFuture(from: request) }
        #expect(try await answers().decoded(Post.self).fetchResult().data == Post())
        #expect(try await answers().decoded(Post.self, using: JSONDecoder()).fetchResult().data == Post())
        #expect(try await answers().decodedString().fetchResult().data.hasPrefix("{"))
        let http: HTTPResponse<Post> = try await answers().makeHTTPResponse().decoded(Post.self).fetchResult()
        #expect(http.data == Post())
        let other = answers().makeHTTPResponse().decoded(Post.self, using: JSONDecoder())
        #expect(try await other.fetchResult().data == Post())
        let wrong = answers().makeHTTPResponse().safeDecoded([Post].self)
        let right = answers().makeHTTPResponse().safeDecoded(Post.self, using: JSONDecoder())
        let failure = try await wrong.fetchResult().data
        #expect(throws: SerializationError.self) { try failure.get() }
        #expect(try await right.fetchResult().data.get() == Post())
    }

    @Test("guide: a status of 400 or more is the error of decoded; then takes every one")
    func statuses() async throws {
        let missing = mock(status: .notFound)
        let request = URLRequest(url: url, method: .get)
        await #expect(throws: ResponseError.self) {
            try await missing.dataFuture(from: request).decoded(Post.self).fetchResult()
        }
        // guide: `decoded` of a future took every status
        let post = missing.dataFuture(from: request).then { try $0.decoded(Post.self) }
        #expect(try await post.fetchResult().data == Post())
    }

    @Test("K33: updated with a look at the state of the task")
    func states() async {
        await (self as any DeprecatedFulfilling).showDeprecatedProgress()
    }

    @Test("the deprecated names for fulfilling")
    func deprecated() async throws {
        try await (self as any DeprecatedFulfilling).useDeprecated()
    }
}

/// Is not deprecated itself, so that what is deprecated can be called without a warning.
@MainActor
private protocol DeprecatedFulfilling {
    func useDeprecated() async throws
    func showDeprecatedProgress() async
}

extension Version1_11FuturesTests: DeprecatedFulfilling {
    @available(*, deprecated, message: "Tests what is deprecated.")
    fileprivate func useDeprecated() async throws {
        let one = ResponseFuture<Int> { future in future.fulfill(by: ResponseFuture(result: 1)) }
        let two = ResponseFuture<Int> { future in future.fulfill(with: ResponseFuture(result: 2)) }
        #expect(try await one.fetchResult() == 1)
        #expect(try await two.fetchResult() == 2)
        let three: ResponseFuture<Int> = ResponseFuture(result: 3).response { _ in }
        #expect(try await three.fetchResult() == 3)
    }

    /// As each screen of the example shows progress.
    @available(*, deprecated, message: "Tests what is deprecated.")
    fileprivate func showDeprecatedProgress() async {
        let screen = self.screen
        let future = ResponseFuture<Int> { _ in }
        future.updated { task in
            // guide: `guard task.state == .running`
            guard task.state == .running else { return }
            screen.show(task.percentTransferred ?? -1)
            future.succeed(with: 1)
        }.start()
        future.update(progress: TransferProgress(received: 1, expectedToReceive: 4))
        await future.finish()
        #expect(screen.lines == ["0.25"])
    }
}
