import Foundation
import PigeonFutures
import SeedSupport
import Testing

extension ViewController {
    // "Future": the README says `post.userId` in the third callback, where there is no `post`: it is `enrichedPost`.
    func chain() {
        // [003.6
        dispatcher.future(from: request).then({ response -> Post in
            // Handles any responses and transforms them to another type
            // This includes negative responses such as 4xx and 5xx

            // The error object is available if we get an
            // undesirable status code such as a 4xx or 5xx
            if let error = response.error {
                // Throwing an error in any callback will trigger the `error` callback.
                // This allows us to pool all the errors in one place.
                throw error
            }

            return try response.decode(Post.self)
        }).replace({ post -> ResponseFuture<EnrichedPost> in
            // Perform some operation that itself uses a future
            // such as something heavy like markdown parsing.
            // Any callback can be transformed to a future.
            return self.enrich(post: post)
        }).join({ enrichedPost -> ResponseFuture<User> in
            // Joins a future with another one returning both results
            return self.fetchUser(forId: enrichedPost.userId)
        }).response({ enrichedPost, user in
            // The final response callback includes all the transformations and
            // Joins we had previously performed.
            self.journal.add("\(enrichedPost.text) \(enrichedPost.id) by \(user.id)")
        }).error({ error in
            // Handles any errors throw in any callbacks
            self.journal.add("error \(error)")
        }).completion({
            // At the end of all the callbacks, this is triggered once. Error or no error.
            self.journal.add("completion")
        }).send()
        // 003.6]
    }

    // "response callback"
    func response() -> ResponseFuture<Response<Data?>> {
        // [003.7
        dispatcher.future(from: request).response({ response in
            // Triggered when a response is recieved and all callbacks succeed.
            self.journal.add("response \(response.statusCode.rawValue)")
        })
        // 003.7]
    }

    // "error callback"
    func error() -> ResponseFuture<Response<Data?>> {
        // [003.8
        dispatcher.future(from: request).error({ error in
            // Any errors thrown in any other callback will be triggered here.
            // Think of this as the `catch` on a `do` block.
            self.journal.add("error \(error)")
        })
        // 003.8]
    }

    // "completion callback"
    func completion() -> ResponseFuture<Response<Data?>> {
        // [003.9
        dispatcher.future(from: request).completion({
            // The completion callback guaranteed to be called once
            // for every time the `send` or `start` method is triggered on the callback.
            self.journal.add("completion")
        })
        // 003.9]
    }

    // "then callback"
    func then() -> ResponseFuture<Post> {
        // [003.10
        dispatcher.future(from: request).then({ response -> Post in
            // The `then` callback transforms a successful response to another object
            // You can return any object here and this will be reflected on the `success` callback.
            return try response.decode(Post.self)
        }).response({ post in
            // Handles any success responses.
            // In this case the object returned in the `then` method.
            self.journal.add("post \(post.id)")
        })
        // 003.10]
    }

    // "replace callback"
    func replace() -> ResponseFuture<EnrichedPost> {
        // [003.11
        dispatcher.future(from: request).then({ response -> Post in
            return try response.decode(Post.self)
        }).replace({ post -> ResponseFuture<EnrichedPost> in
            // Perform some operation operation that itself requires a future
            // such as something heavy like markdown parsing.
            return self.enrich(post: post)
        }).response({ enrichedPost in
            // The final response callback has the enriched post.
            self.journal.add("\(enrichedPost.text) \(enrichedPost.id)")
        })
        // 003.11]
    }

    // "join callback"
    func join() -> ResponseFuture<(Post, User)> {
        // [003.12
        dispatcher.future(from: request).then({ response -> Post in
            return try response.decode(Post.self)
        }).join({ post -> ResponseFuture<User> in
            // Joins a future with another one returning both results
            return self.fetchUser(forId: post.userId)
        }).response({ post, user in
            // The final response callback includes both results.
            self.journal.add("\(post.id) by \(user.id)")
        })
        // 003.12]
    }
}

extension Seed003 {
    @MainActor
    struct Chaining {
        private let asked = Asked()

        /// What a future's callbacks write once it is sent; before, nothing happens.
        private func lines<Value>(
            _ dispatcher: Asked, _ future: (ViewController) -> ResponseFuture<Value>
        ) async -> [String] {
            let controller = ViewController(dispatcher)
            let future = future(controller)
            #expect(dispatcher.requests == [])
            let ended = Journal()
            future.completion { ended.add("ended") }.send()
            _ = await ended.take(until: "ended")
            return controller.journal.take()
        }

        @Test func `then, replace and join in a row: the response callback gets what they made`() async {
            let controller = ViewController(asked)
            controller.chain()
            #expect(await controller.journal.take(until: "completion") == ["rich 7 by 3", "completion"])
            #expect(asked.requests == ["GET /posts", "GET /users/3"])
        }

        @Test(arguments: [(Asked.post, 404), ("{}", 200)])
        func `what any callback of the row throws meets in one place`(_ body: String, _ status: Int) async {
            let controller = ViewController(Asked(body, status: status))
            controller.chain()
            let lines = await controller.journal.take(until: "completion")
            #expect(lines.count == 2 && lines[0].hasPrefix("error"))
        }

        @Test func `response is triggered by an answer, whatever its status`() async {
            #expect(await lines(asked) { $0.response() } == ["response 200"])
            #expect(await lines(Asked(status: 500)) { $0.response() } == ["response 500"])
        }

        @Test func `error is triggered by what another callback throws, and by nothing else`() async {
            #expect(await lines(asked) { $0.error() } == [])
            let lines = await lines(Asked()) { controller in
                controller.error().response { _ in throw Expected() }
            }
            #expect(lines == ["error Expected()"])
        }

        @Test func `completion is called once, after an answer and after an error`() async {
            #expect(await lines(asked) { $0.completion() } == ["completion"])
            let lines = await lines(Asked()) { controller in
                controller.completion().response { _ in throw Expected() }
            }
            #expect(lines == ["completion"])
        }

        @Test func `then gives the response callback another type`() async {
            #expect(await lines(asked) { $0.then() } == ["post 7"])
        }

        @Test func `replace goes on with a future made of the value`() async {
            #expect(await lines(asked) { $0.replace() } == ["rich 7"])
        }

        @Test func `join gives both values, and asks for the second after the first`() async {
            #expect(await lines(asked) { $0.join() } == ["7 by 3"])
            #expect(asked.requests == ["GET /posts", "GET /users/3"])
        }
    }
}

/// An error that a test throws.
struct Expected: Error {}
