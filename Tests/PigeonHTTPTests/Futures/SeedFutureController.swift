import Dispatch
import Foundation
import PigeonHTTP

/// What the seed's examples show and make.
struct SeedPost: Codable, Sendable, Equatable {
    var id: Int
    var userId: Int
}

struct SeedUser: Codable, Sendable, Equatable {
    var id: Int
}

struct SeedEnrichedPost: Sendable, Equatable {
    var post: SeedPost
    var text: String
}

/// The seed's examples on futures as they stand there, in a class of the main actor, as a view controller is.
@MainActor
final class SeedController {
    typealias Post = SeedPost
    typealias User = SeedUser
    typealias EnrichedPost = SeedEnrichedPost

    let dispatcher: any Dispatcher
    let request = BasicRequest(method: .get, path: "/posts")
    let told: Told<String>
    var postResponseFuture: ResponseFuture<SuccessResponse<[Post]>>?
    var strongResponseFuture: ResponseFuture<Response<Data?>>?
    weak var weakResponseFuture: ResponseFuture<Response<Data?>>?

    init(_ dispatcher: any Dispatcher, _ told: Told<String>) {
        self.dispatcher = dispatcher
        self.told = told
    }

    func show(_ posts: [Post]) {
        MainActor.assertIsolated()
        told.append("posts \(posts.map(\.id))")
    }

    func show(_ post: Post) {
        MainActor.assertIsolated()
        told.append("post \(post.id)")
    }

    func makeRequest(_ ended: Latch) {
        dispatcher.future(from: request).response({ response in
            // Handles all responses including negative responses such as 4xx and 5xx
            if let error = response.error {
                // Throwing an error in any callback will trigger the `error` callback.
                throw error
            }

            let post = try response.decode(Post.self)
            self.show(post)
        }).error({ error in
            self.told.append("error \(error)")
        }).completion({
            self.told.append("completion")
            ended.open()
        }).start()
    }

    func getPosts() -> ResponseFuture<[Post]> {
        // We create a future and tell it to transform the response using the
        // `then` callback.
        return dispatcher.future(from: request).then({ response -> [Post] in
            if let error = response.error {
                throw error
            }

            // Return the decoded object. If an error is thrown while decoding,
            // It will be caught in the `error` callback.
            return try response.decode([Post].self)
        })
    }

    func enrich(post: Post) -> ResponseFuture<EnrichedPost> {
        ResponseFuture(result: EnrichedPost(post: post, text: "rich"))
    }

    func fetchUser(forId id: Int) -> ResponseFuture<User> {
        dispatcher.future(from: BasicRequest(method: .get, path: "/users/\(id)")).then { try $0.decode(User.self) }
    }

    func chain(_ ended: Latch) {
        dispatcher.future(from: request).then({ response -> Post in
            if let error = response.error {
                throw error
            }

            return try response.decode(Post.self)
        }).replace({ post -> ResponseFuture<EnrichedPost> in
            // Perform some operation that itself uses a future
            // such as something heavy like markdown parsing.
            return self.enrich(post: post)
        }).join({ enrichedPost -> ResponseFuture<User> in
            // Joins a future with another one returning both results
            return self.fetchUser(forId: enrichedPost.post.userId)
        }).response({ enrichedPost, user in
            // The final response callback includes all the transformations and
            // Joins we had previously performed.
            self.told.append("\(enrichedPost.text) \(enrichedPost.post.id) by \(user.id)")
        }).error({ error in
            self.told.append("error \(error)")
        }).completion({
            // At the end of all the callbacks, this is triggered once. Error or no error.
            self.told.append("completion")
            ended.open()
        }).send()
    }

    func join(_ ended: Latch) {
        dispatcher.future(from: request).then({ response -> Post in
            return try response.decode(Post.self)
        }).join({ post -> ResponseFuture<User> in
            // Joins a future with another one returning both results
            return self.fetchUser(forId: post.userId)
        }).response({ post, user in
            // The final response callback includes both results.
            self.told.append("\(post.id) by \(user.id)")
        }).completion({ ended.open() }).send()
    }

    func decodeElsewhere(_ response: Response<Data?>) -> ResponseFuture<[Post]> {
        return ResponseFuture<[Post]>(action: { future in
            DispatchQueue.global(qos: .userInitiated).async {
                do {
                    // Do an expensive operation here ....
                    let posts = try response.decode([Post].self)

                    DispatchQueue.main.async {
                        future.succeed(with: posts)
                    }
                } catch {
                    // We can handle any errors as well.
                    DispatchQueue.main.async {
                        future.fail(with: error)
                    }
                }
            }
        })
    }

    func wrapEncoding(_ make: @escaping @Sendable () throws -> BasicRequest, _ ended: Latch) {
        dispatcher.future(from: {
            var request = BasicRequest(method: .post, path: "/posts")
            request.path = try make().path
            return request
        }).error({ error in
            // Any error thrown while creating the request will trigger this callback.
            self.told.append("error \(error)")
        }).completion({ ended.open() }).send()
    }

    func strongCallbacks() {
        dispatcher.future(from: request).then({ response -> [Post] in
            // [weak self] not needed as `self` is not called but it doesn't hurt
            return try response.decode([Post].self)
        }).response({ posts in
            self.show(posts)
        }).send()
    }

    func strongReference() {
        self.postResponseFuture = dispatcher.future(from: request).then({ response in
            // [weak self] not needed as `self` is not called
            let posts = try response.decode([Post].self)
            return SuccessResponse<[Post]>(data: posts, response: response)
        }).response({ [weak self] response in
            // [weak self] needed as `self` is called
            self?.show(response.data)
        }).completion({ [weak self] in
            // [weak self] needed as `self` is called
            self?.postResponseFuture = nil
        })

        self.postResponseFuture?.send()
    }

    func circularReference() {
        self.strongResponseFuture = dispatcher.future(from: request).response({ response in
            self.show(try response.decode([Post].self))
        }).send()
    }

    func weakReference(_ ended: Latch) {
        self.weakResponseFuture = dispatcher.future(from: request).completion({
            // Always triggered
            ended.open()
        }).send()
    }

    func lostReference(_ told: Told<String>) {
        self.weakResponseFuture = dispatcher.future(from: request).completion({
            told.append("completion")
        })
        // Our object is already nil because we have not established a strong reference to it.
        self.weakResponseFuture?.send()
    }
}

/// The same in a class of no actor, as a server has.
final class SeedService: Sendable {
    typealias Post = SeedPost

    let dispatcher: any Dispatcher
    let request = BasicRequest(method: .get, path: "/posts")

    init(_ dispatcher: any Dispatcher) {
        self.dispatcher = dispatcher
    }

    func getPosts() -> ResponseFuture<[Post]> {
        return dispatcher.future(from: request).then({ response -> [Post] in
            if let error = response.error {
                throw error
            }

            return try response.decode([Post].self)
        })
    }

    func fetchUser(forId id: Int) -> ResponseFuture<SeedUser> {
        dispatcher.future(from: BasicRequest(method: .get, path: "/users/\(id)")).then { try $0.decode(SeedUser.self) }
    }

    func firstPost() -> ResponseFuture<(Post, SeedUser)> {
        return getPosts().then({ posts -> Post in
            guard let post = posts.first else { throw Failure(name: "no posts") }
            return post
        }).join({ post -> ResponseFuture<SeedUser> in
            return self.fetchUser(forId: post.userId)
        })
    }
}
