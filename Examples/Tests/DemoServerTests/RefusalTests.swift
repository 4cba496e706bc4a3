import DemoServer
import Foundation
import Testing

@Suite("Refusals")
struct RefusalTests {
    @Test(
        "What is unknown is a 404 with a JSON body",
        arguments: [
            "/", "/albums", "/users/0", "/users/99", "/users/x", "/posts/101", "/posts/101/comments", "/users/99/posts",
            "/posts/1/users", "/comments/1/posts", "/posts/1/comments/1", "/clock/1", "/%2e%2e/users", "/%FF",
        ])
    func unknown(target: String) async throws {
        try await withServer { (_, client) async throws in
            let reply = try await client.get(target)
            #expect(reply.status == 404)
            #expect(reply["Content-Type"] == "application/json; charset=utf-8")
            #expect(try reply.decode([String: String].self)["error"] != nil)
        }
    }

    @Test(
        "A method that a path has not is a 405 that names those it has",
        arguments: [
            ("DELETE", "/users/1", "GET, HEAD, PUT, PATCH"), ("POST", "/posts/1", "GET, HEAD, PUT, PATCH, DELETE"),
            ("PUT", "/posts", "GET, HEAD, POST"), ("POST", "/comments", "GET, HEAD"), ("DELETE", "/clock", "GET, HEAD"),
            ("PATCH", "/_control", "GET, HEAD, PUT"),
        ])
    func method(_ method: String, target: String, allowed: String) async throws {
        try await withServer { (_, client) async throws in
            let reply = try await client.send(method, target, "{}")
            #expect(reply.status == 405)
            #expect(reply["Allow"] == allowed)
        }
    }

    @Test("A body of a megabyte is read, one byte more is a 413, and the connection serves on")
    func tooLarge() async throws {
        try await withServer { (_, client) async throws in
            let frame = #"{"userId":1,"title":"T","body":""}"#.utf8.count
            func body(_ count: Int) -> String {
                #"{"userId":1,"title":"T","body":""# + String(repeating: "x", count: count - frame) + #""}"#
            }
            #expect(try await client.send("POST", "/posts", body(1 << 20)).status == 201)
            #expect(try await client.send("POST", "/posts", body((1 << 20) + 1)).status == 413)
            #expect(try await client.get("/users/1").status == 200)
        }
    }

    @Test(
        "Settings that the server could not keep to are refused and change nothing",
        arguments: [
            #"{"latencyMS": -1}"#, #"{"latencyMS": 30001}"#, #"{"status": 200}"#, #"{"status": 600}"#,
            #"{"retryAfter": -1}"#, #"{"times": -1}"#, #"{"failing": "/posts"}"#, "nonsense",
        ])
    func control(body: String) async throws {
        try await withServer { (server, client) async throws in
            server.latency = .milliseconds(1)
            server.faults = .failing(["/posts"])
            #expect(try await client.send("PUT", "/_control", body).status == 400)
            #expect(server.latency == .milliseconds(1))
            #expect(server.faults == .failing(["/posts"]))
        }
    }

    @Test("A port that is none is an error that names it", arguments: [-1, 65536])
    func port(_ port: Int) async throws {
        await #expect(throws: DemoServerError.invalidPort(port)) { try await DemoServer.start(port: port) }
        #expect(DemoServerError.invalidPort(port).description.contains("\(port)"))
    }
}
