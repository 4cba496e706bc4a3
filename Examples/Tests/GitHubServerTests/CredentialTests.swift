import DemoHTTP
import Foundation
import GitHubServer
import Testing

@Suite("Credentials")
struct CredentialTests {
    @Test(
        "A token signs in by Bearer, by GitHub's own scheme, and by Basic",
        arguments: ["Bearer token-of-ann", "bearer token-of-ann", "token token-of-ann", "Basic %"])
    func known(header: String) async throws {
        try await withServer { (_, client) async throws in
            let basic = Data("Ann:token-of-ann".utf8).base64EncodedString()
            let header = header.replacingOccurrences(of: "%", with: basic)
            let user = try await client.get("/user", ["Authorization": header])
            #expect(try user.decode(UserRecord.self).login == "ann")
        }
    }

    @Test(
        "Credentials that the server does not know are refused wherever they are sent",
        arguments: [
            "Bearer other", "Bearer", "Basic !!", "Basic YW5uOm90aGVy", "Basic YW5u", "Other token-of-ann",
        ])
    func unknown(header: String) async throws {
        try await withServer { (server, client) async throws in
            for target in ["/users/ann", "/user", "/user/starred/edge-cases/empty"] {
                let reply = try await client.get(target, ["Authorization": header])
                #expect(reply.status == 401)
                #expect(reply.message == "Bad credentials")
            }
            #expect(server.requests.records.allSatisfy { !$0.isSignedIn })
        }
    }

    @Test("Nobody is the user of a request without credentials")
    func anonymous() async throws {
        try await withServer { (_, client) async throws in
            #expect(try await client.get("/user").status == 401)
        }
    }

    @Test("An account that is taken out while the server runs is unknown from then on")
    func removed() async throws {
        try await withServer { (server, client) async throws in
            #expect(try await client.get("/user", as: .ann).status == 200)
            server.accounts = [.bob]
            #expect(try await client.get("/user", as: .ann).status == 401)
            #expect(try await client.get("/user", as: .bob).status == 200)
        }
    }
}
