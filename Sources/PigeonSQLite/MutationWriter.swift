internal import Foundation
internal import GRDB
internal import PigeonCore

/// Changes the tables of a store of mutations within one transaction.
struct MutationWriter {
    let database: Database

    func apply(_ batch: MutationBatch) throws -> MutationReceipt {
        let receipt = try begin(batch)
        let revision = receipt.revision
        var next = receipt.numbers.makeIterator()
        for change in batch.changes {
            switch change {
            case .insert(let record): if let number = next.next() { try insert(record, number, revision) }
            case .update(let number, let old, let progress, let mutation):
                try update(number, from: old, to: revision, progress, mutation)
            case .remove(let number, let old):
                try database.run(
                    "DELETE FROM mutations WHERE number = ? AND \(StoredMutation.revision) = ?", [number, old])
                guard database.changesCount == 1 else { throw MutationStoreError.outdated }
            case .assign(let id, let session): try assign(id, session, revision)
            case .removeAll(let session):
                for table in ["mutations", "assigned"] {
                    try database.run("DELETE FROM \(table) WHERE session IS ?", [StoredMutation.bytes(of: session)])
                }
            }
        }
        return receipt
    }

    /// Returns the result of a batch. The numbers of its insertions are never given again.
    ///
    /// Writes the revision only if the numbers do not say it: a page less to write for a mutation that is enqueued.
    private func begin(_ batch: MutationBatch) throws -> MutationReceipt {
        let statement = try database.cachedStatement(sql: StoredMutation.lastRevision)
        guard let last = try Int64.fetchOne(statement) else { throw UnusableFile.damaged("it has no state") }
        guard last < Int64.max - Int64(batch.changes.count) - 1 else {
            throw UnusableFile.damaged("its numbers are beyond their range")
        }
        if let lease = batch.lease, try currentLease().holder != lease.holder { throw MutationStoreError.leaseLost }
        let receipt = MutationReceipt(of: batch, after: last)
        if receipt.numbers.isEmpty || receipt.numbers.count < batch.changes.count || batch.lease != nil {
            try database.run(
                "UPDATE outbox SET revision = ?, lease_end = ifnull(?, lease_end)",
                [receipt.revision, batch.lease?.end.timeIntervalSinceReferenceDate])
        }
        return receipt
    }

    func take(_ lease: MutationLease, now: Date) throws -> MutationLease {
        let known = try currentLease()
        if known.excludes(lease, at: now) { return known }
        try database.run(
            "UPDATE outbox SET holder = ?, lease_end = ?",
            [StoredMutation.bytes(of: lease.holder), lease.end.timeIntervalSinceReferenceDate])
        return lease
    }

    func endLease(of holder: String) throws {
        try database.run("UPDATE outbox SET lease_end = 0 WHERE holder = ?", [StoredMutation.bytes(of: holder)])
    }

    private func currentLease() throws -> MutationLease {
        let statement = try database.cachedStatement(
            sql: "SELECT CAST(holder AS BLOB), ifnull(CAST(lease_end AS REAL), 0) FROM outbox")
        guard let row = try Row.fetchOne(statement) else { throw UnusableFile.damaged("it has no state") }
        let holder = String(decoding: (row[0] ?? Data()).dropFirst(), as: UTF8.self)
        return MutationLease(holder: holder, end: Date(timeIntervalSinceReferenceDate: row[1]))
    }

    private func insert(_ record: MutationRecord, _ number: Int64, _ revision: Int64) throws {
        let (mutation, progress) = (record.mutation, record.progress)
        try database.checkSize(of: mutation.data, of: "mutation")
        try database.run(
            """
            INSERT INTO mutations (number, revision, client, session, scope, enqueued_at, attempts, not_before, \
            set_aside, name, version, key, checksum, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ifnull(?, x''))
            """,
            [
                number, revision, StoredMutation.bytes(of: record.client), StoredMutation.bytes(of: record.session),
                StoredMutation.bytes(of: record.scope),
                record.enqueuedAt.timeIntervalSinceReferenceDate, progress.attempts,
                progress.notBefore?.timeIntervalSinceReferenceDate, StoredMutation.bytes(of: progress.setAside),
                StoredMutation.bytes(of: mutation.name), mutation.version, StoredMutation.bytes(of: mutation.key),
                StoredMutation.checksum(of: mutation), mutation.data,
            ])
    }

    private func update(
        _ number: Int64, from old: Int64, to revision: Int64, _ progress: MutationProgress, _ mutation: EncodedMutation?
    ) throws {
        try database.run(
            """
            UPDATE mutations SET revision = ?, attempts = ?, not_before = ?, set_aside = ? \
            WHERE number = ? AND \(StoredMutation.revision) = ?
            """,
            [
                revision, progress.attempts, progress.notBefore?.timeIntervalSinceReferenceDate,
                StoredMutation.bytes(of: progress.setAside), number, old,
            ])
        guard database.changesCount == 1 else { throw MutationStoreError.outdated }
        guard let mutation else { return }
        try database.checkSize(of: mutation.data, of: "mutation")
        try database.run(
            "UPDATE mutations SET name = ?, version = ?, key = ?, checksum = ?, data = ifnull(?, x'') WHERE number = ?",
            [
                StoredMutation.bytes(of: mutation.name), mutation.version, StoredMutation.bytes(of: mutation.key),
                StoredMutation.checksum(of: mutation), mutation.data, number,
            ])
    }

    private func assign(_ id: AssignedID, _ session: String?, _ revision: Int64) throws {
        try database.run(
            "INSERT INTO assigned (revision, session, token, data) VALUES (?, ?, ?, ?)",
            [revision, StoredMutation.bytes(of: session), id.token?.uuidString ?? "", id.data])
        try database.run("DELETE FROM assigned WHERE number <= ?", [database.lastInsertedRowID - 10_000])
    }
}
