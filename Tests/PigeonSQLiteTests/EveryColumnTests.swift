import Foundation
import PigeonCore
import PigeonOutbox
import PigeonSQLite
import TestSupport
import Testing

/// Every column of every table is damaged in every way. What the file then gives is what was written, or nothing; and what
/// is missing is reported.
@Suite("Damage to every column")
struct EveryColumnTests {
    // MARK: The cache

    private static let records: [QueryKey: QueryRecord] = {
        var records: [QueryKey: QueryRecord] = [:]
        for number in 0..<6 {
            var record = QueryRecord.sample("value \(number)", tags: number % 2 == 0 ? ["feed", "n\(number)"] : [])
            record.isStale = number % 3 == 0
            record.schema = number
            if number > 2 { record.freshFor = Double(number) * 10 }
            if number > 3 { record.validators = FetchValidators(eTag: "\"\(number)\"") }
            if number == 5 { record.staleIfError = 60 }
            records[QueryKey("a", number)] = record
        }
        return records
    }()

    private func checkCache(_ file: TestFile, _ damage: Comment) throws {
        let cache = try file.open()
        var found: [QueryKey: QueryRecord] = [:]
        for key in Self.records.keys { if let record = try cache.record(for: key) { found[key] = record } }
        for (key, record) in try cache.records(under: nil) { found[key] = record }
        for (key, record) in found { #expect(record == Self.records[key], damage) }
        let problems = cache.takeProblems()
        #expect(found.count == Self.records.count || !problems.isEmpty, damage)
        #expect(found.count >= Self.records.count - 2, damage)
        for key in Self.records.keys where found[key] == nil { #expect(try cache.record(for: key) == nil, damage) }
        _ = try cache.totals()
        // An invalidation by tag reaches each record that is still there.
        try cache.apply([.markStale(.tag("feed"))])
        for (_, record) in try cache.records(under: nil) where record.tags.contains("feed") {
            #expect(record.isStale, damage)
        }
        // The file goes on working.
        let new = QueryRecord.sample("new", tags: ["feed"])
        try cache.apply([.save(new, for: QueryKey("a", 1)), .save(new, for: "new")])
        #expect(try cache.record(for: QueryKey("a", 1)) == new, damage)
        #expect(try cache.record(for: "new") == new, damage)
        try cache.removeAll()
        #expect(try cache.count() == 0, damage)
    }

    @Test(
        "a cell of a cache with any value of any type is reported and gives nothing, or what was written", .rule("K10"))
    func cache() throws {
        let file = try TestFile()
        do {
            let cache = try file.open()
            try cache.apply(Self.records.sorted { "\($0.key)" < "\($1.key)" }.map { .save($0.value, for: $0.key) })
            try cache.apply([.save(.sample("gone", tags: ["feed"]), for: "gone"), .remove("gone")])
        }
        try check(file, checkCache)
    }

    /// Checks copies of a file, each with one damage.
    private func check(_ file: TestFile, _ check: (TestFile, Comment) throws -> Void) throws {
        let damage = try CellDamage(of: file)
        var columns: [String: Int] = [:]
        for each in damage.cases {
            columns["\(each.table).\(each.column)", default: 0] += 0
            guard let copy = try damage.copy(with: each) else { continue }
            columns["\(each.table).\(each.column)", default: 0] += 1
            do { try check(copy, "\(each)") } catch { Issue.record(error, "\(each)") }
        }
        #expect(columns.count > 9)
        for (column, count) in columns { #expect(count >= 5, "\(column) was hardly damaged") }
    }

    // MARK: The outbox

    private static let sessions: [String?] = ["ann", "bob", nil]
    private static let now = Date(timeIntervalSinceReferenceDate: 1_000)

    private static func record(_ number: Int) -> MutationRecord {
        var mutation = EncodedMutation(
            name: "Errand", version: 1 + number % 2, data: Data("{\"text\":\"\(number)\"}".utf8), key: "key \(number)")
        if number % 3 == 0 { mutation.temporaryIDs = [UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6))] }
        var record = MutationRecord(
            scope: number % 2 == 0 ? "scope \(number)" : nil, session: sessions[number % 3],
            client: "client \(number % 2)",
            enqueuedAt: now + Double(number), mutation: mutation)
        record.number = Int64(number + 1)
        return record
    }

    private static func assigned(_ number: Int) -> AssignedID {
        AssignedID(
            token: UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
            data: Data("[\(number)]".utf8))
    }

    /// Fills a store, and returns what each session has.
    private func fill(_ store: SQLiteMutationStore) throws -> [String?: MutationChanges] {
        _ = try store.takeLease(MutationLease(holder: "client 1", end: Self.now + 30), now: Self.now)
        for number in 0..<9 {
            _ = try store.apply(MutationBatch([.insert(Self.record(number))], isDurable: true))
        }
        for number in 0..<6 {
            let assign = MutationBatch.Change.assign(Self.assigned(number), session: Self.sessions[number % 3])
            _ = try store.apply(MutationBatch([assign], isDurable: true))
        }
        for session in Self.sessions {
            let records = try #require(try store.changes(after: -1, in: session)).records
            let progress = [
                MutationProgress(attempts: 2, notBefore: Self.now + 60), MutationProgress(attempts: 1, setAside: "422"),
            ]
            for (record, progress) in zip(records, progress) {
                let change = MutationBatch.Change.update(
                    record.number, revision: record.revision, progress, mutation: nil)
                _ = try store.apply(MutationBatch([change], isDurable: true))
            }
        }
        return try Self.sessions.reduce(into: [:]) { $0[$1] = try store.changes(after: -1, in: $1) }
    }

    private func checkOutbox(
        _ file: TestFile, _ damage: Comment, _ expected: [String?: MutationChanges]
    ) throws {
        let store = try file.openMutations()
        var damaged: Set<Int64> = []
        for session in Self.sessions {
            let (found, written) = (
                try #require(try store.changes(after: -1, in: session)), try #require(expected[session])
            )
            let sound = found.records.filter { $0.progress.setAside != "its record is damaged" }
            for record in sound { #expect(written.records.contains(record), damage) }
            let others = found.records.filter { $0.progress.setAside == "its record is damaged" }
            #expect(!others.contains { !$0.mutation.data.isEmpty }, damage)
            damaged.formUnion(others.map(\.number))
            #expect(found.records.map(\.number) == found.numbers, damage)
            // What is missing is set aside, and named.
            #expect(sound.count + others.count >= written.records.count, damage)
            #expect(others.isEmpty || found.problems.contains { $0.contains("is damaged: it is kept") }, damage)
            for id in found.assigned { #expect(written.assigned.contains(id), damage) }
            #expect(
                found.assigned.count == written.assigned.count
                    || found.problems.contains { $0.contains("identifiers") }, damage)
        }
        #expect(damaged.count <= 2, damage)
        // The file goes on working, and the lease ends after a while.
        let later = Self.now + 600
        let lease = MutationLease(holder: "new", end: later + 5)
        #expect(try store.takeLease(lease, now: later) == lease, damage)
        let receipt = try store.apply(MutationBatch([.insert(Self.record(20))], isDurable: true, lease: lease))
        #expect(receipt.numbers.count == 1, damage)
        var all: Set<Int64> = []
        for session in Self.sessions {
            let changes = try #require(try store.changes(after: -1, in: session))
            #expect(
                changes.records.contains { $0.mutation.key == "key 20" } == (session == Self.sessions[20 % 3]), damage)
            all.formUnion(changes.numbers)
        }
        #expect(all.count >= 10, damage)
        #expect(try file.movedAside(as: "damaged").isEmpty, damage)
        for session in Self.sessions {
            _ = try store.apply(MutationBatch([.removeAll(session: session)], isDurable: true))
        }
        #expect(try store.inspect("SELECT count(*) FROM mutations") == ["0"], damage)
        #expect(try store.inspect("SELECT count(*) FROM assigned") == ["0"], damage)
    }

    @Test(
        "a cell of an outbox with any value of any type is set aside and reported, or gives what was written",
        .rule("K10"))
    func outbox() throws {
        let file = try TestFile()
        let expected = try fill(try file.openMutations())
        try check(file) { try checkOutbox($0, $1, expected) }
    }
}
