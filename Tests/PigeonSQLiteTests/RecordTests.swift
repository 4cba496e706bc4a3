import Foundation
import PigeonCore
import PigeonSQLite
import Testing

@Suite("Keeping records")
struct RecordTests {
    private static let records = [
        QueryRecord(data: Data([0, 1, 2, 255]), savedAt: Date(timeIntervalSinceReferenceDate: 1234.567_890_123)),
        QueryRecord(data: Data(), savedAt: .distantPast, schema: -3, isStale: true, freshFor: 0),
        QueryRecord(
            data: Data([7]), savedAt: .distantFuture, schema: .max, freshFor: 0.1,
            validators: FetchValidators(eTag: "W/\"1:é\""), tags: ["b", "a", "b"]),
        QueryRecord(
            data: Data(repeating: 9, count: 300_000), savedAt: Date(), schema: .min, freshFor: .infinity,
            validators: FetchValidators(eTag: "a", lastModified: "Tue, 15 Nov 1994 12:45:26 GMT"),
            tags: ["", "é", "e\u{301}", "4:x", "nul\0nul", "🐦"]),
    ]

    @Test(arguments: records) func `All fields come back as they were`(record: QueryRecord) throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.apply([.save(record, for: "a")])
        #expect(try cache.record(for: "a") == record)
        #expect(try file.open().records(under: nil).map(\.record) == [record])
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, .greatestFiniteMagnitude])
    func `A time that cannot be is as old as can be`(seconds: Double) throws {
        let file = try TestFile()
        let cache = try file.open()
        var record = QueryRecord.sample("x")
        record.savedAt = Date(timeIntervalSinceReferenceDate: seconds)
        try cache.apply([.save(record, for: "a"), .save(.sample(), for: "b")])
        #expect(try cache.record(for: "a")?.savedAt == .distantPast)
        #expect(!cache.isValueValid(forKey: "a", timestamp: Date(), andInvalidationPolicy: .expiresAfter(1e9)))
        #expect(try cache.count() == 2)
        #expect(cache.takeProblems().isEmpty)
    }

    @Test(arguments: ["NULL", "9e999", "-1e300"])
    func `A time in the file that cannot be is survived, and told as the damage that it is`(text: String) throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<1)
        _ = try cache.inspect("UPDATE records SET saved_at = \(text)")
        #expect(try cache.record(for: QueryKey("a", 0)) == nil)
        #expect(cache.takeProblems().map(\.key) == [QueryKey("a", 0)])
    }

    @Test func `A freshness that is no number is none`() throws {
        let file = try TestFile()
        let cache = try file.open()
        var record = QueryRecord.sample()
        record.freshFor = .nan
        try cache.apply([.save(record, for: "a")])
        #expect(try cache.record(for: "a") == .sample())
    }

    @Test func `A record takes the place of the one before, with its tags`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.apply([.save(.sample("one", tags: ["old", "both"]), for: "a")])
        try cache.apply([.save(.sample("two", tags: ["both", "new"]), for: "a")])
        #expect(try cache.record(for: "a") == .sample("two", tags: ["both", "new"]))
        #expect(try cache.inspect("SELECT CAST(tag AS TEXT) FROM tags ORDER BY tag") == ["both", "new"])
        try cache.apply([.save(.sample("three"), for: "a")])
        #expect(try cache.inspect("SELECT count(*) FROM tags") == ["0"])
        #expect(try cache.count() == 1)
    }

    @Test func `A removed record is gone, with its tags, and no other is`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<3, tags: ["feed"])
        try cache.apply([.remove(QueryKey("a", 1)), .remove("a"), .remove("nothing")])
        #expect(try cache.keys() == ["a/0", "a/2"])
        #expect(try cache.inspect("SELECT count(*) FROM tags") == ["2"])
    }

    @Test func `The changes of a batch are made in their order`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.apply([
            .save(.sample("gone"), for: "a"), .removeAll, .save(.sample("1"), for: "b"), .markStale(.all),
            .save(.sample("2"), for: "c"), .save(.sample("3"), for: "d"), .remove("d"),
        ])
        #expect(try cache.keys() == ["b", "c"])
        #expect(try cache.staleKeys() == ["b"])
        try cache.apply([])
        #expect(try cache.count() == 2)
    }

    @Test func `Removing all leaves nothing in the file, the log or the tags`() throws {
        let file = try TestFile()
        let cache = try file.open()
        let secret = "a secret of the one who signed out"
        try cache.apply((0..<500).map { .save(.sample("\(secret) \($0)", tags: [secret]), for: QueryKey(secret, $0)) })
        try cache.removeAll()
        #expect(try cache.count() == 0)
        #expect(try cache.records(under: nil).isEmpty)
        for name in try file.names() {
            let bytes = try Data(contentsOf: file.directory.appendingPathComponent(name))
            #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
        #expect(try cache.inspect("SELECT count(*) FROM tags") == ["0"])
    }

    @Test func `Removing some below a path leaves nothing of them in any file, and all others`() throws {
        let file = try TestFile()
        let cache = try file.open()
        let secret = "a secret of the one who signed out"
        for suffix in ["old", "new"] {
            try cache.apply((0..<50).map { .save(.sample("\(secret) \(suffix)"), for: QueryKey("users", $0)) })
        }
        try cache.apply([.save(.sample("mine"), for: "usersx"), .save(.sample("mine"), for: QueryKey("users", 99))])
        try cache.removeValues(under: "users") { $0 != QueryKey("users", 99) }
        #expect(try cache.records(under: nil).map(\.key.queryKeyValue).sorted() == ["users/99", "usersx"])
        for name in try file.names() {
            let bytes = try Data(contentsOf: file.directory.appendingPathComponent(name))
            #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
    }
}
