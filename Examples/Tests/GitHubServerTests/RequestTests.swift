import DemoHTTP
import Foundation
import GitHubServer
import Testing

@Suite("Requests")
struct RequestTests {
    @Test("The log says what was asked, by whom, and what the answer was")
    func log() async throws {
        try await withServer { (server, client) async throws in
            let tag = try #require(try await client.get("/users/ann")["ETag"])
            _ = try await client.get("/users/ann", as: .ann, ["If-None-Match": tag])
            _ = try await client.send("PUT", "/user/starred/edge-cases/empty", as: .ann)
            let records = server.requests.records
            #expect(records.map(\.method) == ["GET", "GET", "PUT"])
            #expect(records.map(\.target) == ["/users/ann", "/users/ann", "/user/starred/edge-cases/empty"])
            #expect(records.map(\.status) == [200, 304, 204])
            #expect(records.map(\.isSignedIn) == [false, true, true])
            #expect(records.map(\.isConditional) == [false, true, false])
            #expect(server.requests.count(path: "/users/ann") == 2)
            #expect(server.requests.count(method: "PUT", path: "/user/starred") == 1)
            server.resetRequests()
            #expect(server.requests.count == 0)
        }
    }

    @Test("Who waits for requests goes on when they have come, and can be cancelled before")
    func waiting() async throws {
        try await withServer { (server, client) async throws in
            async let log = server.requests { $0.answered == 2 }
            _ = try await client.get("/users/ann")
            _ = try await client.get("/users/bob")
            #expect(try await log.records.map(\.status) == [200, 200])
            let never = Task { try await server.requests { $0.count == 99 } }
            never.cancel()
            await #expect(throws: CancellationError.self) { try await never.value }
        }
    }

    @Test("A port that is none is an error")
    func port() async throws {
        await #expect(throws: GitHubServerError.invalidPort(70_000)) { try await GitHubServer.start(port: 70_000) }
    }
}
