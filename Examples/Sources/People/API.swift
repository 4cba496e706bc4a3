import PigeonHTTP

struct Person: Codable, Hashable, Identifiable, Sendable {
    let id: Int
    var name: String
    let teamID: Int
}

struct Team: Codable, Hashable, Identifiable, Sendable {
    let id: Int
    let name: String
}

protocol Server: Sendable {
    func people(named text: String, page: Int) async throws -> [Person]
    func person(_ id: Int) async throws -> Person
    func team(_ id: Int) async throws -> Team
    func rename(_ id: Int, to name: String) async throws -> Person
}

extension HTTPPolicy {
    static var people: HTTPPolicy {
        var policy = HTTPPolicy()
        policy.errorMessage = { try $0.decode([String: String].self)["message"] }
        return policy
    }
}

extension NetworkDispatcher: Server {
    func people(named text: String, page: Int) async throws -> [Person] {
        try await value(from: .get("/people?name=\(text)&page=\(page)"))
    }
    func person(_ id: Int) async throws -> Person { try await value(from: .get("/people/\(id)")) }
    func team(_ id: Int) async throws -> Team { try await value(from: .get("/teams/\(id)")) }
    func rename(_ id: Int, to name: String) async throws -> Person {
        try await value(from: .patch("/people/\(id)", json: ["name": name]))
    }
}
