import Foundation
import PigeonCore
import PigeonSQLite
import Testing

@Suite("Formats of the file")
struct FormatTests {
    private let next = {
        var next = SQLiteSchema.current
        next.steps.append("ALTER TABLE records ADD COLUMN note TEXT; CREATE TABLE extra (x);")
        return next
    }()

    @Test func `A file of an older format is brought up to date and keeps its records`() throws {
        let file = try TestFile()
        let record = QueryRecord.sample(tags: ["feed"])
        try file.open().apply([.save(record, for: "a")])
        let cache = try SQLiteQueryCache(at: file.url, schema: next)
        #expect(try cache.inspect("PRAGMA user_version") == ["\(next.steps.count)"])
        #expect(try cache.record(for: "a") == record)
        #expect(cache.takeProblems().isEmpty)
        #expect(try cache.inspect("SELECT count(*) FROM extra") == ["0"])
    }

    @Test func `A file of a newer format is moved aside whole, and reported`() throws {
        let file = try TestFile()
        try SQLiteQueryCache(at: file.url, schema: next).fill("a", 0..<3)
        let cache = try file.open()
        #expect(try cache.count() == 0)
        let moved = try #require(try file.movedAside(as: "newer").first)
        let problems = cache.takeProblems()
        #expect(problems.count == 1)
        #expect(problems.first?.description.contains("has format \(next.steps.count)") == true)
        #expect(problems.first?.description.contains(moved) == true)
        let kept = try SQLiteQueryCache(at: file.directory.appendingPathComponent(moved), schema: next)
        #expect(try kept.count() == 3)
    }

    @Test func `A second newer file never overwrites the first`() throws {
        let file = try TestFile()
        for _ in 0..<3 {
            try SQLiteQueryCache(at: file.url, schema: next).fill("a", 0..<3)
            _ = try file.open()
        }
        #expect(try file.movedAside(as: "newer").count == 3)
    }

    @Test func `A file that is not of the format it says is damaged`() throws {
        let file = try TestFile()
        _ = try file.open().inspect("PRAGMA user_version = 0")
        let cache = try file.open()
        try cache.fill("a", 0..<1)
        #expect(try cache.count() == 1)
        #expect(try file.movedAside(as: "damaged").count == 1)
        #expect(cache.takeProblems().count == 1)
    }

    @Test func `A file that lacks a table is damaged`() throws {
        let file = try TestFile()
        _ = try file.open().inspect("DROP TABLE tags")
        let cache = try file.open()
        #expect(try cache.count() == 0)
        #expect(try file.movedAside(as: "damaged").count == 1)
    }
}
