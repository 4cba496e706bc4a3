import Foundation
import PigeonCore
import PigeonSQLite
import TestSupport
import Testing

@Suite("The life of a cache")
struct LifetimeTests {
    @Test func `It is freed when its owner lets go, and the file with it`() throws {
        let file = try TestFile()
        weak var freed: SQLiteQueryCache?
        try {
            let cache = try file.open()
            freed = cache
            try cache.fill("a", 0..<10)
            #expect(try cache.count() == 10)
        }()
        #expect(freed == nil)
        #expect(try file.names() == ["queries.sqlite"])
        #expect(openFiles(in: file) == [])
        try FileManager.default.removeItem(at: file.url)
        #expect(try file.open().count() == 0)
    }

    @Test(.rule("H15")) func `the log of a small cache is small, however much is written`() throws {
        let file = try TestFile()
        let cache = try file.open()
        var longest = 0
        for batch in 0..<200 {
            try cache.fill("a", batch * 100..<(batch + 1) * 100)
            let log = try FileManager.default.attributesOfItem(atPath: file.path + "-wal")
            longest = max(longest, try #require(log[.size] as? Int))
        }
        #expect(longest < 4_000_000)
    }

    @Test func `A file that was moved aside is let go of too`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<2000)
        _ = try cache.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
        try file.overwrite(from: 8192)
        #expect(try cache.records(under: nil).isEmpty)
        #expect(openFiles(in: file).filter { $0.contains("damaged") } == [])
    }

    @Test func `What was written is there for the next one`() throws {
        let file = try TestFile()
        try file.open().fill("a", 0..<10)
        #expect(try file.open().count() == 10)
    }

    /// The paths this process has open in the test's directory, where the system tells.
    private func openFiles(in file: TestFile) -> [String] {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        .filter { $0.hasPrefix(file.directory.path) }
    }
}
