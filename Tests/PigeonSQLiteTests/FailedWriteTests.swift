import Foundation
import GRDB
import PigeonCore
import PigeonSQLite
import TestSupport
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

    private static let secret = "the-secret-of-ada"

    /// The names of the files that have a secret in their bytes.
    private static func traces(in file: TestFile) throws -> [String] {
        try file.names().filter {
            let bytes = try Data(contentsOf: file.directory.appendingPathComponent($0))
            return bytes.range(of: Data(secret.utf8)) != nil
        }
    }

    /// Moves secrets into the file itself, and no longer has them in the log.
    private static func keepSecrets(_ numbers: Range<Int>, in cache: SQLiteQueryCache) throws {
        try cache.apply(numbers.map { .save(.sample(secret + .filler), for: QueryKey("a", $0)) })
        _ = try cache.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    @Test(.rule("H12"))
    func `A removal throws while another connection keeps its bytes readable, and the next one ends them`()
        throws
    {
        let file = try TestFile()
        var schema = SQLiteSchema.current
        schema.busyTimeout = 0.05
        let cache = try SQLiteQueryCache(at: file.url, schema: schema)
        try cache.apply((0..<50).map { .save(.sample(Self.secret + .filler), for: QueryKey("a", $0)) })
        let reader = try DatabaseQueue(path: file.path)
        try reader.inDatabase { database in
            try database.execute(sql: "BEGIN")
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM records") == 50)
            let all = #expect(throws: QueryCacheError.self) { try cache.apply([.removeAll]) }
            #expect(all?.description.contains("locked") == true)
            #expect(throws: QueryCacheError.self) { try cache.removeValues(under: "a") { _ in true } }
            #expect(try cache.count() == 0)
            #expect(try Self.traces(in: file) == ["queries.sqlite-wal"])
            try database.execute(sql: "COMMIT")
        }
        try cache.removeValues(under: "a") { _ in true }
        #expect(try Self.traces(in: file) == [])
    }

    @Test(.rule("H12")) func `If the file cannot be rewritten, all that was removed is overwritten`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try Self.keepSecrets(0..<50, in: cache)
        #expect(try Self.traces(in: file) == ["queries.sqlite"])
        // Rewriting attaches a database, which is refused when as many are attached as there may be.
        for number in 0..<200 {
            guard (try? cache.inspect("ATTACH ':memory:' AS other\(number)")) != nil else { break }
        }
        #expect(throws: QueryCacheError.self) { try cache.inspect("VACUUM") }
        try cache.apply([.removeAll])
        #expect(try Self.traces(in: file) == [])
        #expect(try cache.count() == 0)
    }

    #if os(Linux)
        /// Sets how long the files of this process may become, in bytes.
        private static func limitFiles(to length: UInt) {
            signal(SIGXFSZ, SIG_IGN)
            var limits = rlimit()
            getrlimit(Int32(RLIMIT_FSIZE.rawValue), &limits)
            limits.rlim_cur = length
            setrlimit(Int32(RLIMIT_FSIZE.rawValue), &limits)
        }

        @Test(.rule("H12"))
        func `If what was removed cannot be overwritten, it is an error, and goes with the next attempt`()
            async
        {
            // In a process of its own, as the limit is one for all its files.
            await #expect(processExitsWith: .success) {
                let removals: [(SQLiteQueryCache) throws -> Void] = [
                    { try $0.apply([.removeAll]) }, { try $0.removeValues(under: "a") { _ in true } },
                ]
                for remove in removals {
                    let file = try TestFile()
                    let cache = try file.open()
                    try FailedWriteTests.keepSecrets(0..<800, in: cache)
                    // The last records lie at the end of the file, where the limit does not let the log be moved.
                    try cache.apply((0..<780).map { .remove(QueryKey("a", $0)) })
                    _ = try cache.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
                    FailedWriteTests.limitFiles(to: 400_000)
                    #expect(throws: QueryCacheError.self) { try remove(cache) }
                    #expect(try FailedWriteTests.traces(in: file) == ["queries.sqlite"])
                    #expect(try cache.count() == 0)
                    FailedWriteTests.limitFiles(to: .max)
                    try remove(cache)
                    #expect(try FailedWriteTests.traces(in: file) == [])
                }
            }
        }
    #endif

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
    static let filler = String(repeating: "x", count: 1000)
}
