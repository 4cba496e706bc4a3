import DemoServer
import Foundation
import Testing

@Suite("Writing")
struct WritingTests {
    private struct Post: Codable, Equatable {
        var id: Int?
        var userId: Int
        var title: String
        var body: String
    }

    private struct User: Decodable {
        let id: Int
        let name, email: String
    }

    @Test("A created post is answered with its new identifier and is read from then on")
    func create() async throws {
        try await withServer { (_, client) async throws in
            let body = #"{"id": 3, "userId": 4, "title": "Title", "body": "Body"}"#
            let reply = try await client.send("POST", "/posts", body)
            let expected = Post(id: 101, userId: 4, title: "Title", body: "Body")
            #expect(reply.status == 201)
            #expect(reply["Location"] == "/posts/101")
            #expect(try reply.decode(Post.self) == expected)
            #expect(try await client.get("/posts/101").decode(Post.self) == expected)
            #expect(try await client.get("/posts?userId=4").ids.last == 101)
        }
    }

    @Test("PUT replaces a post but for its identifier")
    func replace() async throws {
        try await withServer { (_, client) async throws in
            let body = #"{"id": 9, "userId": 2, "title": "T", "body": "B"}"#
            let reply = try await client.send("PUT", "/posts/1", body)
            #expect(try reply.decode(Post.self) == Post(id: 1, userId: 2, title: "T", body: "B"))
            #expect(try await client.get("/posts/1").body == reply.body)
        }
    }

    @Test("PATCH changes the given fields and keeps the others")
    func change() async throws {
        try await withServer { (_, client) async throws in
            var post = try await client.get("/posts/1").decode(Post.self)
            _ = try await client.send("PATCH", "/posts/1", #"{"title": "Changed"}"#)
            post.title = "Changed"
            #expect(try await client.get("/posts/1").decode(Post.self) == post)

            let email = try await client.get("/users/2").decode(User.self).email
            let reply = try await client.send("PATCH", "/users/2", #"{"name": "Ada"}"#)
            #expect(try reply.decode(User.self).name == "Ada")
            #expect(try await client.get("/users/2").decode(User.self).email == email)
        }
    }

    @Test("A deleted post is gone with its comments, and its identifier is not given again")
    func delete() async throws {
        try await withServer { (_, client) async throws in
            let reply = try await client.send("DELETE", "/posts/100")
            #expect(reply.status == 200)
            #expect(reply.text == "{}")
            #expect(try await client.get("/posts/100").status == 404)
            #expect(try await client.get("/comments?postId=100").ids == [])
            #expect(try await client.send("DELETE", "/posts/100").status == 404)
            let created = try await client.send("POST", "/posts", #"{"userId": 1, "title": "T", "body": "B"}"#)
            #expect(try created.decode(Post.self).id == 101)
        }
    }

    @Test("A write that is repeated with its key is answered as before, and carried out once")
    func repeated() async throws {
        try await withServer { (_, client) async throws in
            let (body, key) = (#"{"userId": 4, "title": "T", "body": "B"}"#, ["Idempotency-Key": "k1"])
            let otherOrder = #"{"body": "B", "title": "T", "userId": 4}"#
            let first = try await client.send("POST", "/posts", body, headers: key)
            let second = try await client.send("POST", "/posts", otherOrder, headers: key)
            #expect(first.status == 201 && second.status == 201)
            #expect(second.body == first.body)
            #expect(first["Idempotency-Replayed"] == nil && second["Idempotency-Replayed"] == "true")
            #expect(try await client.get("/posts?userId=4").ids.count == 11)
            let third = try await client.send("POST", "/posts", body, headers: ["Idempotency-Key": "k2"])
            #expect(try third.decode(Post.self).id == 102)
        }
    }

    @Test("A key of another request is refused, and one whose request was refused can be used again")
    func keys() async throws {
        try await withServer { (_, client) async throws in
            let key = ["Idempotency-Key": "k1"]
            #expect(try await client.send("PATCH", "/posts/1", #"{"title": 5}"#, headers: key).status == 400)
            #expect(try await client.send("PATCH", "/posts/1", #"{"title": "T"}"#, headers: key).status == 200)
            #expect(try await client.send("PATCH", "/posts/2", #"{"title": "T"}"#, headers: key).status == 422)
            #expect(try await client.get("/posts/2").decode(Post.self).title != "T")
        }
    }

    @Test("Many requests with one key at the same time are carried out once")
    func concurrent() async throws {
        try await withServer { (_, client) async throws in
            let (body, key) = (#"{"userId": 4, "title": "T", "body": "B"}"#, ["Idempotency-Key": "k1"])
            let ids = try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await client.send("POST", "/posts", body, headers: key).decode(Post.self).id
                    }
                }
                return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
            }
            #expect(ids == [101])
        }
    }

    @Test("A change of an older version is refused, with PATCH, PUT and DELETE", arguments: ["PATCH", "PUT", "DELETE"])
    func outdated(method: String) async throws {
        try await withServer { (_, client) async throws in
            let body = #"{"userId": 1, "title": "T", "body": "B"}"#
            let tag = try #require(try await client.get("/posts/1")["ETag"])
            _ = try await client.send("PATCH", "/posts/1", #"{"body": "Theirs"}"#, headers: ["If-Match": tag])
            let theirs = try await client.get("/posts/1")
            #expect(theirs["ETag"] != tag)
            #expect(try await client.send(method, "/posts/1", body, headers: ["If-Match": tag]).status == 412)
            #expect(try await client.get("/posts/1").body == theirs.body)
            let newer = ["If-Match": "\"x\", \(theirs["ETag"] ?? "")"]
            #expect(try await client.send(method, "/posts/1", body, headers: newer).status == 200)
            #expect(try await client.send(method, "/posts/2", body, headers: ["If-Match": "*"]).status == 200)
        }
    }

    @Test("A title of more than 80 characters is refused", arguments: [("POST", "/posts"), ("PATCH", "/posts/1")])
    func longTitle(method: String, target: String) async throws {
        try await withServer { (_, client) async throws in
            func body(_ count: Int) -> String {
                #"{"userId": 1, "body": "B", "title": ""# + String(repeating: "x", count: count) + #""}"#
            }
            let before = try await client.get("/posts").body
            #expect(try await client.send(method, target, body(81)).status == 422)
            #expect(try await client.get("/posts").body == before)
            #expect(try await client.send(method, target, body(80)).status < 300)
        }
    }

    @Test(
        "A body that makes no record is refused with the field's name and changes nothing",
        arguments: [
            ("POST", "/posts", "", "not a JSON object"), ("POST", "/posts", "[1]", "not a JSON object"),
            ("POST", "/posts", "{\"title\":", "not a JSON object"), ("POST", "/posts", #"{"userId": 1}"#, "'title'"),
            ("PUT", "/posts/1", #"{"title": "only"}"#, "is missing"),
            ("PATCH", "/posts/1", #"{"title": 5}"#, "'title' must be of type String"),
            ("PATCH", "/posts/1", #"{"title": null}"#, "'title'"),
            ("PATCH", "/users/1", #"{"address": {}}"#, "'address."),
        ])
    func refused(method: String, target: String, body: String, message: String) async throws {
        try await withServer { (_, client) async throws in
            let before = try await client.get("/posts").body + client.get("/users").body
            let reply = try await client.send(method, target, body)
            #expect(reply.status == 400)
            #expect(try reply.decode([String: String].self)["error"]?.contains(message) == true)
            #expect(try await client.get("/posts").body + client.get("/users").body == before)
        }
    }
}
