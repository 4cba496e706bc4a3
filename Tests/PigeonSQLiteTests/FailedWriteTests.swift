import Foundation
import PigeonCore
import PigeonSQLite
import Testing

@Suite("A write that fails")
struct FailedWriteTests {
    private func limit(_ cache: SQLiteQueryCache) throws {
        let pages = try #require(try cache.inspect("PRAGMA page_count").first.flatMap { Int($0) })
        _ = try cache.inspect("PRAGMA max_page_count = \(pages + 3)")
    }

    @Test func `A full disk is an error that names the file and SQLite's reason, and no value`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<5)
        try limit(cache)
        let error = #expect(throws: QueryCacheError.self) {
            try cache.apply((0..<500).map { .save(.sample("secret \($0)" + .filler), for: QueryKey("b", $0)) })
        }
        let text = error?.description ?? ""
        #expect(text.contains(file.path))
        #expect(text.contains("database or disk is full"))
        #expect(!text.contains("secret"))
    }

    @Test func `After a full disk all is as it was, and the next write can succeed`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<5, tags: ["feed"])
        try limit(cache)
        #expect(throws: QueryCacheError.self) {
            try cache.apply(
                [.remove(QueryKey("a", 0)), .markStale(.all)]
                    + (0..<500).map { .save(.sample(), for: QueryKey("b", $0)) })
        }
        #expect(try cache.keys() == (0..<5).map { "a/\($0)" })
        #expect(try cache.staleKeys().isEmpty)
        #expect(try cache.inspect("SELECT count(*) FROM tags") == ["5"])
        _ = try cache.inspect("PRAGMA max_page_count = 1000000")
        try cache.fill("b", 0..<500)
        #expect(try cache.count() == 505)
        #expect(cache.takeProblems().isEmpty)
        #expect(try file.movedAside(as: "damaged").isEmpty)
    }

    @Test func `A file that may not be written can still be read`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<5)
        _ = try cache.inspect("PRAGMA query_only = ON")
        let error = #expect(throws: QueryCacheError.self) { try cache.fill("b", 0..<1) }
        #expect(error?.description.contains("readonly") == true)
        #expect(throws: QueryCacheError.self) { try cache.removeAll() }
        #expect(try cache.count() == 5)
        _ = try cache.inspect("PRAGMA query_only = OFF")
        try cache.fill("b", 0..<1)
        #expect(try cache.count() == 6)
    }

    @Test func `A damaged record that cannot be removed is a miss, and said to be still there`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<2)
        _ = try cache.inspect("UPDATE records SET data = 'x' WHERE key = CAST('/a/1' AS BLOB)")
        _ = try cache.inspect("PRAGMA query_only = ON")
        #expect(try cache.record(for: QueryKey("a", 1)) == nil)
        #expect(cache.takeProblems().map(\.description) == ["a record could not be read and could not be removed"])
        #expect(try cache.count() == 2)
    }
}

extension String {
    fileprivate static let filler = String(repeating: "x", count: 1000)
}
