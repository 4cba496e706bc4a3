import Foundation
import Pigeon
import PigeonSQLite
import PigeonTesting
import Testing

final class NoteStore: QueryRecordStore, @unchecked Sendable {  // `records` is used only under the lock
    private let lock = NSLock()
    private var records: [QueryKey: QueryRecord] = [:]

    func record(for key: QueryKey) throws -> QueryRecord? {
        lock.withLock { records[key] }
    }

    func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)] {
        lock.withLock {
            records.filter { path.map($0.key.isWithin) ?? true }.map { ($0.key, $0.value) }
        }
    }

    func apply(_ changes: [QueryRecordChange]) throws {
        lock.withLock {
            for change in changes { carryOut(change) }
        }
    }

    private func carryOut(_ change: QueryRecordChange) {
        switch change {
        case .save(let record, let key): records[key] = record
        case .remove(let key): records[key] = nil
        case .removeAll: records = [:]
        case .markStale(let scope):
            for (key, record) in records where scope.contains(key, tags: record.tags) { records[key]?.isStale = true }
        }
    }
}

/// Stands for a store of the reader's that keeps records on disk.
private typealias FileStore = SQLiteQueryCache

/// A folder that is removed with its owner.
private final class TemporaryFolder: Sendable {
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent("contract-\(UUID().uuidString)")

    func appendingPathComponent(_ name: String) -> URL { url.appendingPathComponent(name) }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

@Suite("Article: test a cache of your own")
struct CacheTestingTests {
    @Test func `the store keeps the contract`() throws {
        try RecordStoreContract(make: { NoteStore() }).check()
    }

    private let folder = TemporaryFolder()

    @Test func `the store keeps the contract, and its records outlive it`() throws {
        try RecordStoreContract(open: { name in try FileStore(at: folder.appendingPathComponent(name)) }).check()
    }

    @Test(arguments: RecordStoreContract.Rule.allCases)
    func `the store keeps each rule`(rule: RecordStoreContract.Rule) throws {
        try RecordStoreContract(make: { NoteStore() }).check(rule)
    }

    @Test func `a second client shows what the first one received`() async throws {
        let (store, lab, next) = (NoteStore(), QueryLab(), QueryLab())
        let fetcher = lab.fetcher(returning: Note.self)
        let note = QueryDefinition("notes", 1, fetch: fetcher.fetch).persisted(in: store)
        fetcher.succeed(with: Note(title: "Draft"))
        try await lab.run { [client = lab.client] in
            _ = try await client.fetch(note)
            await client.flush()
        }
        #expect(next.client.observe(note.enabled(false)).value?.title == "Draft")
    }
}
