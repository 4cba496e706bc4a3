import DemoServer
import Foundation
import Testing

@Suite("Latency")
struct LatencyTests {
    @Test("Answers that wait hold up no other answer, and stopping the server ends them")
    func waiting() async throws {
        try await withServer { (server, client) async throws in
            server.latency = .seconds(30)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for id in 1...4 {
                    group.addTask { (try? await client.get("/posts/\(id)")) == nil }
                }
                while server.requests.count < 4 {
                    #expect(try await client.get("/_control").status == 200)
                }
                #expect(server.requests.answered == 0)
                server.latency = .zero
                #expect(try await client.get("/users/1").status == 200)
                try await server.stop()
                for try await failed in group { #expect(failed) }
            }
        }
    }

    @Test("A write that waits is carried out with its answer")
    func write() async throws {
        try await withServer { (server, client) async throws in
            server.latency = .milliseconds(5)
            #expect(try await client.send("PATCH", "/posts/1", #"{"title": "Late"}"#).status == 200)
            #expect(try await client.get("/posts/1").text.contains("Late"))
        }
    }

    @Test("A latency outside of 0 to 30 seconds is moved to the nearest end")
    func clamped() async throws {
        try await withServer { (server, _) async throws in
            server.latency = .seconds(-1)
            #expect(server.latency == .zero)
            server.latency = .seconds(3600)
            #expect(server.latency == .seconds(30))
        }
    }

    @Test(
        "Going offline ends the answers that wait, by the server's own control or over HTTP", arguments: [true, false])
    func offline(overHTTP: Bool) async throws {
        try await withServer { (server, client) async throws in
            server.latency = .seconds(30)
            let reply = Task { try await client.get("/users/1") }
            while server.requests.count == 0 { _ = try await client.get("/_control") }
            if overHTTP {
                let settings = try await client.send("PUT", "/_control", #"{"offline": true}"#)
                #expect(settings.status == 200)
            } else {
                server.faults = .offline
            }
            await #expect(throws: (any Error).self) { try await reply.value }
            #expect(server.requests.answered == 0)
        }
    }
}
