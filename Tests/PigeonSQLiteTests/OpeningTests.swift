import Foundation
import PigeonCore
import PigeonSQLite
import Testing

@Suite("Opening a file")
struct OpeningTests {
    @Test func `Writes go to a write-ahead log, and are not flushed one by one`() throws {
        let file = try TestFile()
        for _ in 0..<2 {
            let cache = try file.open()
            #expect(try cache.inspect("PRAGMA journal_mode") == ["wal"])
            #expect(try cache.inspect("PRAGMA synchronous") == ["1"])
            #expect(try cache.inspect("PRAGMA busy_timeout") == ["10000"])
            #expect(try cache.inspect("PRAGMA page_size") == ["8192"])
            #expect(try cache.inspect("PRAGMA cell_size_check") == ["1"])
            #expect(try cache.inspect("PRAGMA secure_delete") == ["1"])
            #expect(try cache.inspect("PRAGMA user_version") == ["\(SQLiteSchema.current.steps.count)"])
        }
    }

    @Test func `Missing directories are created`() throws {
        let file = try TestFile()
        let url = file.directory.appendingPathComponent("some/where/queries.sqlite")
        let cache = try SQLiteQueryCache(at: url)
        try cache.fill("a", 0..<1)
        #expect(try SQLiteQueryCache(at: url).count() == 1)
    }

    @Test func `Only the owner can read the file, its log and its index`() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<10)
        for suffix in ["", "-wal", "-shm"] { #expect(try file.mode(of: suffix) == 0o600, "\(suffix)") }
    }

    @Test func `A file that others could read is taken from them when it is opened again`() throws {
        let file = try TestFile()
        let first = try file.open()
        try first.fill("a", 0..<10)
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file.path + suffix)
        }
        let second = try file.open()
        for suffix in ["", "-wal", "-shm"] { #expect(try file.mode(of: suffix) == 0o600, "\(suffix)") }
        #expect(try second.count() == 10)
    }

    @Test func `A directory that is there keeps its mode`() throws {
        let file = try TestFile()
        try FileManager.default.setAttributes([.posixPermissions: 0o751], ofItemAtPath: file.directory.path)
        _ = try file.open()
        let mode = try FileManager.default.attributesOfItem(atPath: file.directory.path)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o751)
    }

    @Test func `A directory in place of the file is an error that names it, and is left alone`() throws {
        let file = try TestFile()
        try FileManager.default.createDirectory(at: file.url, withIntermediateDirectories: false)
        let error = #expect(throws: QueryCacheError.self) { try file.open() }
        #expect(error?.description.contains(file.path) == true)
        #expect(error?.description.contains("SQLite error 14") == true)
        #expect(try file.names() == ["queries.sqlite"])
    }

    @Test func `A file in place of the directory is an error`() throws {
        let file = try TestFile()
        try Data().write(to: file.directory.appendingPathComponent("taken"))
        #expect(throws: QueryCacheError.self) {
            try SQLiteQueryCache(at: file.directory.appendingPathComponent("taken/queries.sqlite"))
        }
    }

    @Test func `Another program's database is refused, and left as it is`() throws {
        let file = try TestFile()
        try {
            let cache = try file.open()
            try cache.fill("a", 0..<1)
            _ = try cache.inspect("PRAGMA application_id = 42")
        }()
        let before = try Data(contentsOf: file.url)
        let error = #expect(throws: QueryCacheError.self) { try file.open() }
        #expect(error?.description.contains("another program") == true)
        #expect(try file.names() == ["queries.sqlite"])
        #expect(try Data(contentsOf: file.url) == before)
    }

    @Test func `Many can create one file at once`() async throws {
        let file = try TestFile()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask { try file.open().fill("writer-\(number)", 0..<5) }
            }
            try await group.waitForAll()
        }
        let cache = try file.open()
        #expect(try cache.count() == 80)
        #expect(cache.takeProblems().isEmpty)
        #expect(try file.movedAside(as: "damaged").isEmpty)
    }
}
