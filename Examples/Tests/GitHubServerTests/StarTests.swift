import Foundation
import GitHubServer
import Testing

@Suite("Stars")
struct StarTests {
    private static let target = "/user/starred/edge-cases/hostile"

    private func stars(_ client: Client) async throws -> Int {
        try await client.get("/repos/edge-cases/hostile").decode(RepositoryRecord.self).stargazersCount
    }

    @Test("Who is signed in can star and unstar; each has stars of their own")
    func own() async throws {
        try await withServer { (_, client) async throws in
            #expect(try await client.get(Self.target, as: .ann).status == 404)
            let put = try await client.send("PUT", Self.target, as: .ann)
            #expect(put.status == 204)
            #expect(put.body.isEmpty)
            #expect(try await client.get("/user/starred/EDGE-cases/Hostile", as: .ann).status == 204)
            #expect(try await client.get(Self.target, as: .bob).status == 404)
            #expect(try await client.send("DELETE", Self.target, as: .ann).status == 204)
            let gone = try await client.get(Self.target, as: .ann)
            #expect(gone.status == 404)
            #expect(gone.message == "Not Found")
        }
    }

    @Test("The count follows at once, and a star given twice counts once")
    func count() async throws {
        try await withServer { (_, client) async throws in
            for _ in 0..<2 { _ = try await client.send("PUT", Self.target, as: .ann) }
            #expect(try await stars(client) == 4)
            _ = try await client.send("PUT", Self.target, as: .bob)
            #expect(try await stars(client) == 5)
            for _ in 0..<2 { _ = try await client.send("DELETE", Self.target, as: .ann) }
            #expect(try await stars(client) == 4)
        }
    }

    @Test("With a delay the count follows later, but whether it is starred is known at once")
    func delay() async throws {
        let time = ManualTime()
        try await withServer(time.settings) { (server, client) async throws in
            server.starCountDelay = .seconds(2)
            _ = try await client.send("PUT", Self.target, as: .ann)
            time.pass(1.9)
            #expect(try await client.get(Self.target, as: .ann).status == 204)
            #expect(try await stars(client) == 3)
            time.pass(0.2)
            #expect(try await stars(client) == 4)
        }
    }

    @Test("Without credentials nothing is starred", arguments: ["GET", "PUT", "DELETE"])
    func anonymous(method: String) async throws {
        try await withServer { (_, client) async throws in
            let reply = try await client.send(method, Self.target)
            #expect(reply.status == 401)
            #expect(reply.message == "Requires authentication")
        }
    }

    @Test("What does not exist cannot be starred", arguments: ["GET", "PUT", "DELETE"])
    func unknown(method: String) async throws {
        try await withServer { (_, client) async throws in
            #expect(try await client.send(method, "/user/starred/ann/none", as: .ann).status == 404)
        }
    }
}
