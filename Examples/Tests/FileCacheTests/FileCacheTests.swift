import Foundation
import PigeonCore
import PigeonTesting
import Testing

@testable import FileCache

@Suite("A cache of one file for each record")
struct FileCacheTests {
    let folder = TemporaryFolder()

    private func open() throws -> FileCache { try FileCache(at: folder.url) }

    private func record(_ text: String, tags: [String] = []) -> QueryRecord {
        QueryRecord(data: Data(text.utf8), savedAt: Date(timeIntervalSinceReferenceDate: 0), tags: tags)
    }

    /// The files of the records.
    private func files() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "record" }
    }

    // MARK: The contract

    @Test(arguments: RecordStoreContract.Rule.allCases)
    func `the cache keeps each rule of the contract`(rule: RecordStoreContract.Rule) throws {
        let folder = folder
        let contract = RecordStoreContract(open: { name in
            try FileCache(at: folder.url.appendingPathComponent(name))
        })
        try contract.check(rule)
    }

    @Test(
        arguments: [
            .replacesRecords, .keepsKeysApart, .findsByPath, .removesByKey, .removesByTag, .marksStale, .outlivesStore,
        ] as [RecordStoreContract.Rule])
    func `it keeps them if all keys have the same hash`(rule: RecordStoreContract.Rule) throws {
        let folder = folder
        let contract = RecordStoreContract(open: { name in
            try FileCache(at: folder.url.appendingPathComponent(name), naming: { _ in "same.record" })
        })
        try contract.check(rule)
    }

    @Test func `each record has a file, and a removed one has none`() throws {
        let cache = try open()
        try cache.apply([.save(record("a"), for: "a"), .save(record("b"), for: "a/b")])
        #expect(try files().count == 2)
        try cache.apply([.remove("a")])
        #expect(try files().count == 1)
        try cache.removeAll()
        #expect(try files().isEmpty)
    }

    // MARK: Damage

    @Test(arguments: [0, 1, 20])
    func `a truncated file is removed and reported with its key, and others live`(length: Int) throws {
        let cache = try open()
        try cache.apply([.save(record("a"), for: "a")])
        let file = try #require(files().first)
        try cache.apply([.save(record("b"), for: "b")])
        try Data(contentsOf: file).prefix(length).write(to: file)
        #expect(try cache.record(for: "a") == nil)
        #expect(cache.takeProblems().map(\.key) == ["a"])
        #expect(cache.takeProblems().isEmpty)
        #expect(try cache.records(under: nil).map { $0.key } == ["b"])
        #expect(try files().count == 1)
    }

    @Test func `a damaged file does not prevent a removal by tag`() throws {
        let cache = try open()
        try cache.apply([.save(record("a", tags: ["feed"]), for: "a")])
        let file = try #require(files().first)
        try cache.apply([.save(record("b", tags: ["feed"]), for: "b"), .save(record("c"), for: "c")])
        try Data("[".utf8).write(to: file)
        try cache.apply([], removing: [.tag("feed")])
        #expect(try cache.records(under: nil).map { $0.key } == ["c"])
        #expect(cache.takeProblems().count == 1)
    }

    // MARK: The end of the process

    @Test func `a batch is carried out completely if the process ends once it has begun`() throws {
        let first = try open()
        try first.apply([.save(record("old"), for: "a"), .save(record("old"), for: "c")])
        try first.prepare([.save(record("new"), for: "a"), .save(record("new"), for: "b"), .remove("c")])
        let second = try open()
        #expect(try second.record(for: "a") == record("new"))
        #expect(try second.record(for: "b") == record("new"))
        #expect(try second.record(for: "c") == nil)
        #expect(second.takeProblems().isEmpty)
    }

    @Test func `a damaged journal is removed and reported, and the records stay`() throws {
        let first = try open()
        try first.apply([.save(record("old"), for: "a")])
        try first.prepare([.save(record("new"), for: "a")])
        let journal = folder.url.appendingPathComponent("journal")
        try Data(contentsOf: journal).dropLast(5).write(to: journal)
        let second = try open()
        #expect(try second.record(for: "a") == record("old"))
        #expect(second.takeProblems().count == 1)
    }

    // MARK: With a client

    @Test func `another client shows what the first one received`() async throws {
        let cache = try open()
        let (lab, next) = (QueryLab(cache: cache), QueryLab(cache: cache))
        let fetcher = lab.fetcher(returning: String.self)
        let user = QueryDefinition("users", 1, fetch: fetcher.fetch).persisted()
        fetcher.succeed(with: "Ann")
        try await lab.run { [client = lab.client] in
            _ = try await client.fetch(user)
            await client.flush()
        }
        #expect(next.client.value(of: user) == "Ann")
    }
}

/// A folder that is removed with its owner.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("file-cache-\(UUID().uuidString)")

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}
