import DemoServer
import Foundation
import Testing

@Suite("Faults")
struct FaultTests {
    @Test("A failing path answers with its status and Retry-After, with all below it and nothing beside it")
    func failing() async throws {
        try await withServer { (server, client) async throws in
            server.faults = .failing(["/posts"], status: 429, retryAfter: 3)
            for target in ["/posts", "/posts?_page=1", "/posts/1", "/posts/1/comments"] {
                let reply = try await client.get(target)
                #expect(reply.status == 429)
                #expect(reply["Retry-After"] == "3")
                #expect(try reply.decode([String: String].self)["error"] != nil)
            }
            #expect(try await client.get("/users/1/posts").status == 200)
            #expect(try await client.get("/postscript").status == 404)
            server.faults = .none
            #expect(try await client.get("/posts").status == 200)
        }
    }

    @Test("A failing write changes nothing")
    func write() async throws {
        try await withServer { (server, client) async throws in
            let before = try await client.get("/posts").body
            server.faults = .failing(["/"])
            #expect(try await client.send("DELETE", "/posts/1").status == 503)
            server.faults = .none
            #expect(try await client.get("/posts").body == before)
        }
    }

    @Test("A fault with a number of times is over after them")
    func times() async throws {
        try await withServer { (server, client) async throws in
            server.faults = .failing(["/users"], status: 500, times: 2)
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await client.get("/users/1").status) }
            #expect(statuses == [500, 500, 200, 200])
            #expect(server.faults.remaining == 0)
        }
    }

    @Test("A reset path breaks the connection and has no status; other paths answer")
    func reset() async throws {
        try await withServer { (server, client) async throws in
            server.faults = .resetting(["/posts"])
            await #expect(throws: (any Error).self) { try await client.get("/posts") }
            #expect(try await client.get("/users").status == 200)
            let broken = server.requests.records.filter { $0.target == "/posts" }
            #expect(!broken.isEmpty)
            #expect(broken.allSatisfy { $0.status == nil })
        }
    }

    @Test("A request whose answer is lost has been carried out, and is recognized by its key")
    func lostAnswer() async throws {
        try await withServer { (server, client) async throws in
            server.faults = .losingAnswers(["/posts"], times: 1)
            let (body, key) = (#"{"userId": 4, "title": "T", "body": "B"}"#, ["Idempotency-Key": "k1"])
            #expect(try await client.send("POST", "/posts", body, headers: key).status == 504)
            #expect(try await client.get("/posts?userId=4").ids.last == 101)
            let again = try await client.send("POST", "/posts", body, headers: key)
            #expect(again.status == 201)
            #expect(again["Location"] == "/posts/101")
            #expect(try await client.get("/posts?userId=4").ids.count == 11)
        }
    }

    @Test("Offline closes every connection unanswered and uncounted, until it is put right over HTTP")
    func offline() async throws {
        try await withServer { (server, client) async throws in
            #expect(try await client.get("/users").status == 200)
            server.resetRequests()
            server.faults = .offline
            await #expect(throws: (any Error).self) { try await client.get("/users") }
            await #expect(throws: (any Error).self) { try await client.get("/clock") }
            #expect(server.requests.count == 0)
            #expect(try await client.send("PUT", "/_control", "{}").status == 200)
            #expect(try await client.get("/users").status == 200)
        }
    }

    @Test("Settings made over HTTP are those of the server, and are told as they were made")
    func overHTTP() async throws {
        try await withServer { (server, client) async throws in
            let body = #"{"latencyMS":2,"failing":["/posts"],"status":502,"retryAfter":1,"times":5}"#
            let put = try await client.send("PUT", "/_control", body)
            #expect(put.status == 200)
            #expect(server.latency == .milliseconds(2))
            #expect(server.faults == .failing(["/posts"], status: 502, retryAfter: 1, times: 5))
            #expect(try await client.get("/_control").body == put.body)

            _ = try await client.send("PUT", "/_control", #"{"failing":["/users"],"reset":true,"offline":true}"#)
            #expect(server.latency == .zero)
            #expect(server.faults == Faults(paths: ["/users"], effect: .reset, isOffline: true))

            _ = try await client.send("PUT", "/_control", #"{"failing":["/users"],"lostAnswer":true,"times":2}"#)
            #expect(server.faults == .losingAnswers(["/users"], times: 2))
            #expect(try await client.get("/_control").text.contains(#""lostAnswer":true"#))

            _ = try await client.send("PUT", "/_control", "{}")
            #expect(server.faults == .none)
        }
    }
}
