import Foundation
import PigeonBase
import PigeonHTTP
import TestServer
import TestSupport
import Testing

@Suite("requests are reported to who looks inside the program", .rule("V5"), .timeLimit(.minutes(1)))
struct RequestLogTests {
    /// The records of requests to one server, in the order in which they were reported.
    private func records(
        of server: LoopbackServer, _ body: () async throws -> Void
    ) async rethrows -> [RequestRecord] {
        let (found, address) = (Recorder<RequestRecord>(), server.url().absoluteString)
        let number = RequestLog.add { if $0.address.hasPrefix(address) { found.append($0) } }
        defer { RequestLog.remove(number) }
        try await body()
        return found.all
    }

    @Test(
        "a request is reported when it begins, when the head arrives, and when it ends", .rule("V5"),
        arguments: TransportKind.allCases)
    func steps(_ kind: TransportKind) async throws {
        let server = try await LoopbackServer { _ in .ok("Ann") }
        let transport = kind.make()
        let records = try await records(of: server) { _ = try await transport.get(server.url("/users/1?key=sesame")) }
        #expect(Set(records.map(\.id)).count == 1)
        #expect(records.first.map { $0.status == nil && $0.duration == nil } == true)
        let last = try #require(records.last)
        #expect(last.status == 200 && last.received == 3 && last.error == nil)
        #expect(last.method == "GET" && last.address.hasSuffix("/users/1?key=<redacted>"))
        #expect(try #require(last.headAfter) <= #require(last.duration))
        #expect(last.fetch == nil)
    }

    @Test(
        "a stream ends when its body has ended, and a failure names its error", .rule("V5"),
        arguments: TransportKind.allCases)
    func ends(_ kind: TransportKind) async throws {
        let server = try await LoopbackServer { _ in .ok("Ann") }
        let transport = kind.make()
        let records = try await records(of: server) {
            let answer = try await transport.streamed(server.url("/stream"))
            for try await _ in answer.body {}
            _ = try? await transport.get(server.url("/large"), limit: 1)
        }
        let ends = records.filter { $0.duration != nil }
        #expect(ends.map(\.received).first == 3)
        #expect(ends.map { $0.error == nil } == [true, false])
    }

    @Test("each attempt and each redirect is a request of its own", .rule("V5"))
    func hops() async throws {
        let server = try await LoopbackServer { $0.target == "/old" ? .redirect(to: "/new") : .ok("Ann") }
        let dispatcher = NetworkDispatcher(baseURL: server.url())
        let records = try await records(of: server) { _ = try await dispatcher.string(from: .get("/old")) }
        let ends = records.filter { $0.duration != nil }
        #expect(ends.map { $0.address.split(separator: "/").last } == ["old", "new"])
        #expect(Set(records.map(\.id)).count == 2)
    }
}
