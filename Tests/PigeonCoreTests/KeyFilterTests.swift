import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Filters")
struct KeyFilterTests {
    private let lab = QueryLab()
    private var client: QueryClient { lab.client }

    private func keys(_ filter: KeyFilter) -> [String] {
        client.entries(matching: filter).map(\.key.queryKeyValue)
    }

    private func fill() throws {
        try client.set(1, for: .value(QueryKey("users").tagged("people")))
        try client.set(1, for: .value(QueryKey("users", 1).tagged("people", "feed")))
        try client.set(1, for: .value(QueryKey("users", 1, "posts").tagged("feed")))
        try client.set(1, for: .value(QueryKey("users2")))
        try client.set(1, for: .value(QueryKey("users", 10)))
    }

    @Test("a path matches itself and what is below, a key itself alone", .rule("T76"))
    func pathAndKey() throws {
        try fill()
        #expect(keys(.path("users")) == ["users", "users/1", "users/1/posts", "users/10"])
        #expect(keys(.path("users", 1)) == ["users/1", "users/1/posts"])
        #expect(keys(.key("users")) == ["users"])
        #expect(keys(.key("users", 1)) == ["users/1"])
        #expect(keys(.path("user")).isEmpty)
        #expect(keys(.key("nobody")).isEmpty)
        #expect(keys(.all).count == 5)
    }

    @Test("A literal is a path, with or without values in it")
    func literal() throws {
        try fill()
        let id = 1
        #expect(keys("users") == keys(.path("users")))
        #expect(keys("users/\(id)") == ["users/1", "users/1/posts"])
        #expect(keys("users/\("1/posts")").isEmpty, "the text of a value is one component")
        client.remove("users/1")
        #expect(keys(.all) == ["users", "users/10", "users2"])
    }

    @Test("a path without an entry of its own still names what is below it", .rule("A19"))
    func pathWithoutEntry() throws {
        try client.set(1, for: QueryKey("a", "b", "c", "d"))
        #expect(keys(.path("a")) == ["a/b/c/d"])
        #expect(keys(.path("a", "b", "c")) == ["a/b/c/d"])
        #expect(keys(.key("a")).isEmpty)
    }

    @Test("a tag matches every entry that any of its definitions gave it", .rule("A19"))
    func tag() throws {
        try fill()
        #expect(keys(.tag("feed")) == ["users/1", "users/1/posts"])
        try client.set(2, for: .value(QueryKey("users2").tagged("feed")))
        #expect(keys(.tag("feed")) == ["users/1", "users/1/posts", "users2"])
        client.remove(.key("users", 1))
        #expect(keys(.tag("feed")) == ["users/1/posts", "users2"])
        #expect(keys(.tag("none")).isEmpty)
    }

    @Test("conditions add to each other", .rule("T77"))
    func conditions() throws {
        try fill()
        let observer = client.observe(QueryDefinition<Int>.value(QueryKey("users", 1)).staleAfter(.never))
        let disabled = client.observe(QueryDefinition<Int>.value("users2").enabled(false))
        defer { observer.cancel(); disabled.cancel() }
        #expect(keys(.all.and(.active)) == ["users/1"])
        #expect(keys(.all.and(.inactive)) == ["users", "users/1/posts", "users/10", "users2"])
        #expect(keys(.tag("feed").and(.inactive)) == ["users/1/posts"])
        #expect(keys(.path("users").and(.where { $0.key.components.count == 2 })) == ["users/1", "users/10"])
        #expect(keys(.path("users").and(.active).and(.inactive)).isEmpty)
        #expect(keys(.where { $0.key.tags.contains("feed") }) == ["users/1", "users/1/posts"])
        client.invalidate(.key("users", 1), refetch: .none)
        #expect(keys(.all.and(.stale)) == ["users/1"])
        #expect(keys(.path("users").and(.fresh)) == ["users", "users/1/posts", "users/10"])
    }

    @Test("the fetching condition follows the fetch", .rule("T77"))
    func fetching() throws {
        let fetcher = lab.fetcher(returning: Int.self)
        let observer = client.observe(QueryDefinition("a", fetch: fetcher.fetch))
        defer { observer.cancel() }
        try client.set(1, for: "b")
        #expect(keys(.all.and(.fetching)) == ["a"])
        fetcher.succeed(with: 1)
        #expect(keys(.all.and(.fetching)).isEmpty)
    }

    @Test("what a filter may know of an entry is what is so", .rule("A19"))
    func info() throws {
        let fetcher = lab.fetcher(returning: Int.self)
        let definition = QueryDefinition(QueryKey("a").tagged("t"), fetch: fetcher.fetch)
        let observers = [client.observe(definition), client.observe(definition)]
        defer { for observer in observers { observer.cancel() } }
        var info = try #require(client.entries().first)
        #expect(info.isActive && info.isStale && !info.hasValue && !info.hasFailed)
        #expect(info.observerCount == 2)
        #expect(info.activity == .fetching)
        #expect(info.key.tags == ["t"])
        fetcher.fail(with: Offline())
        info = try #require(client.entries().first)
        #expect(info.hasFailed && !info.hasValue && info.activity == .idle)
    }

    private struct Offline: Error {}

    // MARK: Comparing the index with a plain model

    private struct Model {
        var entries: [QueryKey: Set<String>] = [:]

        func keys(_ isWanted: (QueryKey, Set<String>) -> Bool) -> [String] {
            entries.filter { isWanted($0.key, $0.value) }.map(\.key.queryKeyValue).sorted()
        }
    }

    @Test("the index stays right as entries come and go", .rule("A19"), arguments: 1...6)
    func indexAgainstModel(seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        var model = Model()
        func path() -> QueryKey {
            let names = (0...random.below(4)).map { _ in random.pick(["a", "b", "a/b", ""]) ?? "" }
            return QueryKey(first: names[0], rest: Array(names.dropFirst()))
        }
        for _ in 0..<400 {
            let key = path()
            let tag = random.pick(["red", "blue", "green"]) ?? ""
            switch random.below(8) {
            case 0:
                client.remove(.path(key))
                model.entries = model.entries.filter { !isWithin($0.key, key) }
            case 1:
                client.remove(.key(key))
                model.entries[key] = nil
            case 2 where random.once(in: 4):
                client.remove(.tag(tag))
                model.entries = model.entries.filter { !$0.value.contains(tag) }
            default:
                let tags = random.once(in: 2) ? [tag] : []
                try client.set(1, for: .value(key.adding(tags: tags)))
                model.entries[key, default: []].formUnion(tags)
            }
            #expect(keys(.all) == model.keys { _, _ in true })
            #expect(keys(.path(key)) == model.keys { found, _ in isWithin(found, key) })
            #expect(keys(.key(key)) == model.keys { found, _ in found == key })
            #expect(keys(.tag(tag)) == model.keys { _, tags in tags.contains(tag) })
            #expect(client.count == model.entries.count)
        }
    }

    /// Compares components, so that it shares no code with what it checks.
    private func isWithin(_ key: QueryKey, _ path: QueryKey) -> Bool {
        key.components.starts(with: path.components)
    }
}
