import Foundation
import PigeonCore
import PigeonSQLite
import TestSupport
import Testing

@Suite("A damaged file")
struct DamagedFileTests {
    private func expectRecovered(_ cache: SQLiteQueryCache, _ file: TestFile) throws {
        let problems = cache.takeProblems()
        #expect(problems.count == 1)
        #expect(problems.first?.key == nil)
        #expect(problems.first?.description.contains("is damaged") == true)
        let moved = try file.movedAside(as: "damaged")
        #expect(moved.count == 1)
        #expect(problems.first?.description.contains(moved.first ?? "?") == true)
        let saved = QueryRecord.sample("new")
        try cache.apply([.save(saved, for: "new")])
        #expect(try cache.record(for: "new") == saved)
        #expect(try file.open().record(for: "new") == saved)
        #expect(cache.takeProblems().isEmpty)
        for suffix in ["", "-wal", "-shm"] { #expect(try file.mode(of: suffix) == 0o600) }
    }

    @Test(arguments: [2, 10, 511, 100_000]) func `Garbage is moved aside when it is opened`(size: Int) throws {
        let file = try TestFile()
        let garbage = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
        try garbage.write(to: file.url)
        let cache = try file.open()
        let moved = try #require(try file.movedAside(as: "damaged").first)
        #expect(try Data(contentsOf: file.directory.appendingPathComponent(moved)) == garbage)
        try expectRecovered(cache, file)
    }

    @Test func `A truncated file is moved aside when it is opened`() throws {
        let file = try TestFile()
        try file.open().fill("a", 0..<500)
        let handle = try FileHandle(forUpdating: file.url)
        try handle.truncate(atOffset: 50_000)
        try handle.close()
        let cache = try file.open()
        #expect(try cache.records(under: nil).isEmpty)
        try expectRecovered(cache, file)
    }

    private let secret = "the-secret-of-ada"

    /// All bytes of all files.
    private func bytes(_ file: TestFile) throws -> Data {
        try file.names().reduce(into: Data()) {
            try $0.append(Data(contentsOf: file.directory.appendingPathComponent($1)))
        }
    }

    /// Leaves a file that was moved aside, with a secret in it.
    private func movedAside(_ file: TestFile) throws -> SQLiteQueryCache {
        let first = try file.open()
        try first.apply([.save(.sample(secret), for: "ada")])
        _ = try first.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
        let handle = try FileHandle(forUpdating: file.url)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 100))
        try handle.close()
        let cache = try file.open()
        #expect(try !file.movedAside(as: "damaged").isEmpty)
        #expect(try bytes(file).range(of: Data(secret.utf8)) != nil)
        return cache
    }

    @Test(.rule("H12"))
    func `a file that was moved aside goes with all records, and with those that must leave no trace`()
        throws
    {
        let removals: [(SQLiteQueryCache) throws -> Void] = [
            { try $0.apply([.removeAll]) }, { try $0.apply([], removing: [.all]) },
            { try $0.removeValues(under: "ada") { _ in true } },
        ]
        for remove in removals {
            let file = try TestFile()
            let other = file.directory.appendingPathComponent("queries.sqlite.damaged")
            try Data("mine".utf8).write(to: other)
            let cache = try movedAside(file)
            try remove(cache)
            #expect(try bytes(file).range(of: Data(secret.utf8)) == nil)
            #expect(try file.movedAside(as: "damaged").isEmpty)
            #expect(FileManager.default.fileExists(atPath: other.path))
        }
    }

    @Test(.rule("H12")) func `of files that were moved aside, the newest three are kept`() throws {
        let file = try TestFile()
        for count in [1, 2, 3, 3, 3] {
            _ = try movedAside(file)
            #expect(try file.movedAside(as: "damaged").count == count)
        }
    }

    @Test func `An empty file is a new file`() throws {
        let file = try TestFile()
        try Data().write(to: file.url)
        let cache = try file.open()
        #expect(try cache.count() == 0)
        #expect(cache.takeProblems().isEmpty)
    }

    @Test func `A damaged log does not take the file with it`() throws {
        let file = try TestFile()
        try file.open().fill("a", 0..<10)
        try Data(repeating: 0xA5, count: 10_000).write(to: URL(fileURLWithPath: file.path + "-wal"))
        let cache = try file.open()
        #expect(try cache.count() == 10)
        #expect(cache.takeProblems().isEmpty)
    }

    @Test func `Damage that one read meets is a miss, and the next write goes to a new file`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<2000)
        _ = try cache.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
        try file.overwrite(from: 8192)
        #expect(try cache.record(for: QueryKey("a", 1500)) == nil)
        let moved = try #require(try file.movedAside(as: "damaged").first)
        #expect(try file.names().contains("\(moved)-wal"))
        try expectRecovered(cache, file)
    }

    @Test func `Damage that a read of many meets is a miss`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<2000)
        _ = try cache.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
        try file.overwrite(from: 1 << 20)
        #expect(try cache.records(under: nil).isEmpty)
        try expectRecovered(cache, file)
    }

    @Test func `A batch that meets damage is written to the new file`() throws {
        let file = try TestFile()
        try file.open().fill("a", 0..<2000)
        try file.overwrite(from: 8192)
        let cache = try file.open()
        #expect(cache.takeProblems().isEmpty)
        try cache.fill("b", 0..<5)
        #expect(try cache.keys() == (0..<5).map { "b/\($0)" })
        try expectRecovered(cache, file)
    }

    @Test func `A header that is overwritten while the file is open is survived`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<100)
        _ = try cache.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
        _ = try cache.inspect("PRAGMA shrink_memory")
        try file.overwrite(from: 0)
        try cache.fill("b", 0..<1)
        #expect(try cache.keys() == ["b/0"])
        try expectRecovered(cache, file)
    }

    @Test func `Who shares a file that another instance replaced finds the new one`() throws {
        let file = try TestFile()
        let one = try file.open()
        let other = try file.open()
        try one.fill("a", 0..<2000)
        _ = try one.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
        try file.overwrite(from: 8192)
        #expect(try one.record(for: QueryKey("a", 1500)) == nil)
        try one.fill("one", 0..<1)
        try other.fill("other", 0..<1)
        #expect(try one.keys() == ["one/0", "other/0"])
        #expect(try other.keys() == ["one/0", "other/0"])
        #expect(try file.movedAside(as: "damaged").count == 1)
        #expect(other.takeProblems().count == 1)
    }

    @Test func `Who meets damage in a file that another instance replaced leaves the new one in its place`() throws {
        let file = try TestFile()
        let one = try file.open()
        let other = try file.open()
        try one.fill("a", 0..<2000)
        _ = try one.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
        try file.overwrite(from: 8192)
        #expect(try one.record(for: QueryKey("a", 1500)) == nil)
        try one.fill("one", 0..<1)
        #expect(try other.keys() == ["one/0"])
        #expect(try file.movedAside(as: "damaged").count == 1)
    }

    @Test func `Many who open a damaged file at once move it aside once, and lose nothing`() async throws {
        let file = try TestFile()
        try Data(repeating: 0xA5, count: 20_000).write(to: file.url)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask { try file.open().fill("writer-\(number)", 0..<5) }
            }
            try await group.waitForAll()
        }
        #expect(try file.open().count() == 80)
        #expect(try file.movedAside(as: "damaged").count == 1)
        #expect(try file.mode(of: ".lock") == 0o600)
    }

    @Test func `Many who meet damage at once move the file aside once`() async throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<2000)
        _ = try cache.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
        try file.overwrite(from: 8192)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask {
                    #expect(try cache.record(for: QueryKey("a", number * 50)) == nil)
                    try cache.fill("b", number..<number + 1)
                }
            }
            try await group.waitForAll()
        }
        #expect(try cache.count() == 32)
        try expectRecovered(cache, file)
    }

    @Test func `A file that was removed while open is begun anew`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<10)
        try FileManager.default.removeItem(at: file.directory)
        try cache.fill("b", 0..<1)
        #expect(try file.open().keys() == ["b/0"])
        #expect(cache.takeProblems().count == 1)
    }

    @Test func `A place where no file can be opened is an error until it can`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<10)
        try FileManager.default.removeItem(at: file.directory)
        try Data().write(to: file.directory)
        #expect(throws: QueryCacheError.self) { try cache.fill("b", 0..<1) }
        #expect(throws: QueryCacheError.self) { try cache.record(for: "b") }
        try FileManager.default.removeItem(at: file.directory)
        try cache.fill("b", 0..<1)
        #expect(try cache.keys() == ["b/0"])
    }
}
