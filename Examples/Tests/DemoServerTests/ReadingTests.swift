import DemoServer
import Foundation
import Testing

@Suite("Reading")
struct ReadingTests {
    private struct User: Decodable {
        struct Address: Decodable {
            struct Location: Decodable {
                let lat: String
                let lng: String
            }

            let street, suite, city, zipcode: String
            let geo: Location
        }

        struct Company: Decodable {
            let name, catchPhrase, bs: String
        }

        let id: Int
        let name, username, email, phone, website: String
        let address: Address
        let company: Company
    }

    private struct Post: Decodable {
        let id, userId: Int
        let title, body: String
    }

    private struct Comment: Decodable {
        let id, postId: Int
        let name, email, body: String
    }

    @Test("Lists hold 10 users, 100 posts and 500 comments with the fields of JSONPlaceholder")
    func lists() async throws {
        try await withServer { (_, client) async throws in
            let users = try await client.get("/users").decode([User].self)
            let posts = try await client.get("/posts").decode([Post].self)
            let comments = try await client.get("/comments").decode([Comment].self)
            #expect(users.map(\.id) == Array(1...10))
            #expect(posts.map(\.id) == Array(1...100))
            #expect(comments.map(\.id) == Array(1...500))
            #expect(Set(users.map(\.name)).count == 10)
            #expect(posts.allSatisfy { !$0.title.isEmpty && !$0.body.isEmpty && (1...10).contains($0.userId) })
        }
    }

    @Test("An item is the record with the identifier of its path")
    func item() async throws {
        try await withServer { (_, client) async throws in
            #expect(try await client.get("/users/7").decode(User.self).id == 7)
            #expect(try await client.get("/posts/42").decode(Post.self).id == 42)
            #expect(try await client.get("/comments/500").decode(Comment.self).postId == 100)
        }
    }

    @Test("A list is narrowed by the parent in the path or by a field in the query, alike")
    func narrowed() async throws {
        try await withServer { (_, client) async throws in
            let nested = try await client.get("/posts/3/comments")
            let filtered = try await client.get("/comments?postId=3")
            #expect(try nested.ids == Array(11...15))
            #expect(nested.body == filtered.body)
            #expect(try await client.get("/posts?userId=2").ids == Array(11...20))
            #expect(try await client.get("/users/2/posts").ids == Array(11...20))
            #expect(try await client.get("/posts?id=5&id=9").ids == [5, 9])
            #expect(try await client.get("/posts?userId=77").ids == [])
        }
    }

    @Test("The same seed gives the same content, another seed other content")
    func seeds() async throws {
        let servers = [
            try await DemoServer.start(seed: 4), try await DemoServer.start(seed: 4),
            try await DemoServer.start(seed: 5),
        ]
        var bodies: [Data] = []
        for server in servers {
            bodies.append(try await Client(server).get("/comments").body)
            try await server.stop()
        }
        #expect(bodies[0] == bodies[1])
        #expect(bodies[0] != bodies[2])
    }

    @Test("The clock ticks with each request, and its entity tag with it")
    func clock() async throws {
        try await withServer { (_, client) async throws in
            let first = try await client.get("/clock")
            let tag = try #require(first["ETag"])
            let second = try await client.get("/clock", headers: ["If-None-Match": tag])
            #expect(try first.decode([String: Int].self) == ["tick": 1])
            #expect(second.status == 200)
            #expect(try second.decode([String: Int].self) == ["tick": 2])
            #expect(second["ETag"] != tag)
        }
    }
}
