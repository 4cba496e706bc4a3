import Foundation
import GitHubServer
import Testing

@Suite("Repositories")
struct RepositoryTests {
    @Test("A repository leads to its owner, languages and contributors")
    func related() async throws {
        try await withServer { (_, client) async throws in
            let content = Content.invented()
            let known = try #require(content.repositories.first { $0.languages.count > 1 && $0.contributors.count > 1 })
            let reply = try await client.get("/repos/\(known.fullName.uppercased())")
            let repository = try reply.decode(RepositoryRecord.self)
            #expect(repository.fullName == known.fullName)
            #expect(repository.name == known.name)
            #expect(repository.stargazersCount == known.stars)
            #expect(repository.owner.login == known.owner)
            let languages = try await client.get(repository.languagesUrl)
            #expect(try JSONDecoder().decode([String: Int].self, from: languages.body) == known.languages)
            let contributors = try await client.get(repository.contributorsUrl).decode([UserRecord].self)
            #expect(contributors.map(\.login) == known.contributors.map(\.login))
            #expect(contributors.map(\.contributions) == known.contributors.map(\.contributions))
            #expect(try await client.get(repository.url).body == reply.body)
        }
    }

    @Test("A repository with nothing in it has no languages, and no list of contributors")
    func empty() async throws {
        try await withServer { (_, client) async throws in
            #expect(try await client.get("/repos/edge-cases/empty/languages").text == "{}")
            let contributors = try await client.get("/repos/edge-cases/empty/contributors")
            #expect(contributors.status == 204)
            #expect(contributors.body.isEmpty)
            let text = try await client.get("/repos/edge-cases/nothing-at-all").text
            #expect(text.contains(#""description":null"#))
            #expect(text.contains(#""homepage":null"#))
        }
    }

    @Test(
        "A path that is none is not found",
        arguments: [
            "/", "/repos", "/repos/ann", "/repos/ann/none", "/repos/none/none", "/repos/ann/none/languages",
            "/user/starred",
            "/search", "/search/code?q=a", "/users", "/users/ann/repos/1", "/avatars/ann", "/avatars/nobody.png",
            "/repos/..%2F..%2Fetc/passwd", "/%F0%28%8C%28",
        ])
    func unknown(target: String) async throws {
        try await withServer { (_, client) async throws in
            let reply = try await client.get(target)
            #expect(reply.status == 404)
            #expect(reply.message == "Not Found")
        }
    }

    @Test(
        "A method that a path does not know is refused with those that it does", arguments: ["POST", "PATCH", "DELETE"])
    func method(name: String) async throws {
        try await withServer { (_, client) async throws in
            let reply = try await client.send(name, "/users/ann")
            #expect(reply.status == 405)
            #expect(reply["Allow"] == "GET, HEAD")
            #expect(
                try await client.send("POST", "/user/starred/ann/none", as: .ann)["Allow"] == "GET, HEAD, PUT, DELETE")
        }
    }

    @Test(
        "A body that is no JSON object is refused, and changes nothing",
        arguments: [
            ("{", "Problems parsing JSON"), ("\"text\"", "Body should be a JSON object"),
            ("[]", "Body should be a JSON object"),
        ])
    func body(text: String, message: String) async throws {
        try await withServer { (_, client) async throws in
            let target = "/user/starred/edge-cases/empty"
            let reply = try await client.send("PUT", target, as: .ann, body: text)
            #expect(reply.status == 400)
            #expect(reply.message == message)
            #expect(try await client.get(target, as: .ann).status == 404)
        }
    }

    @Test("An avatar is a picture, the same one for one login and another for another")
    func avatar() async throws {
        try await withServer { (_, client) async throws in
            let reply = try await client.get("/avatars/ann.png")
            #expect(reply["Content-Type"] == "image/png")
            #expect(reply.body.prefix(8) == Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
            #expect(Array(reply.body[12..<24]) == Array("IHDR".utf8) + [0, 0, 0, 40, 0, 0, 0, 40])
            #expect(reply.body.suffix(8) == Data("IEND".utf8) + [0xae, 0x42, 0x60, 0x82])
            #expect(try await client.get("/avatars/ANN.png").body == reply.body)
            #expect(try await client.get("/avatars/bob.png").body != reply.body)
        }
    }
}
