import PigeonCore
import PigeonTesting
import Testing

@Suite("Layers of options")
struct OptionLayerTests {
    let desk = Desk { $0.staleAfter = .seconds(10) }

    private func isFresh(_ definition: QueryDefinition<String>, at seconds: Int) -> Bool {
        desk.receive("Ann", for: definition)
        desk.lab.advance(by: .seconds(seconds))
        return !desk.client.snapshot(of: definition).isStale
    }

    @Test("T87: without more, the client's defaults count")
    func client() {
        #expect(isFresh(desk.user, at: 9))
        #expect(!isFresh(desk.user, at: 10))
    }

    @Test("T87: a prefix's defaults come over the client's, for what lies at or below it")
    func prefix() {
        desk.client.setDefaults(for: "users") { $0.staleAfter = .seconds(100) }
        #expect(isFresh(desk.user, at: 99))
        #expect(isFresh(desk.query("users"), at: 99))
        #expect(!isFresh(desk.query("usersX"), at: 10))
        #expect(!isFresh(desk.query("posts"), at: 10))
    }

    @Test("T87: of prefixes that match, the one that was set later wins, longer or not")
    func laterPrefix() {
        desk.client.setDefaults(for: QueryKey("users", 1)) { $0.staleAfter = .seconds(100) }
        desk.client.setDefaults(for: "users") { $0.staleAfter = .seconds(50) }
        #expect(!isFresh(desk.user, at: 50))
    }

    @Test("T87: layers merge option by option")
    func merge() {
        desk.client.setDefaults(for: "users") { $0.networkMode = .always }
        desk.lab.setOnline(false)
        #expect(isFresh(desk.user, at: 9))
    }

    @Test("T87: a definition's own options win, and of its own the last")
    func definition() {
        desk.client.setDefaults(for: "users") { $0.staleAfter = .seconds(100) }
        #expect(!isFresh(desk.user.staleAfter(.seconds(500)).staleAfter(.seconds(5)), at: 5))
    }

    @Test("Defaults that are set later count from the next use on")
    func later() {
        let observer = desk.client.observe(desk.user)
        desk.fetcher.succeed(with: "Ann")
        desk.client.setDefaults(for: "users") { $0.staleAfter = .seconds(100) }
        desk.lab.advance(by: .seconds(10))
        #expect(observer.snapshot.isStale)
        #expect(!desk.client.observe(desk.user).snapshot.isStale)
    }

    @Test("A definition is a value: changing a copy leaves the original")
    func copies() {
        let copy = desk.user.staleAfter(.never).tagged("team")
        #expect(isFresh(copy, at: 100))
        #expect(desk.client.snapshot(of: desk.user).isStale)
        #expect(desk.user.key.tags.isEmpty)
    }
}
