// "1. Import PiuPiu into your file": the module is called PigeonFutures here.
// [003.1
import PigeonFutures
// 003.1]

import Foundation
import SeedSupport
import Testing

// "2. Implement a ServerProvider": `nonisolated` was added. A dispatcher asks from any thread, and a view controller lives on
// the main actor.
// [003.2
extension ViewController: ServerProvider {
    nonisolated var baseURL: URL? {
        return URL(string: "https://example.com")!
    }
}
// 003.2]

extension ViewController {
    // "3. Making a request": the README says `if error =`, which is not Swift.
    func makeRequest() {
        // [003.3
        let dispatcher = NetworkDispatcher(serverProvider: self)
        let request = BasicRequest(method: .get, path: "/posts")

        dispatcher.future(from: request).response({ response in
            // Handles all responses including negative responses such as 4xx and 5xx

            // The error object is available if we get an
            // undesirable status code such as a 4xx or 5xx
            if let error = response.error {
                // Throwing an error in any callback will trigger the `error` callback.
                // This allows us to pool all failures in one place.
                throw error
            }

            let post = try response.decode(Post.self)
            // Do something with our deserialized object
            // ...
            self.journal.add("post \(post.id)")
        }).error({ error in
            // Handles any errors during the request process,
            // including anything thrown in any of the callback (except this one).
            self.journal.add("error \(error)")
        }).completion({
            // The completion callback is guaranteed to be called once
            // for every time the `start()` or `send()` method is triggered on the future.
            self.journal.add("completion")
            //
        }).start()
        // 003.3]
    }

    // "4. Separating concerns and transforming the future"
    // [003.4
    private func getPosts() -> ResponseFuture<[Post]> {
        let dispatcher = NetworkDispatcher(serverProvider: self)
        let request = BasicRequest(method: .get, path: "/posts")

        // We create a future and tell it to transform the response using the
        // `then` callback.
        return dispatcher.future(from: request).then({ response -> [Post] in
            // This callback transforms our response to another type
            // We can still handle errors the same way as we did before.

            if let error = response.error {
                // The error is available when a non-2xx response comes in
                // Such as a 4xx or 5xx
                // You may also parse a custom error object here.
                throw error
            }

            // Return the decoded object. If an error is thrown while decoding,
            // It will be caught in the `error` callback.
            return try response.decode([Post].self)
        })
    }
    // 003.4]

    func show(_ responseExpectation: Expectation) {
        // [003.5
        getPosts().response({ posts in
            // Handle the success which will give your posts.
            responseExpectation.fulfill()
            self.show(posts)
        }).error({ error in
            // Triggers whenever an error is thrown.
            // This includes deserialization errors, unwraping failures, and anything else that is thrown
            // in a any other throwable callback.
            self.journal.add("error \(error)")
        }).completion({
            // Always triggered at the very end to inform you this future has been satisfied.
            self.journal.add("completion")
        }).send()
        // 003.5]
    }
}

extension Seed003 {
    @MainActor
    struct MakingRequests {
        private let controller = ViewController()
        private var journal: Journal { controller.journal }

        @Test func `the server is where the provider says, and the post is asked for there`() async {
            ExampleCom.begin(Asked.post)
            controller.makeRequest()
            #expect(await journal.take(until: "completion") == ["post 7", "completion"])
            #expect(ExampleCom.example.asked == ["GET /posts"])
        }

        @Test(arguments: [(Asked.post, 404), (Asked.post, 503), ("{", 200)])
        func `what is thrown in a callback meets in the error callback, and completion is called once`(
            _ body: String, _ status: Int
        ) async {
            ExampleCom.begin(body, status: status)
            controller.makeRequest()
            let lines = await journal.take(until: "completion")
            #expect(lines.count == 2 && lines[0].hasPrefix("error") && lines[1] == "completion")
        }

        @Test func `a future that is returned is started by who called, and gives the posts`() async {
            ExampleCom.begin("[\(Asked.post)]")
            controller.show(Expectation(name: "fulfilled", journal: journal))
            #expect(await journal.take(until: "completion") == ["fulfilled", "posts [7]", "completion"])
        }

        @Test(arguments: [("[]", 500), ("{}", 200)])
        func `a future that is returned gives its error to who called`(_ body: String, _ status: Int) async {
            ExampleCom.begin(body, status: status)
            controller.show(Expectation(name: "fulfilled", journal: journal))
            let lines = await journal.take(until: "completion")
            #expect(lines.count == 2 && lines[0].hasPrefix("error"))
        }
    }
}
