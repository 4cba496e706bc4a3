import Foundation
import PigeonFutures
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// `NetworkDispatcher` is ambiguous in a file that imports PigeonHTTP too, so PiuPiu's names have a file of their own.

@Suite("Futures")
@MainActor
struct FuturesTests {
    @Test func `futures say all before they start`() async throws {
        let url = try #require(URL(string: "https://api.example.com"))
        let mock = MockTransport()
        mock.answer(.get, "/users/:id", with: try .json(User(id: 42, name: "Bea")))
        mock.answer(.get, "/users/:id/posts", with: try .json([Post(title: "Hello")]))
        let dispatcher = NetworkDispatcher(baseURL: url, transport: mock)
        var printed: [String] = []
        func print(_ texts: Any...) { printed.append(texts.map { "\($0)" }.joined(separator: " ")) }
        dispatcher.future(from: .get("/users/42"))
            .then { response in try response.decode(User.self) }
            .join { user in dispatcher.future(from: .get("/users/\(user.id)/posts")) }
            .response { user, posts in print(user.name, posts.statusCode) }
            .error { error in print("Oops: \(error)") }
            .send()
        await until { !printed.isEmpty }
        #expect(printed == ["Bea 200"])
    }
}

/// The snippets of PigeonFutures' documentation comments, compiled, as in `DocumentationSnippets.swift`.
private enum FuturesSnippets {
    struct Problem: Codable, Sendable {}

    static func show<Value>(_ value: Value) {}
    static func fetchPost(for id: Int) -> ResponseFuture<Post> { ResponseFuture(result: Post(title: "\(id)")) }

    static func futures(_ dispatcher: NetworkDispatcher, _ request: BasicRequest, _ post: Post, _ ids: [Int]) {
        dispatcher.future(from: {
            var request = BasicRequest(method: .post, path: "/posts")
            try request.setJSONBody(post)
            return request
        }).error({ error in show(error) }).send()
        dispatcher.future(from: request).then { response in
            try response.decode(Post.self)
        }.response { post in
            show(post)
        }.error { error in
            show(error)
        }.send()
        dispatcher.promise(from: request).success { response in
            show(try response.decode(Post.self))
        }.failure { response in
            show(try response.decode(Problem.self))
        }.error { error in
            show(error)
        }.send()
        let posts =
            ResponseFuture<[Post]> { ids.map { fetchPost(for: $0) } }
        let answers = dispatcher.publisher(for: request)
        show((posts, answers))
    }

    static func plainRequests(_ url: URL, _ server: FixedServer, _ post: Post) {
        do {
            let dispatcher = URLRequestDispatcher()
            dispatcher.dataFuture(from: URLRequest(url: url, method: .get))
                .then(HTTPResponse<Data?>.self) { response in
                    let httpResponse = try response.makeHTTPResponse()
                    if let error = httpResponse.httpError { throw error }
                    return httpResponse
                }
                .decoded(Post.self)
                .success { response in show(response.data) }
                .error { error in show(error) }
                .send()
        }
        do {
            let dispatcher = URLRequestDispatcher()
            dispatcher.dataFuture(from: URLRequest(url: url, method: .get)).success { show($0) }.send()
            dispatcher.dataFuture(from: URLRequest(url: url, method: .get))
                .success { response in show(try response.decode(Post.self)) }
                .send()
            let serializer = RequestSerializer(dispatcher: dispatcher, serverProvider: server)
            serializer.dataFuture(from: .get("/posts")).success { response in show(response) }.send()
        }
        let dispatcher = MockURLRequestDispatcher(delay: 0.5) { request in
            try Response.makeMockJSONResponse(with: request, encodable: post, statusCode: .ok)
        }
        show(dispatcher)
    }
}
