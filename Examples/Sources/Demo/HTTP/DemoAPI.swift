import Foundation
import Pigeon

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Speaks JSON over HTTP with a server, and counts what it says.
struct DemoAPI: Sendable {
    let root: URL
    let traffic: Traffic

    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil  // what is cached here is Pigeon's to decide
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = 5
        return URLSession(configuration: configuration)
    }()

    /// Asks for a value; with a context, only for one that has changed since the last time.
    func get<Value: Decodable>(_ path: String, _ context: FetchContext<Value>? = nil) async throws -> Value {
        var request = request("GET", path)
        if let context, context.previous != nil, let tag = context.validators.eTag {
            request.setValue(tag, forHTTPHeaderField: "If-None-Match")
        }
        let (body, response) = try await send(request)
        if response.statusCode == 304, let context { return try context.notModified() }
        context?.validators.eTag = response.value(forHTTPHeaderField: "ETag")
        return try JSONDecoder().decode(Value.self, from: body)
    }

    /// Changes some fields.
    func patch<Value: Decodable>(_ path: String, _ fields: [String: String], key: String) async throws -> Value {
        var request = request("PATCH", path)
        request.httpBody = try JSONEncoder().encode(fields)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
        return try JSONDecoder().decode(Value.self, from: try await send(request).body)
    }

    private func request(_ method: String, _ path: String) -> URLRequest {
        let base = root.absoluteString
        let address = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
        var request = URLRequest(url: URL(string: address) ?? root)
        request.httpMethod = method
        return request
    }

    private func send(_ request: URLRequest) async throws -> (body: Data, response: HTTPURLResponse) {
        let exchange = traffic.begin(request)
        do {
            let (body, response) = try await Self.session.data(for: request)
            guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            traffic.end(exchange, response)
            guard response.statusCode < 400 else { throw HTTPError(response) }
            return (body, response)
        } catch let error as URLError {
            traffic.end(exchange, error)
            throw error.code == .cancelled ? CancellationError() : NoAnswer(reason: error.localizedDescription)
        }
    }
}

/// A request that got no answer.
struct NoAnswer: TransientErrorType, CustomStringConvertible {
    let reason: String
    let isTransient = true

    var description: String { "no answer" }
}

/// An answer that says no.
struct HTTPError: TransientErrorType, CustomStringConvertible {
    let statusCode: Int?
    let retryAfter: Duration?

    init(_ response: HTTPURLResponse) {
        statusCode = response.statusCode
        retryAfter = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }.map { .seconds($0) }
    }

    var description: String { "HTTP \(statusCode ?? 0)" }
}
