import Foundation
import GitHubServer
import Testing

@Suite("Rate limit")
struct RateLimitTests {
    private let time = ManualTime()

    private var settings: Settings {
        var settings = time.settings
        settings.rateLimit = RateLimit(anonymous: 2, signedIn: 4, window: .seconds(60))
        return settings
    }

    @Test("Every answer says what is left, and when it begins anew")
    func headers() async throws {
        try await withServer(settings) { (_, client) async throws in
            let first = try await client.get("/users/ann")
            #expect(first["X-RateLimit-Limit"] == "2")
            #expect(first["X-RateLimit-Remaining"] == "1")
            #expect(first["X-RateLimit-Used"] == "1")
            #expect(first["X-RateLimit-Reset"] == "1800000060")
            let failed = try await client.get("/users/nobody")
            #expect(failed["X-RateLimit-Remaining"] == "0")
            let star = try await client.send("PUT", "/user/starred/edge-cases/empty", as: .ann)
            #expect(star["X-RateLimit-Limit"] == "4")
            #expect(star["X-RateLimit-Remaining"] == "3")
        }
    }

    @Test("When nothing is left the answer is a 403 with GitHub's message, until the window is over")
    func usedUp() async throws {
        try await withServer(settings) { (_, client) async throws in
            for _ in 0..<2 { #expect(try await client.get("/users/ann").status == 200) }
            let refused = try await client.get("/users/ann")
            #expect(refused.status == 403)
            #expect(refused.message?.hasPrefix("API rate limit exceeded for 127.0.0.1.") == true)
            #expect(refused.text.contains("documentation_url"))
            #expect(refused["X-RateLimit-Remaining"] == "0")
            #expect(try await client.get("/users/ann", as: .ann).status == 200)
            time.pass(60)
            #expect(try await client.get("/users/ann")["X-RateLimit-Remaining"] == "1")
        }
    }

    @Test("Each account has a limit of its own")
    func accounts() async throws {
        try await withServer(settings) { (_, client) async throws in
            for _ in 0..<4 { #expect(try await client.get("/user", as: .ann).status == 200) }
            #expect(try await client.get("/user", as: .ann).status == 403)
            #expect(try await client.get("/user", as: .bob).status == 200)
        }
    }

    @Test("What has not changed does not count, nor do avatars")
    func free() async throws {
        try await withServer(settings) { (_, client) async throws in
            let tag = try #require(try await client.get("/users/ann")["ETag"])
            for _ in 0..<5 {
                let reply = try await client.get("/users/ann", ["If-None-Match": tag])
                #expect(reply.status == 304)
                #expect(reply["X-RateLimit-Remaining"] == "1")
                #expect(try await client.get("/avatars/ann.png")["X-RateLimit-Remaining"] == nil)
            }
        }
    }

    @Test("Unknown credentials use up what is left to all who are not signed in")
    func unknownCredentials() async throws {
        try await withServer(settings) { (_, client) async throws in
            for status in [401, 401, 403] {
                #expect(try await client.get("/user", ["Authorization": "Bearer x"]).status == status)
            }
        }
    }
}
