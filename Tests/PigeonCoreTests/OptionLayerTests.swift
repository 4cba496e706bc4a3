@testable import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Layers of options")
struct OptionLayerTests {
    let desk = Desk { $0.staleAfter = .seconds(10) }

    private func isFresh(_ definition: QueryDefinition<String>, at seconds: Int) -> Bool {
        desk.receive("Ann", for: definition)
        desk.lab.advance(by: .seconds(seconds))
        return !desk.client.snapshot(of: definition).isStale
    }

    @Test("without more, the client's defaults count", .rule("T87"))
    func client() {
        #expect(isFresh(desk.user, at: 9))
        #expect(!isFresh(desk.user, at: 10))
    }

    @Test("a prefix's defaults come over the client's, for what lies at or below it", .rule("T87"))
    func prefix() {
        desk.client.setDefaults(for: "users") { $0.staleAfter = .seconds(100) }
        #expect(isFresh(desk.user, at: 99))
        #expect(isFresh(desk.query("users"), at: 99))
        #expect(!isFresh(desk.query("usersX"), at: 10))
        #expect(!isFresh(desk.query("posts"), at: 10))
    }

    @Test("of prefixes that match, the one that was set later wins, longer or not", .rule("T87"))
    func laterPrefix() {
        desk.client.setDefaults(for: QueryKey("users", 1)) { $0.staleAfter = .seconds(100) }
        desk.client.setDefaults(for: "users") { $0.staleAfter = .seconds(50) }
        #expect(!isFresh(desk.user, at: 50))
    }

    @Test("layers merge option by option", .rule("T87"))
    func merge() {
        desk.client.setDefaults(for: "users") { $0.networkMode = .always }
        desk.lab.setOnline(false)
        #expect(isFresh(desk.user, at: 9))
    }

    @Test("a definition's own options win, and of its own the last", .rule("T87"))
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

    @Test("definitions that are built at each use share the options that are equal", .rule("F4"))
    func shared() {
        let people = Upstream("people", limit: 9)
        func made(_ id: Int) -> QueryDefinition<String> {
            desk.query("users/\(id)").staleAfter(.seconds(60)).retry(.standard).upstream(people)
        }
        let options = desk.client.options.resolve(made(1))
        #expect(desk.client.options.resolve(made(2)) === options)
        #expect(desk.client.options.resolve(made(2).staleAfter(.seconds(61))) !== options)
        desk.client.setDefaults(for: "users") { $0.timeLimit = .seconds(1) }
        #expect(desk.client.options.resolve(made(1)).values.timeLimit == .seconds(1))
    }

    @Test("options with code of the program are not kept once nobody uses them", .rule("F4"))
    func released() {
        final class Owned: Sendable {}
        weak var owned: Owned?
        do {
            let object = Owned()
            owned = object
            _ = desk.client.options.resolve(
                desk.user.retry(RetryPolicy(limit: 1, shouldRetry: { _ in withExtendedLifetime(object) { true } })))
        }
        #expect(owned == nil)
    }

    @Test("no more kinds of options are remembered than a program has kinds of queries", .rule("F4"))
    func bounded() {
        let first = desk.client.options.resolve(desk.user.staleAfter(.seconds(0)))
        for seconds in 1...OptionLayers.mostKnown {
            _ = desk.client.options.resolve(desk.user.staleAfter(.seconds(seconds)))
        }
        #expect(desk.client.options.resolve(desk.user.staleAfter(.seconds(0))) !== first)
    }

    @Test("A definition's options are computed outside locks: they may ask the client")
    func askingTheClient() {
        let client = desk.client
        let definition = desk.user.options { $0.staleAfter = client.count > 5 ? .never : .seconds(3) }
        #expect(isFresh(definition, at: 2))
        #expect(!isFresh(definition, at: 3))
    }

    @Test(
        "finding a key's defaults takes a look-up for each of its components, however many paths have defaults",
        .rule("F19"))
    func manyPrefixes() {
        for id in 0..<1_000 { desk.client.setDefaults(for: QueryKey("other", id)) { $0.staleAfter = .never } }
        desk.client.setDefaults(for: QueryKey("users")) { $0.staleAfter = .seconds(100) }
        desk.client.setDefaults(for: QueryKey("users", 1)) { $0.staleAfter = .seconds(50) }
        var paths: [String] = []
        QueryKey("users", 1, "posts").forEachPath { paths.append($0.queryKeyValue) }
        #expect(paths == ["users/1/posts", "users/1", "users"])
        #expect(isFresh(desk.user, at: 49))
        #expect(!isFresh(desk.user, at: 50))
    }

    @Test("A definition is a value: changing a copy leaves the original")
    func copies() {
        let copy = desk.user.staleAfter(.never).tagged("team")
        #expect(isFresh(copy, at: 100))
        #expect(desk.client.snapshot(of: desk.user).isStale)
        #expect(desk.user.key.tags.isEmpty)
    }
}
