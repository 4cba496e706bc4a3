import Foundation
import PigeonCore
import PigeonSQLite
import TestSupport
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

    @Test(
        .rule("H13"),
        arguments: [
            "data = data || x'00'", "data = zeroblob(1000)", "saved_at = 1001", "schema = 1", "fresh_for = 0",
            "tags = NULL", "validators = CAST('1:a0:' AS BLOB)", "checksum = checksum + 1",
            "key = CAST('/a/7' AS BLOB)",
        ])
    func `bytes that are not those that were saved are no record, however well they read`(change: String) throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<3, tags: ["feed"])
        _ = try cache.inspect("UPDATE records SET \(change) WHERE key = CAST('/a/1' AS BLOB)")
        #expect(try cache.record(for: QueryKey("a", 1)) == nil)
        #expect(try cache.keys() == ["a/0", "a/2"])
        #expect(cache.takeProblems().count == 1)
    }

    @Test(.rule("H13")) func `a mark as stale is no damage`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<1)
        try cache.apply([.markStale(.all)])
        #expect(try cache.staleKeys() == ["a/0"])
        #expect(cache.takeProblems().isEmpty)
    }

    @Test(.rule("H13")) func `each bit of a record counts`() throws {
        let file = try TestFile()
        let cache = try file.open()
        var record = QueryRecord.sample("some bytes", tags: ["t"])
        record.freshFor = 10
        record.validators = FetchValidators(eTag: "\"1\"")
        try cache.apply([.save(record, for: "a")])
        let length = try #require(Int(cache.inspect("SELECT length(data) FROM records").first ?? ""))
        for byte in 0..<length {
            for bit in 0..<8 {
                try cache.apply([.save(record, for: "a")])
                #expect(try cache.record(for: "a") == record)
                var bytes = record.data
                bytes[bytes.startIndex + byte] ^= 1 << bit
                let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                _ = try cache.inspect("UPDATE records SET data = x'\(hex)'")
                #expect(try cache.record(for: "a") == nil)
            }
        }
        _ = cache.takeProblems()
    }

    @Test(.rule("H13")) func `an index that leads to another key's record is damage of the file`() throws {
        let file = try TestFile()
        _ = try {
            let cache = try file.open()
            try cache.fill("a", 0..<3)
            return try cache.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
        }()
        // The entry of a key in the index is the key and the number of its row: 2 for the second.
        var bytes = try Data(contentsOf: file.url)
        let entry = try #require(bytes.range(of: Data("/a/1\u{2}".utf8)))
        bytes[entry.upperBound - 1] = 3
        try bytes.write(to: file.url)
        let cache = try file.open()
        #expect(try cache.record(for: QueryKey("a", 1)) == nil)
        #expect(cache.takeProblems().contains { $0.description.contains("its index leads to other records") })
        try cache.fill("a", 0..<3)
        #expect(try cache.keys() == ["a/0", "a/1", "a/2"])
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
