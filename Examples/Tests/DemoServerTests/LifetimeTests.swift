import DemoServer
import Foundation
import Testing

@Suite("Lifetime")
struct LifetimeTests {
    @Test("Two servers have ports and records of their own")
    func two() async throws {
        try await withServer { (one, firstClient) async throws in
            try await withServer { (two, secondClient) async throws in
                #expect(one.url != two.url)
                _ = try await firstClient.send("DELETE", "/posts/1")
                #expect(try await firstClient.get("/posts/1").status == 404)
                #expect(try await secondClient.get("/posts/1").status == 200)
            }
        }
    }

    @Test("A stopped server is told to those who wait, can be stopped again, and frees its port")
    func stop() async throws {
        // What else runs may take the port at once, for a connection or a server: not twenty times in a row.
        for _ in 0..<20 {
            let server = try await DemoServer.start()
            let port = try #require(server.url.port)
            async let stopped: Void = server.waitUntilStopped()
            try await server.stop()
            try await stopped
            try await server.stop()
            guard let next = try? await DemoServer.start(port: port) else { continue }
            #expect(next.url == server.url)
            return try await next.stop()
        }
        Issue.record("no port was free after its server had stopped")
    }

    @Test("A port that is taken is an error")
    func taken() async throws {
        try await withServer { (server, _) async throws in
            let port = try #require(server.url.port)
            await #expect(throws: (any Error).self) { try await DemoServer.start(port: port) }
        }
    }

    @Test("A server that is let go is freed and closes its connections")
    func freed() async throws {
        var server: DemoServer? = try await DemoServer.start()
        weak let released = server
        let url = try #require(server?.url)
        try await withWire(url) { wire in
            try await wire.send("GET /clock HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await wire.read(through: "}").contains("tick"))
            server = nil
            #expect(released == nil)
            #expect(try await wire.readToEnd() == "")
        }
    }
}
