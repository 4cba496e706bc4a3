import Foundation
import GitHubServer
import Testing

@Suite("Users")
struct UserTests {
    @Test("A user is found by login, whatever its case, and has GitHub's fields", arguments: ["ann", "ANN", "aNn"])
    func user(login: String) async throws {
        try await withServer { (server, client) async throws in
            let user = try await client.get("/users/\(login)").decode(UserRecord.self)
            #expect(user.login == "ann")
            #expect(user.name == "Ann Lindqvist")
            #expect(user.publicRepos == 24)
            #expect(user.avatarUrl == server.url.absoluteString + "/avatars/ann.png")
            #expect(user.reposUrl == server.url.absoluteString + "/users/ann/repos")
        }
    }

    @Test("A user without a name has null in its place")
    func nameless() async throws {
        try await withServer { (_, client) async throws in
            #expect(try await client.get("/users/an").text.contains(#""name":null"#))
        }
    }

    @Test("A login that nobody has is not found", arguments: ["/users/nobody", "/users/nobody/repos", "/users/%00"])
    func unknown(target: String) async throws {
        try await withServer { (_, client) async throws in
            let reply = try await client.get(target)
            #expect(reply.status == 404)
            #expect(reply.message == "Not Found")
        }
    }

    @Test("Repositories come by name, or the latest first when asked so")
    func order() async throws {
        try await withServer { (_, client) async throws in
            let byName = try await client.get("/users/ann/repos").decode([RepositoryRecord].self)
            #expect(byName.map(\.name) == byName.map(\.name).sorted())
            let byDate = try await client.get("/users/ann/repos?sort=updated").decode([RepositoryRecord].self)
            #expect(byDate.map(\.updatedAt) == byDate.map(\.updatedAt).sorted(by: >))
            #expect(Set(byDate.map(\.id)) == Set(byName.map(\.id)))
        }
    }

    @Test("Only the owner sees private repositories, in lists, in searches and by name")
    func privacy() async throws {
        try await withServer { (_, client) async throws in
            for (account, isSeen) in [(Account.ann, true), (.bob, false), (nil, false)] {
                let list = try await client.get("/users/ann/repos?per_page=100", as: account)
                #expect(list.text.contains("secret-plans") == isSeen)
                let search = try await client.get("/search/repositories?q=secret-plans", as: account)
                #expect(try search.decode(SearchRecord.self).totalCount == (isSeen ? 1 : 0))
                for path in ["", "/languages", "/contributors"] {
                    let reply = try await client.get("/repos/ann/secret-plans" + path, as: account)
                    #expect(reply.status == (isSeen ? 200 : 404))
                }
            }
            #expect(try await client.send("PUT", "/user/starred/ann/secret-plans", as: .bob).status == 404)
        }
    }
}
