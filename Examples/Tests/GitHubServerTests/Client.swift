import DemoHTTP
import Foundation
import GitHubServer
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Asks a started server over real HTTP, with no cache of its own.
struct Client {
    struct Reply {
        let status: Int
        let body: Data
        private let header: @Sendable (String) -> String?

        init(body: Data, response: HTTPURLResponse) {
            status = response.statusCode
            self.body = body
            header = { response.value(forHTTPHeaderField: $0) }
        }

        subscript(name: String) -> String? { header(name) }

        var text: String { String(decoding: body, as: UTF8.self) }

        var message: String? { try? decode(Message.self).message }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(type, from: body)
        }

        /// The addresses of the `Link` header by their relation.
        var links: [String: String] {
            let pairs = (self["Link"] ?? "").matches(of: /<([^>]*)>; rel="(\w+)"/)
            return Dictionary(pairs.map { (String($0.output.2), String($0.output.1)) }) { first, _ in first }
        }
    }

    private struct Message: Decodable {
        let message: String
    }

    struct NoHTTPResponse: Error {}

    private let root: String
    private let session: URLSession

    init(_ server: GitHubServer) {
        root = server.url.absoluteString
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration)
    }

    func get(_ target: String, as account: Account? = nil, _ headers: [String: String] = [:]) async throws -> Reply {
        try await send("GET", target, as: account, headers)
    }

    func send(
        _ method: String, _ target: String, as account: Account? = nil, _ headers: [String: String] = [:],
        body: String? = nil
    ) async throws -> Reply {
        // What `Link` gives is a whole address, all else a path.
        let url = try #require(URL(string: target.hasPrefix("/") ? root + target : target))
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        if let account { request.setValue("Bearer \(account.token)", forHTTPHeaderField: "Authorization") }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw NoHTTPResponse() }
        return Reply(body: data, response: response)
    }

    func close() {
        session.invalidateAndCancel()
    }
}

/// Runs a test against a server of its own, which is stopped afterwards.
func withServer(
    _ settings: Settings = Settings(), _ test: (GitHubServer, Client) async throws -> Void
) async throws {
    let server = try await GitHubServer.start(settings)
    let client = Client(server)
    let outcome: Result<Void, any Error>
    do {
        try await test(server, client)
        outcome = .success(())
    } catch {
        outcome = .failure(error)
    }
    client.close()
    try await server.stop()
    try outcome.get()
}
