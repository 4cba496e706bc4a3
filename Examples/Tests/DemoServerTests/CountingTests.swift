import DemoServer
import Foundation
import Testing

@Suite("Counting")
struct CountingTests {
    @Test("Every request is recorded in order, with method, target, status and whether it was conditional")
    func records() async throws {
        try await withServer { (server, client) async throws in
            let tag = try #require(try await client.get("/posts?_page=2&_limit=5")["ETag"])
            _ = try await client.get("/posts?_page=2&_limit=5", headers: ["If-None-Match": tag])
            _ = try await client.send("DELETE", "/posts/7")
            _ = try await client.get("/posts/7")
            let log = server.requests
            #expect(log.records.map(\.method) == ["GET", "GET", "DELETE", "GET"])
            #expect(
                log.records.map(\.target) == [
                    "/posts?_page=2&_limit=5", "/posts?_page=2&_limit=5", "/posts/7", "/posts/7",
                ])
            #expect(log.records.map(\.status) == [200, 304, 200, 404])
            #expect(log.records.map(\.isConditional) == [false, true, false, false])
            #expect(log.count == 4)
            #expect(log.answered == 4)
            #expect(log.notModified == 1)
            #expect(log.failed == 1)
            #expect(log.count(path: "/posts") == 4)
            #expect(log.count(method: "GET", path: "/posts/7") == 1)
            #expect(log.count(path: "/users") == 0)
        }
    }

    @Test("A failing request counts, a request to the control does not")
    func counted() async throws {
        try await withServer { (server, client) async throws in
            server.faults = .failing(["/users"])
            _ = try await client.get("/users")
            _ = try await client.get("/_control")
            #expect(server.requests.count == 1)
            #expect(server.requests.failed == 1)
        }
    }

    @Test("Reset forgets the requests so far and counts from nothing")
    func reset() async throws {
        try await withServer { (server, client) async throws in
            _ = try await client.get("/users/1")
            server.resetRequests()
            #expect(server.requests.count == 0)
            #expect(server.requests.records.isEmpty)
            _ = try await client.get("/users/2")
            #expect(server.requests.records.map(\.target) == ["/users/2"])
        }
    }

    @Test("Requests made at the same time are all counted")
    func concurrent() async throws {
        try await withServer { (server, client) async throws in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for id in 1...40 {
                    group.addTask { try await client.get("/posts/\(id)").status }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.requests.count == 40)
            #expect(server.requests.answered == 40)
            #expect(Set(server.requests.records.map(\.target)).count == 40)
        }
    }
}
