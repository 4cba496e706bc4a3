import DemoServer
import Foundation
import Testing

@Suite("Paging")
struct PagingTests {
    @Test("Following the next links from the first page visits every post once, and the last page has none")
    func toTheEnd() async throws {
        try await withServer { (_, client) async throws in
            var ids: [Int] = []
            var next: String? = "/posts?_page=1&_limit=30"
            var pages = 0
            while let target = next {
                let page = try await client.get(target)
                #expect(page["X-Total-Count"] == "100")
                ids += try page.ids
                next = links(of: page)["next"]
                pages += 1
            }
            #expect(ids == Array(1...100))
            #expect(pages == 4)
        }
    }

    @Test("A page in the middle links to the first, previous, next and last, with its other parameters kept")
    func relations() async throws {
        try await withServer { (server, client) async throws in
            let page = try await client.get("/posts?userId=2&_page=2&_limit=3")
            let root = "\(server.url)/posts?userId=2"
            #expect(try page.ids == [14, 15, 16])
            #expect(page["X-Total-Count"] == "10")
            #expect(
                links(of: page) == [
                    "first": "\(root)&_page=1&_limit=3", "prev": "\(root)&_page=1&_limit=3",
                    "next": "\(root)&_page=3&_limit=3", "last": "\(root)&_page=4&_limit=3",
                ])
        }
    }

    @Test("An offset and a limit give a slice, and the count of the whole")
    func offsets() async throws {
        try await withServer { (_, client) async throws in
            let slice = try await client.get("/comments?_start=495&_limit=20")
            #expect(try slice.ids == Array(496...500))
            #expect(slice["X-Total-Count"] == "500")
            #expect(slice["Link"] == nil)
            #expect(try await client.get("/posts?_limit=2").ids == [1, 2])
            #expect(try await client.get("/posts?_start=98").ids == [99, 100])
        }
    }

    @Test("A list that is asked for whole has neither count nor links")
    func whole() async throws {
        try await withServer { (_, client) async throws in
            let list = try await client.get("/posts")
            #expect(list["X-Total-Count"] == nil)
            #expect(list["Link"] == nil)
        }
    }

    @Test(
        "A page that is no number, or beyond the list, is an answer and no failure",
        arguments: [
            ("_page=x", 10), ("_page=0&_limit=4", 4), ("_page=-1&_limit=4", 4), ("_page=2&_limit=0", 10),
            ("_page=11", 0), ("_page=9223372036854775807&_limit=9223372036854775807", 0), ("_page=1e300", 0),
            ("_start=-5&_limit=3", 3), ("_start=1000&_limit=3", 0), ("_limit=-1", 0), ("_limit=nan", 100),
        ])
    func odd(query: String, count: Int) async throws {
        try await withServer { (_, client) async throws in
            let reply = try await client.get("/posts?" + query)
            #expect(reply.status == 200)
            #expect(try reply.ids.count == count)
        }
    }

    private func links(of reply: Client.Reply) -> [String: String] {
        var links: [String: String] = [:]
        for link in (reply["Link"] ?? "").components(separatedBy: ", ") {
            let parts = link.components(separatedBy: "; ")
            guard parts.count == 2 else { continue }
            let relation = parts[1].replacingOccurrences(of: "rel=", with: "").trimmingCharacters(in: ["\""])
            links[relation] = parts[0].trimmingCharacters(in: ["<", ">"])
        }
        return links
    }
}
