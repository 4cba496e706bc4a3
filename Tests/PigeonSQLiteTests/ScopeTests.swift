import Foundation
import PigeonCore
import PigeonSQLite
import PigeonTesting
import TestSupport
import Testing

@Suite("Scopes")
struct ScopeTests {
    /// Keys that come close to each other in text, in bytes, or in how they are written.
    private static let keys: [QueryKey] = [
        "a", QueryKey("a", "b"), QueryKey("a", "b", "c"), "ab", QueryKey(value: "a/b"), QueryKey("a/b", "c"),
        QueryKey("a", "b/c"), QueryKey(value: "a%2Fb"), "%", "a0", QueryKey("a", "0"), "a.", "a-", QueryKey("a", ""),
        QueryKey("a", "", ""), "",
        QueryKey("", "a"), QueryKey("", ""), "A", "é", QueryKey("é", "x"), "e", QueryKey("🐦", "ñ"), "🐦",
        "nul", "nul\0", "nul\0more", QueryKey("nul\0", "x"), "\u{FEFF}a", "a_", "a%", "*", "'", "\u{10FFFF}",
        QueryKey("a", "\u{10FFFF}"), QueryKey("a", "\u{7F}"),
    ]

    private func filled(_ file: TestFile) throws -> SQLiteQueryCache {
        let cache = try file.open()
        try cache.apply(Self.keys.map { .save(.sample($0.queryKeyValue), for: $0) })
        return cache
    }

    @Test func `Every key has a record of its own`() throws {
        let file = try TestFile()
        let cache = try filled(file)
        #expect(try cache.count() == Self.keys.count)
        for key in Self.keys { #expect(try cache.record(for: key) == .sample(key.queryKeyValue), "\(key)") }
        #expect(try Set(cache.records(under: nil).map(\.key)) == Set(Self.keys))
        for (key, record) in try cache.records(under: nil) { #expect(record == .sample(key.queryKeyValue)) }
    }

    @Test(arguments: keys) func `A path is a key and all below it, and nothing else`(path: QueryKey) throws {
        let file = try TestFile()
        let cache = try filled(file)
        let expected = Self.keys.filter { $0.isWithin(path) }.map(\.queryKeyValue).sorted()
        #expect(expected.contains(path.queryKeyValue))
        #expect(try cache.keys(under: path) == expected)
        try cache.apply([.markStale(.path(path))])
        #expect(try cache.staleKeys() == expected)
    }

    @Test(arguments: keys) func `A key is itself and nothing else`(key: QueryKey) throws {
        let file = try TestFile()
        let cache = try filled(file)
        try cache.apply([.markStale(.key(key))])
        #expect(try cache.staleKeys() == [key.queryKeyValue])
        try cache.apply([.remove(key)])
        #expect(try cache.count() == Self.keys.count - 1)
        #expect(try cache.record(for: key) == nil)
    }

    @Test func `Keys that Swift calls equal are one record`() throws {
        let file = try TestFile()
        let cache = try file.open()
        let composed = QueryKey("caf\u{E9}", "x")
        let decomposed = QueryKey("cafe\u{301}", "x")
        try #require(composed == decomposed)
        try cache.apply([.save(.sample("1"), for: composed), .save(.sample("2"), for: decomposed)])
        #expect(try cache.count() == 1)
        #expect(try cache.record(for: composed) == .sample("2"))
        #expect(try cache.keys(under: "cafe\u{301}").count == 1)
        try cache.apply([.remove(decomposed)])
        #expect(try cache.count() == 0)
    }

    @Test func `A tag is all whose records carry it, and nothing else`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.apply([
            .save(.sample("", tags: ["feed", "user"]), for: "a"), .save(.sample("", tags: ["fee"]), for: "b"),
            .save(.sample("", tags: ["feeds", ""]), for: "c"), .save(.sample(), for: "d"),
            .save(.sample("", tags: ["x", "feed", "caf\u{E9}"]), for: "e"),
            .save(.sample("", tags: ["Feed"]), for: "f"),
        ])
        try cache.apply([.markStale(.tag("feed"))])
        #expect(try cache.staleKeys() == ["a", "e"])
        try cache.apply([.markStale(.tag(""))])
        #expect(try cache.staleKeys() == ["a", "c", "e"])
        try cache.apply([.save(.sample("", tags: ["x", "feed", "caf\u{E9}"]), for: "e")])
        try cache.apply([.markStale(.tag("cafe\u{301}"))])
        #expect(try cache.staleKeys() == ["a", "c", "e"])
    }

    @Test(arguments: keys) func `Removing a path removes a key and all below it, nothing else`(path: QueryKey) throws {
        let file = try TestFile()
        let cache = try filled(file)
        let expected = Self.keys.filter { !$0.isWithin(path) }.map(\.queryKeyValue).sorted()
        try cache.apply([], removing: [.path(path)])
        #expect(try cache.keys() == expected)
    }

    @Test(
        "removing a tag removes the records that carry it and reads no record, also none that is damaged", .rule("E13"))
    func removesTag() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.apply([
            .save(.sample("", tags: ["feed", "user"]), for: "a"), .save(.sample("", tags: ["feeds"]), for: "b"),
            .save(.sample("", tags: ["x", "feed"]), for: "c"), .save(.sample(), for: "d"),
        ])
        _ = try cache.inspect("UPDATE records SET tags = x'00' WHERE key = x'2f64'")
        let lab = QueryLab(cache: cache)
        lab.client.remove(.tag("feed"))
        let flush = lab.start { await lab.client.flush() }
        #expect(flush.result != nil)
        #expect(try cache.count() == 2)
        #expect(cache.takeProblems().isEmpty)
        #expect(!lab.log.contains { $0.contains("problem") })
        #expect(try cache.inspect("SELECT count(*) FROM tags") == ["1"])
    }

    @Test func `Scopes are removed before the changes are carried out, and all in one transaction`() throws {
        let file = try TestFile()
        let cache = try filled(file)
        let change = QueryRecordChange.save(.sample("new"), for: QueryKey("a", "b"))
        try cache.apply([change], removing: [.path("a"), .key("ab"), .tag("t")])
        #expect(try cache.keys(under: "a") == ["a/b"])
        #expect(try cache.record(for: "ab") == nil)
        try cache.apply([.save(.sample("only"), for: "x")], removing: [.all])
        #expect(try cache.keys() == ["x"])
    }

    @Test func `All is all`() throws {
        let file = try TestFile()
        let cache = try filled(file)
        try cache.apply([.markStale(.all)])
        #expect(try cache.staleKeys() == Self.keys.map(\.queryKeyValue).sorted())
    }

    @Test func `A record that is saved again is no longer stale`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.apply([.save(.sample(), for: "a"), .markStale(.key("a"))])
        #expect(try cache.record(for: "a")?.isStale == true)
        try cache.apply([.save(.sample(), for: "a")])
        #expect(try cache.record(for: "a")?.isStale == false)
    }

    @Test(.rule("A41"), arguments: ["SELECT data FROM records", "UPDATE records SET is_stale = 1"])
    func `A path is found by search, not by walking through all records`(statement: String) throws {
        let file = try TestFile()
        let cache = try file.open()
        let condition = SQLiteQueryCache.isWithin.replacingOccurrences(of: "?", with: "x'2f61'")
        let plan = try cache.inspect("EXPLAIN QUERY PLAN \(statement) WHERE \(condition) AND +is_stale = 0")
        #expect(plan.contains { $0.contains("SEARCH records USING") })
        #expect(!plan.contains { $0.contains("SCAN") })
    }

    @Test(
        .rule("A41"),
        arguments: [
            "DELETE FROM records WHERE \(SQLiteQueryCache.carriesTag)",
            "DELETE FROM tags WHERE record IN (SELECT record FROM tags WHERE tag = ifnull(?, x''))",
        ])
    func `A tag is removed by search, not by walking through all records`(statement: String) throws {
        let file = try TestFile()
        let cache = try file.open()
        let plan = try cache.inspect("EXPLAIN QUERY PLAN \(statement.replacingOccurrences(of: "?", with: "x'61'"))")
        #expect(!plan.isEmpty)
        #expect(!plan.contains { $0.contains("SCAN") })
    }
}
