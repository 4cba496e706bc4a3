import Foundation
import Pigeon
import PigeonHTTP
import PigeonTesting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The snippets of PigeonHTTP's documentation comments, compiled, as in `DocumentationSnippets.swift`.
private enum HTTPSnippets {
    struct Issue: Codable, Sendable {}

    actor LoginCookie: URLRequestAdapter, URLResponseAdapter {
        private var cookie: String?

        func adapt(_ request: URLRequest) async throws -> URLRequest {
            var request = request
            if let cookie { request.setValue(cookie, forHTTPHeaderField: "Cookie") }
            return request
        }

        func adapt(_ response: Response<Data?>) async throws -> Response<Data?> {
            let set = response.headers.values(of: "Set-Cookie").first { $0.hasPrefix("session=") }
            if let set { cookie = set.components(separatedBy: ";").first }
            return response
        }
    }

    struct Session: Sendable {
        func renew(_ token: String?) async throws -> String { "" }
    }

    static func show<Value>(_ value: Value) {}
    static func showNobody() {}

    static func dispatching(_ url: URL) async throws {
        let dispatcher = NetworkDispatcher(baseURL: url)
        let user: User = try await dispatcher.value(from: .get("/users/1"))
        show(user)
    }

    static func queries(_ dispatcher: NetworkDispatcher, _ id: Int, _ text: String, _ tag: String?) async throws {
        let second: [User] = try await dispatcher.value(from: .get("/users?page=2"))
        let posts: [Post] = try await dispatcher.value(from: .get("/users/\(id)/posts?q=\(text)"))
        let found: [User] = try await dispatcher.value(from: .get("/users", query: ["page": 2, "q": text, "tag": tag]))
        show((second, posts, found))
        let issues: [Issue] = try await dispatcher.value(from: .get("/projects/\(component: "group/project")/issues"))
        let folder = BasicRequest(methodName: "PROPFIND", path: "/files", headers: ["Depth": "1"])
        show((issues, folder))
    }

    static func wholeRequests(
        _ dispatcher: NetworkDispatcher, _ file: URL, _ video: URL, _ pictureURL: URL, _ order: User, _ key: String
    ) async throws {
        let log = try await dispatcher.stream(from: .get("/log"))
        for try await piece in log.data { show(piece) }
        try await dispatcher.download(from: .get("/videos/7"), to: file)
        try await dispatcher.upload(file: video, with: BasicRequest(method: .put, path: "/videos/7"))
        var form = MultiPartRequest(method: .post, path: "/pictures")
        form.append("Piran", name: "title")
        form.append(file: pictureURL, name: "picture", mimeType: "image/jpeg")
        try await dispatcher.send(form)
        try await dispatcher.send(.post("/orders", json: order, headers: ["Idempotency-Key": key]))
    }

    static func values(_ dispatcher: NetworkDispatcher, _ id: Int, _ request: BasicRequest) async {
        let user = QueryDefinition<User>("users", id) { context in
            try await dispatcher.value(from: .get("/users/\(id)"), for: context)
        }
        show(user)
        let photo = QueryDefinition<Data>("photos", id) { context in
            try await dispatcher.data(from: .get("/photos/\(id)"), for: context)
        }
        show(photo)
        do {
            let user: User = try await dispatcher.value(from: request)
            show(user)
        } catch .status(let answer) where answer.statusCode == .notFound {
            showNobody()
        } catch {
            show(error)
        }
    }

    static func pages(_ dispatcher: NetworkDispatcher) {
        let posts = QueryDefinition<Pages<[Post], Int>>.pages("posts", first: 1) { page, context in
            try await dispatcher.value(from: .get("/posts/\(page)"), for: context)
        } next: { last, page in
            last.isEmpty ? nil : page + 1
        }
        show(posts)
    }

    static func policies(_ url: URL, _ saved: String, _ session: Session) {
        var policy = HTTPPolicy()
        policy.retry = .standard  // what is transient, backing off, obeying Retry-After
        policy.totalTimeout = .seconds(30)
        policy.requestsPerHost = 8
        let dispatcher = NetworkDispatcher(baseURL: url, policy: policy)
        policy.retry.longestRetryAfter = .seconds(3600)  // a job on a server
        policy.authorization = TokenAuthorization(token: saved) { refused in
            try await session.renew(refused)
        }
        show(dispatcher)
    }

    static func messages(_ url: URL) {
        var policy = HTTPPolicy()
        policy.errorMessage = { answer in try answer.decode([String: String].self)["message"] }
        let dispatcher = NetworkDispatcher(baseURL: url, policy: policy)
        show(dispatcher)
    }

    static func requests(_ user: User, _ recording: URL, _ pictureURL: URL) throws {
        let server = FixedServer(URL(string: "https://api.example.com/v1"))
        posting: do {
            var request = BasicRequest(method: .post, path: "/users")
            try request.setJSONBody(user)
            show(request)
        }
        sending: do {
            var request = BasicRequest(method: .put, path: "/videos/7")
            request.body = .file(recording)
            show(request)
        }
        forms: do {
            var request = MultiPartRequest(method: .post, path: "/pictures")
            request.append("Piran", name: "title")
            request.append(file: pictureURL, name: "picture", mimeType: "image/jpeg")
            show(request)
        }
        show(server)
    }

    struct Page: Decodable {
        let url: URL?

        enum CodingKeys: CodingKey { case url }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            url = try container.decode(using: URLTransform(), forKey: .url)
        }
    }

    static func mocking(_ url: URL, _ users: [String?: User], _ user: User) throws {
        struct User: Encodable, Sendable { let id: String? }
        let mock = MockTransport()
        mock.answer(.get, "/users/:id") { request, values in try .json(User(id: values["id"])) }
        mock.answer(.post, "/users", with: .status(.serviceUnavailable), then: .status(.created))
        mock.answer(.get, "/users/:id") { request, values in try .json(users[values["id"]]) }
        mock.answer(.get, "https://cdn.example.com/**", with: .status(.notFound))
        mock.answer(.get, [.constant("posts"), .wildcard(type: .integer)], with: .text("a post"))
        mock.answer(.get, "/users/7", with: .status(.serviceUnavailable), then: try .json(user).after(.seconds(2)))
        mock.answer(.get, "/me", with: .status(401), then: try .json(user))
        let post: [PathComponent] = [.constant("posts"), .wildcard(type: .integer)]
        let id =
            url.integerValue(atIndex: 1, matching: post)  // 7, for https://example.com/posts/7
        show(id)
    }

    static func scripting(_ server: ScriptedFetcher<User>) {
        server.fail(with: HTTPError.status(422, message: "The name is taken."))
    }

    static func events(_ dispatcher: NetworkDispatcher, _ request: BasicRequest) async throws {
        let events =
            dispatcher.events(from: request, reconnecting: .standard)
        show(events)
        for try await event in dispatcher.events(from: .get("/news"), reconnecting: .standard) {
            show(event.data)
        }
    }

    static func files(_ dispatcher: NetworkDispatcher, _ file: URL, _ video: URL) async throws {
        try await dispatcher.download(from: .get("/videos/7"), to: file)
        try await dispatcher.upload(file: video, with: BasicRequest(method: .put, path: "/videos/7")) { show($0.sent) }
    }

    #if AsyncHTTPClient
        static func secondTransport(_ url: URL) {
            let dispatcher = NetworkDispatcher(baseURL: url, transport: AsyncHTTPClientTransport())
            show(dispatcher)
        }

        static func cookies(_ url: URL) {
            var policy = HTTPPolicy()
            let login = LoginCookie()
            policy.requestAdapters = [login]
            policy.responseAdapters = [login]
            let dispatcher = NetworkDispatcher(baseURL: url, transport: AsyncHTTPClientTransport(), policy: policy)
            show(dispatcher)
        }
    #endif

    static func mockDispatcher(_ url: URL, _ user: User) throws {
        let dispatcher = MockDispatcher(baseUrl: url, mockStatusCode: .ok)
        try dispatcher.setMockData(user)  // the answer to whatever is asked
        dispatcher.answer(.get, "/users/:id") { request, values in .text(values["id"] ?? "") }  // or one by one
    }

    static func transports(_ url: URL) async throws {
        let transport = URLSessionTransport()
        let answer = try await transport.send(TransportRequest(method: .get, url: url), limit: 1 << 20, report: nil)
        show(answer)
    }
}
