import Foundation
import PigeonFutures
import Testing

/// A view controller of an old app: it makes futures in methods, and keeps one.
@MainActor
private final class PostsController: ServerProvider {
    // guide: conformance to `ServerProvider` crosses into main actor-isolated code
    nonisolated var baseURL: URL? {
        return URL(string: "https://example.com")!
    }

    private var postResponseFuture: ResponseFuture<SuccessResponse<[Post]>>?
    private weak var weakResponseFuture: ResponseFuture<Response<Data?>>?
    private(set) var shown: [Post] = []
    let dispatcher = mock(#"[{"id":1,"userId":7,"title":"Lasers"}]"#)
    let request = BasicRequest(method: .get, path: "/posts")

    func show(_ posts: [Post]) {
        shown = posts
    }

    func getPosts() -> ResponseFuture<[Post]> {
        return dispatcher.future(from: request).then({ response -> [Post] in
            if let error = response.error {
                throw error
            }
            return try response.decode([Post].self)
        })
    }

    func fetchUser(forId id: Int) -> ResponseFuture<User> {
        return ResponseFuture(result: User(id: id))
    }

    func enrich(post: Post) -> ResponseFuture<String> {
        return ResponseFuture<String>(action: { future in
            DispatchQueue.global(qos: .userInitiated).async {
                let enriched = post.title + "!"
                DispatchQueue.main.async {
                    future.succeed(with: enriched)
                }
            }
        })
    }

    /// The README's future that is kept, with callbacks that do not keep the controller.
    func keepFuture(_ done: @escaping @MainActor () -> Void) {
        self.postResponseFuture = dispatcher.future(from: request).then({ response in
            let posts = try response.decode([Post].self)
            return SuccessResponse<[Post]>(data: posts, response: response)
        }).response({ [weak self] response in
            self?.show(response.data)
        }).completion({ [weak self] in
            self?.postResponseFuture = nil
            done()
        })
        self.postResponseFuture?.send()
    }

    var keepsNothing: Bool { postResponseFuture == nil }

    /// The README's future that is kept weakly.
    func sendWeakly(_ done: @escaping @MainActor () -> Void) -> Bool {
        self.weakResponseFuture = dispatcher.future(from: request).completion({
            done()
        }).send()
        return weakResponseFuture != nil
    }
}

@MainActor
@Suite("PiuPiu 1.3.1: futures")
struct FuturesTests {
    let screen = Screen()

    @Test("ResponseFuture: init(action:), init(result:), and start(), send()")
    func creating() async {
        let screen = self.screen
        let action = ResponseFuture<Int>(action: { future in
            future.succeed(with: 1)
        })
        let trailing = ResponseFuture<Int>() { future in
            future.succeed(with: 2)
        }
        let result = ResponseFuture(result: 3)
        let failing = ResponseFuture<Int>(action: { _ in throw Trouble() })
        for future in [action, trailing, result, failing] {
            await future.success({ screen.show($0) }).error({ screen.show($0 is Trouble) }).finish()
        }
        #expect(screen.lines == ["1", "2", "3", "true"])
        let first: ResponseFuture<Int> = ResponseFuture(result: 4).start()
        let second: ResponseFuture<Int> = ResponseFuture(result: 5).send()
        ResponseFuture(result: 6).start()
        ResponseFuture(result: 7).send()
        await first.finish()
        await second.finish()
    }

    @Test("ResponseFuture.Status: every case, in order")
    func status() async {
        let future = ResponseFuture<Int>(action: { _ in })
        #expect(future.status == .created)
        future.start()
        #expect(future.status == .started)
        future.succeed(with: 1)
        await future.finish()
        #expect(future.status == .success)
        let failing = ResponseFuture<Int>(action: { $0.fail(with: Trouble()) })
        await failing.finish()
        #expect(failing.status == .error)
        // guide: a `switch` without a `default` over a `StatusCode`, or over the `status`
        switch failing.status {
        case .created, .started, .success: Issue.record("no error")
        case .error: break
        default: break
        }
    }

    @Test("ResponseFuture: the types of its closures")
    func closures() async {
        let screen = self.screen
        let action: ResponseFuture<Int>.ActionCallback = { future in future.succeed(with: 1) }
        let success: ResponseFuture<Int>.SuccessHandler = { @MainActor in screen.show($0) }
        let error: ResponseFuture<Int>.ErrorHandler = { @MainActor in screen.show($0) }
        let completion: ResponseFuture<Int>.CompletionHandler = { @MainActor in screen.show("done") }
        await ResponseFuture(action: action).success(success).error(error).completion(completion).finish()
        await ResponseFuture(result: 2).response(success).finish()
        // guide: calling a handler of type `SuccessHandler`
        let plain: @Sendable (Int) throws -> Void = { _ in throw Trouble() }
        #expect(throws: Trouble.self) { try plain(3) }
        await ResponseFuture(result: 3).success(plain).error(error).finish()
        #expect(screen.lines == ["1", "done", "2", "Trouble(number: 1)"])
    }

    @Test("ResponseFuture: fulfill(_:), fulfill(with:)")
    func fulfilling() async {
        let screen = self.screen
        let pushed = ResponseFuture<Int>(action: { future in
            ResponseFuture(result: 1).fulfill(future)
        })
        let pulled = ResponseFuture<Int>(action: { future in
            future.fulfill(with: ResponseFuture(result: 2))
        })
        let failing = ResponseFuture<Int>(action: { future in
            ResponseFuture<Int>(action: { $0.fail(with: Trouble()) }).fulfill(future)
        })
        for future in [pushed, pulled, failing] {
            await future.response({ screen.show($0) }).error({ screen.show($0 is Trouble) }).finish()
        }
        #expect(screen.lines == ["1", "2", "true"])
    }

    @Test("ResponseFuture: success and response are one; what either throws goes to error, then completion")
    func callbacks() async {
        let screen = self.screen
        // guide: `response`, `success`
        await ResponseFuture(result: 1).success({ screen.show($0) }).finish()
        await ResponseFuture(result: 2).response({ _ in throw Trouble() }).error({ error in
            screen.show(error is Trouble)
        }).completion({
            screen.show("done")
        }).finish()
        #expect(screen.lines == ["1", "true", "done"])
    }

    @Test("ResponseFuture: a callback may be a method of a screen")
    func methods() async {
        let controller = PostsController()
        #if swift(>=6)
            await controller.getPosts().response(controller.show).finish()
        #else  // with the method alone, a warning
            await controller.getPosts().response({ controller.show($0) }).finish()
        #endif
        #expect(controller.shown == [Post()])
    }

    @Test("ResponseFuture: then, replace and join, as the README chains them")
    func chains() async {
        let screen = self.screen
        let controller = PostsController()
        await controller.getPosts().then({ posts -> Post in
            guard let post = posts.first else { throw Trouble() }
            return post
        }).replace({ post -> ResponseFuture<String> in
            return controller.enrich(post: post)
        }).join({ enriched -> ResponseFuture<User> in
            return controller.fetchUser(forId: enriched.count)
        }).response({ enriched, user in
            screen.show("\(enriched) by \(user.id)")
        }).error({ error in
            screen.show(error)
        }).finish()
        #expect(screen.lines == ["Lasers! by 7"])
    }

    @Test("ResponseFuture: an error stops the chain")
    func failingChains() async {
        let screen = self.screen
        let dispatcher = mock("{}", status: .notFound)
        await dispatcher.future(from: BasicRequest(method: .get, path: "/posts/1")).then({ response -> Post in
            if let error = response.error { throw error }
            return try response.decode(Post.self)
        }).replace({ _ -> ResponseFuture<Int> in
            screen.show("replaced")
            return ResponseFuture(result: 1)
        }).join({ _ -> ResponseFuture<Int> in
            screen.show("joined")
            return ResponseFuture(result: 2)
        }).success({ _, _ in
            screen.show("success")
        }).error({ error in
            if case ResponseError.notFound = error { screen.show("not found") }
        }).finish()
        #expect(screen.lines == ["not found"])
    }

    @Test("guide: two joins give (A, B, C) (P19)")
    func joins() async throws {
        // guide: P19
        let (a, b, c) = try await ResponseFuture(result: 1)
            .join({ ResponseFuture(result: $0 + 1) })
            .join({ a, b in ResponseFuture(result: "\(a + b)") }).value
        #expect(a == 1 && b == 2 && c == "3")
    }

    @Test("ResponseFuture: kept strongly until its completion, and weakly while it runs (U13)")
    func keeping() async {
        let controller = PostsController()
        await withCheckedContinuation { done in controller.keepFuture { done.resume() } }
        #expect(controller.shown == [Post()] && controller.keepsNothing)
        var wasThere = false
        await withCheckedContinuation { done in wasThere = controller.sendWeakly { done.resume() } }
        // guide: P2
        #expect(wasThere)
    }

    @Test("guide: a future ends once, and starting it twice asks once (P3); each callback is called, once (P4)")
    func once() async {
        let screen = self.screen
        // guide: P3
        // guide: P4
        let starts = ResponseFuture<Int>(action: { @MainActor future in
            screen.show("started")
            future.succeed(with: 1)
            future.succeed(with: 2)
            future.fail(with: Trouble())
        })
        starts.success({ screen.show("first \($0)") }).success({ screen.show("second \($0)") })
            .error({ screen.show($0) }).start()
        await starts.finish()
        #expect(screen.lines == ["started", "first 1", "second 1"])
    }

    @Test("guide: a callback of the main actor runs there; one of no actor says so itself")
    func actors() async {
        let screen = self.screen
        await elsewhere(screen)
        #expect(screen.lines == ["Lasers"])
    }

    /// Code of no actor.
    nonisolated private func elsewhere(_ screen: Screen) async {
        // guide: P16
        // guide: callbacks, and `then` without a queue, ran on the main queue
        await mock().future(from: BasicRequest(method: .get, path: "/posts/1")).success { @MainActor response in
            MainActor.assertIsolated()
            screen.show(try response.decode(Post.self).title)
        }.finish()
    }

    @Test("guide: callbacks are called after start() has returned")
    func later() async {
        let screen = self.screen
        let future = ResponseFuture(result: 1).success({ screen.show($0) })
        future.start()
        // guide: code after `start()` that relies on callbacks
        screen.show("after start")
        await future.finish()
        #expect(screen.lines == ["after start", "1"])
    }
}

/// Extensions of one's own.
// guide: a type is not `Sendable`
extension ResponseFuture where T == Response<Data?> {
    fileprivate func decodedStrictly<D: Decodable & Sendable>(_ type: D.Type) -> ResponseFuture<D> {
        return then({ response -> D in
            if let error = response.error { throw error }
            return try response.decode(D.self)
        })
    }
}

extension FuturesTests {
    @Test("ResponseFuture: extensions where T is a response")
    func extensions() async throws {
        let post = try await mock().future(from: BasicRequest(method: .get, path: "/posts/1"))
            .decodedStrictly(Post.self).value
        #expect(post == Post())
    }
}
