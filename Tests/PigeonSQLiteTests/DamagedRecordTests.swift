import Foundation
import PigeonCore
import PigeonSQLite
import Testing

@Suite("A damaged record")
struct DamagedRecordTests {
    private static let spoilings = [
        "data = 'text'", "data = 7", "saved_at = 'yesterday'", "saved_at = x'00'", "schema = 'one'", "schema = 1.5",
        "is_stale = 'no'", "fresh_for = 'long'", "tags = 'feed'", "tags = x'61'", "tags = x'393a61'",
        "validators = '1'", "validators = x'313a61'",
    ]

    @Test(arguments: spoilings) func `It is removed and reported with its key, and others live`(spoiling: String) throws
    {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<3, tags: ["feed"])
        _ = try cache.inspect("UPDATE records SET \(spoiling) WHERE key = CAST('/a/1' AS BLOB)")
        #expect(try cache.record(for: QueryKey("a", 1)) == nil)
        #expect(cache.takeProblems().map(\.key) == [QueryKey("a", 1)])
        #expect(try cache.keys() == ["a/0", "a/2"])
        #expect(try cache.count() == 2)
        #expect(try cache.inspect("SELECT count(*) FROM tags") == ["2"])
        #expect(cache.takeProblems().isEmpty)
    }

    @Test func `It is left out of a read of many`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<10)
        _ = try cache.inspect("UPDATE records SET data = 'x' WHERE key >= CAST('/a/7' AS BLOB)")
        #expect(try cache.keys(under: "a").count == 7)
        #expect(Set(cache.takeProblems().map(\.key)) == [QueryKey("a", 7), QueryKey("a", 8), QueryKey("a", 9)])
        #expect(try cache.count() == 7)
    }

    @Test(arguments: ["'text'", "x'612f31'", "x'2fff'", "5"])
    func `One whose key cannot be read is removed, and reported without it`(key: String) throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<3)
        _ = try cache.inspect("UPDATE records SET key = \(key) WHERE key = CAST('/a/1' AS BLOB)")
        #expect(try cache.keys() == ["a/0", "a/2"])
        #expect(cache.takeProblems().map(\.key) == [nil])
        #expect(try cache.count() == 2)
    }

    @Test func `It can be saved anew`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<1)
        _ = try cache.inspect("UPDATE records SET data = 'x', tags = 3, saved_at = 'x'")
        try cache.apply([.save(.sample("good"), for: QueryKey("a", 0))])
        #expect(try cache.record(for: QueryKey("a", 0)) == .sample("good"))
        #expect(cache.takeProblems().isEmpty)
    }

    @Test func `Problems are handed over once, the first hundred`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<150)
        _ = try cache.inspect("UPDATE records SET data = 'x'")
        #expect(try cache.keys().isEmpty)
        #expect(cache.takeProblems().count == 100)
        #expect(cache.takeProblems().isEmpty)
        #expect(try cache.count() == 0)
    }

    @Test func `A report names no value`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.apply([.save(.sample("secret"), for: "a")])
        _ = try cache.inspect("UPDATE records SET data = 'secret'")
        _ = try cache.record(for: "a")
        #expect(cache.takeProblems().allSatisfy { !$0.description.contains("secret") })
    }
}
