import DemoServer
import Foundation
import Testing

@Suite("The timeline")
struct TimelineTests {
    private struct Window: Decodable {
        struct Post: Decodable { let id: Int }

        let posts: [Post]
        let next: String?
        let prev: String?

        var ids: [Int] { posts.map(\.id) }
    }

    private func window(_ client: Client, _ query: String) async throws -> Window {
        let reply = try await client.get("/timeline?" + query)
        #expect(reply.status == 200)
        return try JSONDecoder().decode(Window.self, from: reply.body)
    }

    @Test("Following the cursors from the middle visits every post once, newest first, and ends on both sides")
    func bothWays() async throws {
        try await withServer { (_, client) async throws in
            let first = try await window(client, "start=50&limit=7")
            var ids = first.ids
            #expect(ids == Array(44...50).reversed())
            var (next, prev) = (first.next, first.prev)
            while let cursor = next {
                let page = try await window(client, "limit=7&cursor=\(cursor)")
                ids += page.ids
                next = page.next
            }
            while let cursor = prev {
                let page = try await window(client, "limit=7&cursor=\(cursor)")
                ids = page.ids + ids
                prev = page.prev
            }
            #expect(ids == Array(1...100).reversed())
        }
    }

    @Test("It begins at the newest post, may be of one user, and shows ten unless told otherwise")
    func defaults() async throws {
        try await withServer { (_, client) async throws in
            let newest = try await window(client, "")
            #expect(newest.ids == Array(91...100).reversed())
            #expect(newest.prev == nil && newest.next != nil)
            let all = try await window(client, "userId=3&limit=30")
            #expect(all.ids == Array(21...30).reversed())
            #expect(all.next == nil && all.prev == nil)
        }
    }

    @Test("A cursor that the server did not give is refused", arguments: ["x", "older", "older-x", "-", "newer-"])
    func refused(cursor: String) async throws {
        try await withServer { (_, client) async throws in
            #expect(try await client.get("/timeline?cursor=\(cursor)").status == 400)
        }
    }
}
