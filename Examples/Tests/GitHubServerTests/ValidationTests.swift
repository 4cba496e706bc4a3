import Foundation
import GitHubServer
import Testing

@Suite("Validation")
struct ValidationTests {
    @Test(
        "A client that names the tag it has gets a 304 without a body",
        arguments: [
            "/users/ann", "/users/lumen/repos?page=2", "/search/repositories?q=lantern", "/repos/edge-cases/empty",
            "/repos/edge-cases/empty/languages", "/avatars/ann.png",
        ])
    func notModified(target: String) async throws {
        try await withServer { (_, client) async throws in
            let tag = try #require(try await client.get(target)["ETag"])
            #expect(tag.hasPrefix("W/\""))
            let reply = try await client.get(target, ["If-None-Match": tag])
            #expect(reply.status == 304)
            #expect(reply.body.isEmpty)
        }
    }

    @Test("A star gives its repository another tag once it counts")
    func changed() async throws {
        try await withServer { (_, client) async throws in
            let target = "/repos/edge-cases/empty"
            let tag = try #require(try await client.get(target)["ETag"])
            _ = try await client.send("PUT", "/user/starred/edge-cases/empty", as: .ann)
            let reply = try await client.get(target, ["If-None-Match": tag])
            #expect(reply.status == 200)
            #expect(reply["ETag"] != tag)
        }
    }

    @Test("Tags are strong, or left out, when the server is told so")
    func kinds() async throws {
        try await withServer { (server, client) async throws in
            server.entityTags = .strong
            #expect(try await client.get("/users/ann")["ETag"]?.hasPrefix("\"") == true)
            server.entityTags = .none
            let reply = try await client.get("/users/ann", ["If-None-Match": "*"])
            #expect(reply.status == 200)
            #expect(reply["ETag"] == nil)
        }
    }

    @Test("Answers say how long they are fresh only when the server is told so", arguments: [true, false])
    func freshness(hasTags: Bool) async throws {
        try await withServer { (server, client) async throws in
            server.entityTags = hasTags ? .weak : .none
            let reply = try await client.get("/users/ann")
            #expect(reply["Cache-Control"] == nil)
            #expect(reply["Vary"]?.contains("Authorization") == true)
            server.maxAge = 60
            #expect(try await client.get("/users/ann")["Cache-Control"] == "private, max-age=60")
            #expect(try await client.get("/users/nobody")["Cache-Control"] == nil)
        }
    }
}
