import DemoServer
import Foundation
import Testing

@Suite("Connections")
struct ConnectionTests {
    @Test("Requests sent without waiting are answered in their order, also with latency")
    func pipelined() async throws {
        try await withServer { (server, _) async throws in
            server.latency = .milliseconds(1)
            try await withWire(server.url) { wire in
                let clocks = String(repeating: "GET /clock HTTP/1.1\r\nHost: a\r\n\r\n", count: 5)
                try await wire.send(clocks + "GET /clock HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                let ticks = try await wire.readToEnd().matches(of: /"tick":(\d)/).compactMap { Int($0.output.1) }
                #expect(ticks == Array(1...6))
            }
        }
    }

    @Test(
        "A malformed request gets a 400 and its connection is closed",
        arguments: [
            "GARBAGE\r\n\r\n", "GET /users HTTP/9.9\r\n\r\n", "BREW /users HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST /posts HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "GET /us ers HTTP/1.1\r\nHost: a\r\n\r\n",
        ])
    func malformed(request: String) async throws {
        try await withServer { (server, client) async throws in
            try await withWire(server.url) { wire in
                try await wire.send(request)
                #expect(try await wire.readToEnd().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            }
            #expect(server.requests.count == 0)
            #expect(try await client.get("/users/1").status == 200)
        }
    }

    @Test("A client that sends slowly is answered in the end, and others meanwhile")
    func slow() async throws {
        try await withServer { (server, client) async throws in
            try await withWire(server.url) { wire in
                for part in [
                    "PATCH /posts/1 HTTP", "/1.1\r\nHost: a\r\nContent-Length: 15\r\nConn",
                    "ection: close\r\n\r\n{\"tit",
                ] {
                    try await wire.send(part)
                    #expect(try await client.get("/posts/1").status == 200)
                }
                try await wire.send("le\":\"Slo\"}")
                #expect(try await wire.readToEnd().contains(#""title":"Slo""#))
            }
        }
    }

    @Test("A client that asks before it sends a body is told to go on, or that the body is too large")
    func expectation() async throws {
        try await withServer { (server, _) async throws in
            func head(_ length: Int) -> String {
                "POST /posts HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: \(length)\r\n\r\n"
            }
            try await withWire(server.url) { wire in
                try await wire.send(head(2))
                #expect(try await wire.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
                try await wire.send("{}")
                #expect(try await wire.read(through: "}").hasPrefix("HTTP/1.1 400"))
                try await wire.send(head(1 << 21))
                #expect(try await wire.readToEnd().hasPrefix("HTTP/1.1 413"))
            }
        }
    }

    @Test("Links name no host that a header could not hold")
    func host() async throws {
        try await withServer { (server, _) async throws in
            try await withWire(server.url) { wire in
                try await wire.send("GET /posts?_page=1 HTTP/1.1\r\nHost: a>, <b\r\nConnection: close\r\n\r\n")
                #expect(try await wire.readToEnd().contains("<" + "/posts?_page=2>; rel=\"next\""))
            }
        }
    }
}
