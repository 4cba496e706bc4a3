import Foundation
import GitHubServer
import Testing

@Suite("Paging")
struct PagingTests {
    @Test("Following the next links visits every repository once")
    func following() async throws {
        try await withServer { (_, client) async throws in
            var next: String? = "/users/lumen/repos?sort=updated&per_page=25"
            var sizes: [Int] = []
            var ids: Set<Int> = []
            while let target = next {
                let reply = try await client.get(target)
                let page = try reply.decode([RepositoryRecord].self)
                sizes.append(page.count)
                ids.formUnion(page.map(\.id))
                next = reply.links["next"]
            }
            #expect(sizes == [25, 25, 25, 25, 10])
            #expect(ids.count == 110)
        }
    }

    @Test("Links name the pages around, as GitHub writes them")
    func links() async throws {
        try await withServer { (server, client) async throws in
            let address = server.url.absoluteString + "/users/lumen/repos?per_page=50&page="
            let first = try await client.get("/users/lumen/repos?per_page=50")
            #expect(first["Link"] == "<\(address)2>; rel=\"next\", <\(address)3>; rel=\"last\"")
            let middle = try await client.get("/users/lumen/repos?per_page=50&page=2")
            let pages = middle.links.mapValues { $0.replacingOccurrences(of: address, with: "") }
            #expect(pages == ["prev": "1", "next": "3", "last": "3", "first": "1"])
            let last = try await client.get("/users/lumen/repos?per_page=50&page=3")
            #expect(Set(last.links.keys) == ["prev", "first"])
            #expect(try await client.get("/users/ann/repos?per_page=100")["Link"] == nil)
        }
    }

    @Test(
        "A list has 30 records a page unless told, and never more than 100",
        arguments: [("", 30), ("?per_page=900", 100)])
    func size(query: String, count: Int) async throws {
        try await withServer { (_, client) async throws in
            let page = try await client.get("/users/lumen/repos" + query).decode([RepositoryRecord].self)
            #expect(page.count == count)
        }
    }

    @Test("A page past the end is empty and leads back to the last one")
    func pastTheEnd() async throws {
        try await withServer { (_, client) async throws in
            let reply = try await client.get("/users/lumen/repos?page=99999999999999999999999")
            #expect(reply.status == 200)
            #expect(reply.text == "[]")
            #expect(reply.links["prev"]?.hasSuffix("page=4") == true)
        }
    }

    @Test(
        "A page that is no number from 1 on is refused",
        arguments: ["page=0", "page=-1", "page=two", "page=", "per_page=0"])
    func refused(query: String) async throws {
        try await withServer { (_, client) async throws in
            for target in ["/users/lumen/repos?", "/search/repositories?q=a&"] {
                let reply = try await client.get(target + query)
                #expect(reply.status == 422)
                #expect(reply.message == "Validation Failed")
            }
        }
    }
}
