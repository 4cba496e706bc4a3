import Foundation
import PigeonFutures
import Testing

@Suite("Futures passed on")
struct FutureChainTests {
    private func dispatcher(_ body: String, status: Int = 200) -> ClosureDispatcher {
        ClosureDispatcher { request in
            request.path.hasPrefix("/users/")
                ? .text(#"{"id": \#(request.path.suffix(1))}"#) : .text(body, status: status)
        }
    }

    @Test("A chain in a class of no actor, as a server has")
    func service() async throws {
        let (post, user) = try await PostService(dispatcher(#"[{"id": 7, "userId": 3}]"#)).firstPost().value
        #expect(post.id == 7 && user.id == 3)
        await #expect(throws: Failure(name: "no posts")) {
            _ = try await PostService(dispatcher("[]")).firstPost().value
        }
    }

    @Test("decoded, decodedString and safeDecoded")
    func decoding() async throws {
        func asked(_ body: String, _ status: Int = 200) -> ResponseFuture<Response<Data?>> {
            dispatcher(body, status: status).future(from: BasicRequest(method: .get, path: "/posts"))
        }
        #expect(try await asked(#"{"id": 1}"#).decoded(User.self).value.data == User(id: 1))
        #expect(try await asked("text", 201).decodedString().value.statusCode == .created)
        #expect(try await asked(#"{"id": 1}"#, 400).safeDecoded(User.self).value.data.get() == User(id: 1))
        #expect(try await asked("{").safeDecoded(User.self).map { (try? $0.data.get()) == nil }.value)
        await #expect(throws: ResponseError.self) { _ = try await asked("{}", 404).decoded(User.self).value }
        await #expect(throws: ResponseError.self) { _ = try await asked("{}", 404).decodedString().value }
        await #expect(throws: SerializationError.self) { _ = try await asked("{").decoded(User.self).value }
    }
}

private struct Post: Codable {
    var id: Int
    var userId: Int
}

private struct User: Codable, Equatable {
    var id: Int
}

private final class PostService: Sendable {
    private let dispatcher: any Dispatcher

    init(_ dispatcher: any Dispatcher) {
        self.dispatcher = dispatcher
    }

    func getPosts() -> ResponseFuture<[Post]> {
        dispatcher.future(from: BasicRequest(method: .get, path: "/posts")).then { response in
            if let error = response.error { throw error }
            return try response.decode([Post].self)
        }
    }

    func fetchUser(forId id: Int) -> ResponseFuture<User> {
        dispatcher.future(from: BasicRequest(method: .get, path: "/users/\(id)")).then { try $0.decode(User.self) }
    }

    func firstPost() -> ResponseFuture<(Post, User)> {
        getPosts().then { posts -> Post in
            guard let post = posts.first else { throw Failure(name: "no posts") }
            return post
        }.join { post -> ResponseFuture<User> in
            self.fetchUser(forId: post.userId)
        }
    }
}
