import Foundation
import PigeonHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client of the gateway, over real HTTP.
struct Shopper: Sendable {
    struct Answer: Sendable, Equatable {
        let status: Int
        let body: String
        /// The gateway's `X-Cache`.
        let cache: String?
    }

    private let http: NetworkDispatcher

    init(_ url: URL) {
        let configuration = URLSessionTransport.defaultConfiguration
        configuration.httpMaximumConnectionsPerHost = 100
        var policy = HTTPPolicy()
        policy.totalTimeout = .seconds(30)
        http = NetworkDispatcher(baseURL: url, configuration: configuration, policy: policy)
    }

    func get(_ path: String) async throws -> Answer {
        try await answer(to: BasicRequest.get(path))
    }

    func post(_ path: String, _ ids: [Int]) async throws -> Answer {
        try await answer(to: BasicRequest.post(path, json: ids))
    }

    /// Sends requests at once.
    func get(_ path: String, times: Int) async throws -> [Answer] {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<times { group.addTask { try await get(path) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func answer(to request: BasicRequest) async throws -> Answer {
        let response = try await http.response(from: request)
        return Answer(
            status: response.statusCode.rawValue, body: String(decoding: response.data ?? Data(), as: UTF8.self),
            cache: response.headers["X-Cache"])
    }
}
