import DemoHTTP
import Foundation
import Testing

@testable import GitHubServer

@Suite("Latency")
struct LatencyTests {
    @Test("The script decides first, then the longest path that fits, then the fixed time")
    func choice() {
        var latency = Latency(
            .seconds(1), paths: ["/users": .seconds(2), "/users/ann": .seconds(3)],
            script: [.seconds(5), .seconds(90), .seconds(-1)])
        let times = (0..<3).map { _ in latency.take(for: ["users", "ann"]) }
        #expect(times == [.seconds(5), .seconds(30), .zero])
        #expect(latency.take(for: ["users", "ann", "repos"]) == .seconds(3))
        #expect(latency.take(for: ["users", "bob"]) == .seconds(2))
        #expect(latency.take(for: ["search"]) == .seconds(1))
    }

    @Test("A slow path holds up no other one")
    func paths() async throws {
        try await withServer { (server, client) async throws in
            server.latency = Latency(paths: ["/users/ann": .seconds(30)])
            let slow = Task { try await client.get("/users/ann") }
            try await server.requests { $0.count(path: "/users/ann") == 1 }
            #expect(try await client.get("/users/bob").status == 200)
            #expect(server.requests.answered == 1)
            slow.cancel()
            _ = try? await slow.value
        }
    }

    @Test("Answers come out of order when the script says so")
    func script() async throws {
        try await withServer { (server, client) async throws in
            server.latency = Latency(script: [.seconds(30), .zero])
            let first = Task { try await client.get("/users/a") }
            try await server.requests { $0.count == 1 }
            #expect(try await client.get("/users/an").status == 200)
            #expect(server.requests.records.map(\.status) == [nil, 200])
            first.cancel()
            _ = try? await first.value
        }
    }

    @Test("Held answers wait for their release, with what lies below their path")
    func held() async throws {
        try await withServer { (server, client) async throws in
            server.hold("/users/an", "/users/ann")
            async let an = client.get("/users/an")
            async let repositories = client.get("/users/ann/repos")
            try await server.requests { $0.count == 2 }
            #expect(try await client.get("/users/anna").status == 200)
            #expect(server.requests.answered == 1)
            server.release("/users/ann")
            #expect(try await repositories.status == 200)
            #expect(server.requests.answered == 2)
            server.release()
            #expect(try await an.status == 200)
            #expect(try await client.get("/users/an").status == 200)
        }
    }

    @Test("A client that gives up is told apart from one that waits, and its request is not carried out")
    func abandoned() async throws {
        try await withServer { (server, client) async throws in
            server.hold("/user/starred")
            let star = Task { try await client.send("PUT", "/user/starred/edge-cases/empty", as: .ann) }
            try await server.requests { $0.count == 1 }
            #expect(server.requests.records.first?.isAbandoned == false)
            star.cancel()
            try await server.requests { $0.records.first?.isAbandoned == true }
            server.release()
            #expect(try await client.get("/user/starred/edge-cases/empty", as: .ann).status == 404)
            #expect(server.requests.records.first?.status == nil)
        }
    }

    @Test("Stopping the server ends the answers that wait, and those who wait for requests")
    func stopped() async throws {
        let server = try await GitHubServer.start()
        let client = Client(server)
        defer { client.close() }
        server.hold("/")
        let reply = Task { try await client.get("/users/ann") }
        try await server.requests { $0.count >= 1 }
        let waiting = Task { try await server.requests { _ in false } }
        try await server.stop()
        await #expect(throws: (any Error).self) { try await reply.value }
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test("A server that is let go is freed, also while it holds answers back")
    func freed() async throws {
        var server: GitHubServer? = try await GitHubServer.start()
        weak let released = server
        let client = Client(try #require(server))
        server?.hold("/")
        let reply = Task { try await client.get("/users/ann") }
        try await server?.requests { $0.count == 1 }
        server = nil
        #expect(released == nil)
        await #expect(throws: (any Error).self) { try await reply.value }
        client.close()
    }
}
