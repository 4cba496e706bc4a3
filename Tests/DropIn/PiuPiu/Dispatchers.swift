import Foundation
import PigeonFutures
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A dispatcher of one's own, by the protocol's requirement alone.
private final class OwnDispatcher: Dispatcher {
    func future(from request: Request) -> ResponseFuture<Response<Data?>> {
        return ResponseFuture<Response<Data?>>(action: { future in
            guard request.path != "/trouble" else { throw Trouble() }
            future.succeed(with: reply("own \(request.path)", request.path == "/none" ? 404 : 200))
        })
    }
}

/// A subclass of the network's, which overrides what is open.
// guide: a class cannot conform to `Sendable`, or must restate `@unchecked Sendable`
private final class LoggingDispatcher: NetworkDispatcher, @unchecked Sendable {
    override func future(from request: Request) -> ResponseFuture<Response<Data?>> {
        guard request.path != "/cached" else { return ResponseFuture(result: reply("cached")) }
        return super.future(from: request)
    }
}

@MainActor
@Suite("PiuPiu 1.3.1: dispatchers")
struct DispatchersTests {
    let screen = Screen()

    @Test("Dispatcher: future(from:) with a request, as the README sends one")
    func futures() async {
        let screen = self.screen
        let dispatcher = mock()
        let request = BasicRequest(method: .get, path: "/posts")
        await dispatcher.future(from: request).response({ response in
            if let error = response.error {
                throw error
            }

            let post = try response.decode(Post.self)
            screen.show(post.title)
        }).error({ error in
            screen.show(error)
        }).completion({
            screen.show("done")
        }).finish()
        #expect(screen.lines == ["Lasers", "done"])
    }

    @Test("Dispatcher: future(from:) with a closure that makes the request, and what it throws")
    func deferredFutures() async throws {
        let screen = self.screen
        let dispatcher = mock()
        await dispatcher.future(from: {
            var request = BasicRequest(method: .post, path: "/posts")
            try request.setJSONBody(Post())
            return request
        }).response({ response in
            screen.show(response.urlRequest.httpMethod ?? "")
        }).error({ error in
            screen.show(error)
        }).finish()
        await dispatcher.future(from: { throw Trouble() }).error({ error in
            screen.show(error is Trouble)
        }).finish()
        #expect(screen.lines == ["POST", "true"])
    }

    @Test("Dispatcher: promise(from:) with a request: success, failure and error")
    func promises() async {
        let screen = self.screen
        let dispatcher = OwnDispatcher()
        for path in ["/posts", "/none", "/trouble"] {
            await dispatcher.promise(from: BasicRequest(method: .get, path: path)).success({ response in
                screen.show(try response.decodeString())
            }).failure({ response in
                screen.show(response.statusCode.rawValue)
                if case .notFound(let cause) = response.error { screen.show(cause == nil) }
            }).error({ error in
                screen.show(error is Trouble)
            }).completion({
                screen.show("done")
            }).finish()
        }
        #expect(screen.lines == ["own /posts", "done", "404", "true", "done", "true", "done"])
    }

    @Test("Dispatcher: promise(from:) with a closure, and the type ResponsePromise")
    func deferredPromises() async {
        let screen = self.screen
        let promise: ResponsePromise<Data?, Data?> = mock("piu").promise(from: {
            return BasicRequest(method: .get, path: "/posts")
        })
        await promise.success({ (response: SuccessResponse<Data?>) in
            screen.show(try response.decodeString())
        }).failure({ (response: ErrorResponse<Data?>) in
            screen.show(response.error)
        }).finish()
        await mock().promise(from: { throw Trouble() }).error({ error in
            screen.show(error is Trouble)
        }).finish()
        #expect(screen.lines == ["piu", "true"])
    }

    @Test("Dispatcher: the names that were deprecated then")
    func deprecated() async {
        await (self as any DeprecatedPromises).useDeprecated()
        #expect(screen.lines == ["piu", "piu", "piu"])
    }

    @Test("NetworkDispatcher: initialisers, properties, and a provider that is gone")
    func network() async {
        let screen = self.screen
        let request = BasicRequest(method: .get, path: "/posts")
        var server: Server? = Server(baseURL: nil)
        let dispatcher = NetworkDispatcher(serverProvider: server!)
        #expect(dispatcher.serverProvider === server)
        await dispatcher.future(from: request).error({ error in
            if case RequestError.missingURL = error { screen.show("no URL") }  // guide: P9
        }).finish()
        server = nil
        #expect(dispatcher.serverProvider == nil)
        await dispatcher.future(from: request).error({ error in
            if case RequestError.missingServerProvider = error { screen.show("no server") }
        }).completion({
            screen.show("done")
        }).finish()
        #expect(screen.lines == ["no URL", "no server", "done"])
    }

    @Test("NetworkDispatcher: a configuration, given and changed; and an open future(from:)")
    func configured() async throws {
        let server = Server()
        let dispatcher = LoggingDispatcher(serverProvider: server, configuration: .ephemeral)
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 5
        dispatcher.configuration = configuration
        dispatcher.serverProvider = server
        #expect(dispatcher.configuration.timeoutIntervalForRequest == 5)
        // guide: `NetworkDispatcher(serverProvider:)` with the caches and limits of `URLSession`
        var policy = HTTPPolicy()
        policy.timeout = nil
        policy.bodyLimit = nil
        let asBefore = NetworkDispatcher(serverProvider: server, configuration: .default, policy: policy)
        #expect(asBefore.policy.bodyLimit == nil && asBefore.configuration.urlCache != nil)
        let cached = try await dispatcher.future(from: BasicRequest(method: .get, path: "/cached")).value
        #expect(try cached.decodeString() == "cached")
    }

    @Test("guide: a dispatcher that nobody keeps sends its request (P1)")
    func unkept() async {
        let screen = self.screen
        // guide: P1
        await mock().future(from: BasicRequest(method: .get, path: "/posts")).success({ _ in
            screen.show("sent")
        }).finish()
        #expect(screen.lines == ["sent"])
    }
}

/// Is not deprecated itself, so that what is deprecated can be called without a warning.
@MainActor
private protocol DeprecatedPromises {
    func useDeprecated() async
}

extension DispatchersTests: DeprecatedPromises {
    @available(*, deprecated, message: "Tests what is deprecated.")
    fileprivate func useDeprecated() async {
        let screen = self.screen
        let dispatcher = mock("piu")
        let request = BasicRequest(method: .get, path: "/posts")
        // guide: `make(from:)`, `make(_:)`, `makeRequest(from:)`
        for promise in [
            dispatcher.make(request), dispatcher.make(from: { return request }),
            dispatcher.makeRequest(from: { return request }),
        ] {
            await promise.success({ response in screen.show(try response.decodeString()) }).finish()
        }
    }
}
