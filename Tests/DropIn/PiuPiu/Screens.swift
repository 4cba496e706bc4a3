import Foundation
import PigeonFutures
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A model as the old apps have it, whose callbacks capture it. In Swift 5 mode it may be of no actor.
// guide: capture of `self`, or of a handler such as `completion`
#if swift(>=6)
    @MainActor
#endif
private final class PostsModel {
    var posts: [Post] = []
    var future: ResponseFuture<[Post]>?
    let dispatcher = mock(#"[{"id":1,"userId":7,"title":"Lasers"}]"#)

    func load(completion: @escaping ([Post]) -> Void, failure: @escaping (Error) -> Void) {
        dispatcher.future(from: BasicRequest(method: .get, path: "/posts")).then({ response -> [Post] in
            return try response.decode([Post].self)
        }).success({ [weak self] posts in
            self?.posts = posts
            completion(posts)
        }).error({ error in
            failure(error)
        }).send()
    }

    func save(completion: @escaping () -> Void) {
        future = dispatcher.future(from: {
            var request = BasicRequest(method: .post, path: "/posts")
            try request.setJSONBody(self.posts)
            return request
        }).replace({ response -> ResponseFuture<[Post]> in
            return self.decoded(response)
        }).completion({
            self.future = nil
            completion()
        })
        future?.start()
    }

    private func decoded(_ response: Response<Data?>) -> ResponseFuture<[Post]> {
        return ResponseFuture<[Post]>(action: { future in
            future.succeed(with: try response.decode([Post].self))
        })
    }
}

/// A screen of the main actor: what its callbacks capture need not be `Sendable`, in either mode.
@MainActor
private final class PostsScreen {
    private let dispatcher: Dispatcher
    private(set) var title = ""

    init(dispatcher: Dispatcher) {
        self.dispatcher = dispatcher
    }

    func load(_ completion: @escaping (Post) -> Void) {
        var count = 0
        dispatcher.future(from: BasicRequest(method: .get, path: "/posts/1")).then({ response in
            try response.decode(Post.self)
        }).success({ post in
            count += 1
            self.title = "\(count): \(post.title)"
            completion(post)
        }).send()
    }
}

@MainActor
@Suite("PiuPiu 1.3.1: models and screens of an app")
struct ScreensTests {
    @Test("a model: callbacks that capture it, and the caller's handlers")
    func models() async {
        let model = PostsModel()
        let posts = await withCheckedContinuation { done in
            model.load(completion: { done.resume(returning: $0) }, failure: { _ in done.resume(returning: []) })
        }
        #expect(posts == [Post()] && model.posts == [Post()])
        await withCheckedContinuation { done in model.save { done.resume() } }
        #expect(model.future == nil)
    }

    @Test("a screen: callbacks that change variables around them")
    func screens() async {
        let screen = PostsScreen(dispatcher: mock())
        let post = await withCheckedContinuation { done in screen.load { done.resume(returning: $0) } }
        #expect(post == Post() && screen.title == "1: Lasers")
    }
}
