import Foundation
import GitHubServer
import Testing

@Suite("Content")
struct ContentTests {
    private let content = Content.invented()

    @Test("The same seed gives the same content, another seed other content")
    func seeds() {
        func names(_ content: Content) -> [String] { content.repositories.map(\.fullName) }
        #expect(names(Content.invented()) == names(content))
        #expect(names(Content.invented(seed: 2)) != names(content))
    }

    @Test("No two users and no two repositories share a name", arguments: [1, 2, 3, 99])
    func unique(seed: UInt64) {
        let content = Content.invented(seed: seed)
        #expect(Set(content.users.map { $0.login.lowercased() }).count == content.users.count)
        #expect(Set(content.repositories.map { $0.fullName.lowercased() }).count == content.repositories.count)
        let logins = Set(content.users.map(\.login))
        #expect(content.repositories.allSatisfy { logins.contains($0.owner) })
        #expect(content.repositories.flatMap(\.contributors).allSatisfy { logins.contains($0.login) })
    }

    @Test("There is enough to page through, and what is empty")
    func variety() {
        #expect(content.users.count == 30)
        let counts = Dictionary(grouping: content.repositories, by: \.owner).mapValues(\.count)
        #expect(counts.values.count { $0 > 40 } >= 4)
        #expect(counts["lumen"] == 110)
        #expect(content.users.contains { $0.name == nil })
        let repositories = content.repositories
        #expect(repositories.contains { $0.stars == 0 } && repositories.contains { $0.languages.isEmpty })
        #expect(repositories.contains { $0.description == nil } && repositories.contains { $0.description == "" })
    }
}
