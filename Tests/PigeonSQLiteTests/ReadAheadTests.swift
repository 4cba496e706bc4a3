import Foundation
import PigeonCore
import PigeonSQLite
import TestSupport
import Testing

@Suite("reading neighbours", .rule("F8"))
struct ReadAheadTests {
    private let file: TestFile
    private let cache: SQLiteQueryCache

    init() throws {
        file = try TestFile()
        cache = try file.open()
    }

    /// Waits until the file counts as left alone.
    private func rest() async throws { try await Task.sleep(for: .milliseconds(80)) }

    private var ahead: Int { cache.readAhead.withLock { $0.count } }

    @Test func `Looks in order read more and more at once, and each finds its own record`() async throws {
        try cache.apply((1000..<1500).map { .save(.sample("\($0)"), for: QueryKey("list", $0)) })
        try cache.apply([.save(.sample("below"), for: QueryKey("list", 1002, "detail"))])
        try await rest()
        for number in 1000..<1500 {
            #expect(try cache.record(for: QueryKey("list", number)) == .sample("\(number)"))
        }
        #expect(ahead == ReadAhead.limit.records)
        #expect(try cache.record(for: QueryKey("list", 1002, "detail")) == .sample("below"))
        #expect(try cache.record(for: QueryKey("list", 1500)) == nil)
    }

    @Test func `Looks in random order read little in advance`() async throws {
        try cache.fill("list", 0..<1000)
        try await rest()
        var most = 0
        for number in 0..<1000 {
            #expect(try cache.record(for: QueryKey("list", number * 367 % 1000)) != nil)
            most = max(most, ahead)
        }
        #expect(most <= 4)
    }

    @Test func `Large records are not read by the dozen`() async throws {
        let large = QueryRecord.sample(String(repeating: "x", count: 200_000))
        try cache.apply((10..<60).map { .save(large, for: QueryKey("list", $0)) })
        try await rest()
        for number in 10..<60 { #expect(try cache.record(for: QueryKey("list", number)) == large) }
        #expect(ahead <= 4)
    }

    /// Right after a write, the file's times do not tell whether there was another. Later they do.
    @Test(arguments: [true, false], [true, false])
    func `A look sees what was written since the records beside it were read`(
        isOtherProcess: Bool, isLater: Bool
    ) async throws {
        let writer = isOtherProcess ? try file.open() : cache
        func write(_ change: QueryRecordChange) async throws {
            // Reads the next ones in advance.
            try await rest()
            for number in 100..<107 { _ = try cache.record(for: QueryKey("list", number)) }
            #expect(ahead > 1)
            try writer.apply([change])
            if isLater { try await rest() }
        }
        try cache.apply((100..<120).map { .save(.sample("old"), for: QueryKey("list", $0)) })
        try await write(.save(.sample("new"), for: QueryKey("list", 107)))
        #expect(try cache.record(for: QueryKey("list", 107)) == .sample("new"))
        try await write(.markStale(.key(QueryKey("list", 107))))
        #expect(try cache.record(for: QueryKey("list", 107))?.isStale == true)
        try await write(.remove(QueryKey("list", 107)))
        #expect(try cache.record(for: QueryKey("list", 107)) == nil)
        try await write(.removeAll)
        #expect(try cache.record(for: QueryKey("list", 108)) == nil)
    }

    @Test func `A damaged neighbour harms nobody, and is reported when it is asked for`() async throws {
        try cache.fill("list", 10..<40)
        _ = try cache.inspect("UPDATE records SET checksum = 1 WHERE key = CAST('/list/20' AS BLOB)")
        try await rest()
        for number in 10..<40 where number != 20 {
            #expect(try cache.record(for: QueryKey("list", number)) == .sample())
        }
        #expect(cache.takeProblems().isEmpty)
        #expect(try cache.record(for: QueryKey("list", 20)) == nil)
        #expect(cache.takeProblems().map(\.key) == [QueryKey("list", 20)])
    }
}
