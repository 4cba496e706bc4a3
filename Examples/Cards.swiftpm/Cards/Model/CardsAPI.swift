import Foundation
import PigeonHTTP

/// The requests that the app sends to its server. Conform another type to it, and the screens stay as they are.
protocol CardsAPI: Sendable {
    func signIn(as name: String) async throws -> User
    func feed(page: Int) async throws -> [Post]
    func cards() async throws -> [Card]
    func card(_ id: Card.ID) async throws -> Card
    func cards(named text: String) async throws -> [Card]
    func picture(of id: Card.ID) async throws -> Data
    func rename(_ id: Card.ID, to name: String) async throws -> Card
}

/// The API over HTTP.
extension NetworkDispatcher: CardsAPI {
    func signIn(as name: String) async throws -> User { try await value(from: .post("/session", json: ["name": name])) }
    func feed(page: Int) async throws -> [Post] { try await value(from: .get("/feed?page=\(page)")) }
    func cards() async throws -> [Card] { try await value(from: .get("/cards")) }
    func card(_ id: Card.ID) async throws -> Card { try await value(from: .get("/cards/\(id)")) }
    func cards(named text: String) async throws -> [Card] {
        try await value(from: .get("/search", queryItems: [URLQueryItem(name: "name", value: text)]))
    }
    func picture(of id: Card.ID) async throws -> Data { try await data(from: .get("/pictures/\(id)")) }
    func rename(_ id: Card.ID, to name: String) async throws -> Card {
        try await value(from: .patch("/cards/\(id)", json: ["name": name]))
    }
}

extension HTTPPolicy {
    /// Shows the server's own message for a refused request.
    static var cards: HTTPPolicy {
        var policy = HTTPPolicy()
        policy.errorMessage = { try $0.decode([String: String].self)["message"] }
        return policy
    }
}
