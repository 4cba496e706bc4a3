import DemoServer
import Foundation
import Testing

@Suite("Validation by entity tag")
struct ValidationTests {
    @Test(
        "A client that names the tag it has gets a 304 without a body",
        arguments: ["/users", "/users/1", "/posts?_page=2", "/posts/1", "/posts/1/comments"])
    func notModified(target: String) async throws {
        try await withServer { (_, client) async throws in
            let first = try await client.get(target)
            let tag = try #require(first["ETag"])
            let second = try await client.get(target, headers: ["If-None-Match": tag])
            #expect(first.status == 200)
            #expect(second.status == 304)
            #expect(second.body.isEmpty)
            #expect(second["ETag"] == tag)
        }
    }

    @Test("The tag is found in a list, as a weak one, and by the star", arguments: ["\"x\", %", "W/%", "*"])
    func forms(of header: String) async throws {
        try await withServer { (_, client) async throws in
            let tag = try #require(try await client.get("/users")["ETag"])
            let named = header.replacingOccurrences(of: "%", with: tag)
            #expect(try await client.get("/users", headers: ["If-None-Match": named]).status == 304)
        }
    }

    @Test("A client with another tag gets the content")
    func modified() async throws {
        try await withServer { (_, client) async throws in
            let reply = try await client.get("/users/1", headers: ["If-None-Match": "\"other\""])
            #expect(reply.status == 200)
            #expect(!reply.body.isEmpty)
        }
    }

    @Test("A write changes the tag of what it changes, and of nothing else")
    func written() async throws {
        try await withServer { (_, client) async throws in
            let changed = try await client.get("/posts/1")
            let other = try await client.get("/posts/2")
            _ = try await client.send("PATCH", "/posts/1", #"{"title": "New"}"#)
            #expect(try await client.get("/posts/1")["ETag"] != changed["ETag"])
            #expect(try await client.get("/posts/2")["ETag"] == other["ETag"])
        }
    }

    @Test("A page has a new tag when the count of the whole list changes: its headers say another thing")
    func counted() async throws {
        try await withServer { (_, client) async throws in
            let before = try await client.get("/posts?_page=1&_limit=3")
            _ = try await client.send("DELETE", "/posts/100")
            let after = try await client.get("/posts?_page=1&_limit=3")
            #expect(after.body == before.body)
            #expect(after["ETag"] != before["ETag"])
        }
    }

    @Test("HEAD gives the headers of GET, the length included, and no body")
    func head() async throws {
        try await withServer { (_, client) async throws in
            let get = try await client.get("/posts/1")
            let head = try await client.send("HEAD", "/posts/1")
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head["ETag"] == get["ETag"])
            #expect(head["Content-Length"] == String(get.body.count))
        }
    }
}
