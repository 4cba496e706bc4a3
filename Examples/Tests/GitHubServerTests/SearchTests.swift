import Foundation
import GitHubServer
import Testing

@Suite("Search")
struct SearchTests {
    @Test("The 40 repositories that were updated last are those of one owner, with one avatar")
    func active() async throws {
        try await withServer { (_, client) async throws in
            let target = "/search/repositories?order=desc&q=stars:%3E0&sort=updated&per_page=40"
            let reply = try await client.get(target)
            let found = try reply.decode(SearchRecord.self)
            #expect(found.items.count == 40)
            #expect(Set(found.items.map(\.owner.avatarUrl)).count == 1)
            #expect(found.items.map(\.updatedAt) == found.items.map(\.updatedAt).sorted(by: >))
            #expect(found.items.allSatisfy { $0.stargazersCount > 0 })
            #expect(reply.links["next"]?.contains("stars:%3E0") == true)
        }
    }

    @Test("Without a sort the most stars come first; ascending turns it")
    func order() async throws {
        try await withServer { (_, client) async throws in
            let found = try await client.get("/search/repositories?q=user:lumen").decode(SearchRecord.self)
            #expect(found.totalCount == 110)
            #expect(found.items.map(\.stargazersCount) == found.items.map(\.stargazersCount).sorted(by: >))
            let turned = try await client.get("/search/repositories?q=user:lumen&sort=stars&order=asc")
            #expect(try turned.decode(SearchRecord.self).items.first?.stargazersCount == 0)
        }
    }

    @Test(
        "Words and conditions narrow the search",
        arguments: [
            ("user:edge-cases", 7), ("user:edge-cases+stars:3", 1), ("user:edge-cases+stars:%3C=3", 7),
            ("user:edge-cases+stars:%3C3", 6), ("user:edge-cases+stars:%3E=3", 1), ("hostile", 1), ("%E7%B5%B5", 1),
            ("user:edge-cases+language:swift", 0), ("no-such-thing-anywhere", 0),
        ])
    func conditions(query: String, count: Int) async throws {
        try await withServer { (_, client) async throws in
            let found = try await client.get("/search/repositories?q=" + query).decode(SearchRecord.self)
            #expect(found.totalCount == count)
        }
    }

    @Test(
        "A search that cannot be understood is refused",
        arguments: [
            "", "?q=", "?q=%20", "?q=stars:many", "?q=stars:%3E99999999999999999999", "?q=a&page=11&per_page=100",
        ])
    func refused(query: String) async throws {
        try await withServer { (_, client) async throws in
            #expect(try await client.get("/search/repositories" + query).status == 422)
        }
    }
}
