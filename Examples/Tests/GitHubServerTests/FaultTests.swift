import DemoHTTP
import Foundation
import GitHubServer
import Testing

@Suite("Faults")
struct FaultTests {
    @Test("The next requests fail with a status, and then all is well", arguments: [500, 503])
    func next(status: Int) async throws {
        try await withServer { (server, client) async throws in
            server.faults = .failing(status: status, retryAfter: 1, times: 2)
            var statuses: [Int] = []
            for _ in 0..<3 { statuses.append(try await client.get("/users/ann").status) }
            #expect(statuses == [status, status, 200])
        }
    }

    @Test("A failure has a message, Retry-After and the headers of the rate limit")
    func message() async throws {
        try await withServer { (server, client) async throws in
            server.faults = .failing(["/users"], status: 503, retryAfter: 7)
            let reply = try await client.get("/users/ann")
            #expect(reply.message == "Service unavailable, try again later")
            #expect(reply["Retry-After"] == "7")
            #expect(reply["X-RateLimit-Limit"] == "60")
            #expect(try await client.get("/repos/edge-cases/empty").status == 200)
        }
    }

    @Test("Offline nothing is answered, not even what waits; online again all is as before")
    func offline() async throws {
        try await withServer { (server, client) async throws in
            server.hold("/users/ann")
            let waiting = Task { try await client.get("/users/ann") }
            try await server.requests { $0.count == 1 }
            server.isOffline = true
            await #expect(throws: (any Error).self) { try await waiting.value }
            await #expect(throws: (any Error).self) { try await client.get("/users/bob") }
            #expect(server.requests.answered == 0)
            server.release()
            server.isOffline = false
            #expect(try await client.get("/users/ann").status == 200)
        }
    }

    @Test("A connection can be reset in place of an answer")
    func reset() async throws {
        try await withServer { (server, client) async throws in
            server.faults = .resetting(["/users"])
            await #expect(throws: (any Error).self) { try await client.get("/users/ann") }
            #expect(try await client.get("/repos/edge-cases/empty").status == 200)
        }
    }
}
