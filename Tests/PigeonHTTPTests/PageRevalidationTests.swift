import Foundation
import PigeonCore
import PigeonHTTP
import TestServer
import TestSupport
import Testing

@Suite("Asking whether the pages of a list are still right", .timeLimit(.minutes(1)))
struct PageRevalidationTests {
    private func posts(_ server: LoopbackServer, _ kind: TransportKind) -> QueryDefinition<Pages<[String], Int>> {
        let dispatcher = NetworkDispatcher(baseURL: server.url(), transport: kind.make())
        return QueryDefinition<Pages<[String], Int>>.pages("posts", first: 1) { page, context in
            try await dispatcher.value(from: .get("/posts/\(page)"), for: context)
        } next: { _, page in
            page < 3 ? page + 1 : nil
        }
    }

    /// Answers with a page, or with 304 if the request has the page's tag.
    private static func reply(to request: LoopbackRequest) -> LoopbackReply {
        let tag = "\"\(request.path)\""
        guard request.headers["If-None-Match"] != tag else { return .status(304, ["ETag": tag]) }
        return .status(
            200, ["ETag": tag, "Content-Type": "application/json"], body: Data("[\"\(request.path)\"]".utf8))
    }

    @Test(
        "a refresh asks after each page with its own ETag, and 304 keeps it", .rule("A50"),
        arguments: TransportKind.allCases)
    func pages(kind: TransportKind) async throws {
        try await withLoopback {
            Self.reply(to: $0)
        } test: { server in
            let client = QueryClient()
            let list = posts(server, kind)
            await client.prefetch(list, pages: 3)
            let before = try #require(client.value(of: list))
            #expect(Array(before.items) == ["/posts/1", "/posts/2", "/posts/3"])
            let after = try await client.refetch(list)
            #expect(after == before)
            #expect(after.indices.allSatisfy { after.loaded(at: $0).stamp == before.loaded(at: $0).stamp })
            let tags = server.requests.map { $0.headers["If-None-Match"] }
            #expect(tags == [nil, nil, nil, "\"/posts/1\"", "\"/posts/2\"", "\"/posts/3\""])
        }
    }
}
