internal import Foundation
internal import GRDB
internal import PigeonCore
internal import PigeonOutbox

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
            case .removeAll(let session): try removeAll(of: session)
            }
        }
        return receipt
    }

    /// Writes the revision only if the numbers do not imply it, which saves a page for each mutation that is enqueued.
    ///
    /// - Returns: The result of the batch. The numbers of its insertions are never used again.
    private func begin(_ batch: MutationBatch) throws -> MutationReceipt {
        let statement = try database.cachedStatement(sql: StoredMutation.lastRevision)
        guard let last = try Int64.fetchOne(statement) else { throw UnusableFile.stateless }
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
        guard let row = try Row.fetchOne(statement) else { throw UnusableFile.stateless }
        let holder = String(decoding: (row[0] ?? Data()).dropFirst(), as: UTF8.self)
        return MutationLease(holder: holder, end: Date(timeIntervalSinceReferenceDate: row[1]))
    }

    /// Removes the rows of a session, and damaged rows whose session cannot be known.
    private func removeAll(of session: String?) throws {
        for stray in try MutationReader(database: database, session: session).strays() {
            try database.run("DELETE FROM mutations WHERE number = ?", [stray.number])
        }
        let cursor = try Row.fetchCursor(database.cachedStatement(sql: StoredAssignment.selection))
        var strays: [Int64] = []
        while let row = try cursor.next() { if !StoredAssignment(row).isSound { strays.append(row[6]) } }
        for number in strays { try database.run("DELETE FROM assigned WHERE number = ?", [number]) }
        for table in ["mutations", "assigned"] {
            try database.run("DELETE FROM \(table) WHERE session IS ?", [StoredMutation.bytes(of: session)])
        }
    }

    private func insert(_ record: MutationRecord, _ number: Int64, _ revision: Int64) throws {
        let mutation = record.mutation
        try database.checkSize(of: mutation.data, of: "mutation")
        var record = record
        (record.number, record.revision) = (number, revision)
        let (identifiers, checksum) = (
            StoredMutation.bytes(of: mutation.temporaryIDs), StoredMutation.checksum(of: mutation)
        )
        try database.run(
            """
            INSERT INTO mutations (number, revision, client, session, scope, enqueued_at, attempts, not_before, \
            set_aside, identifiers, checksum, head_checksum, name, version, key, data) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ifnull(?, x''))
            """,
            [
                number, revision, StoredMutation.bytes(of: record.client), StoredMutation.bytes(of: record.session),
                StoredMutation.bytes(of: record.scope), StoredMutation.seconds(of: record.enqueuedAt),
                record.progress.attempts, StoredMutation.seconds(of: record.progress.notBefore),
                StoredMutation.bytes(of: record.progress.setAside), identifiers, checksum,
                StoredMutation.headChecksum(of: record, identifiers: identifiers, checksum: checksum),
                StoredMutation.bytes(of: mutation.name), mutation.version, StoredMutation.bytes(of: mutation.key),
                mutation.data,
            ])
    }

    private func update(
        _ number: Int64, from old: Int64, to revision: Int64, _ progress: MutationProgress, _ mutation: EncodedMutation?
    ) throws {
        let heads = try database.cachedStatement(
            sql: "\(StoredMutation.headSelection) WHERE number = ? AND \(StoredMutation.revision) = ?")
        guard var stored = try Row.fetchOne(heads, arguments: [number, old]).map(StoredMutation.init(head:)) else {
            throw MutationStoreError.outdated
        }
        if let mutation {
            try database.checkSize(of: mutation.data, of: "mutation")
            stored.identifiers = StoredMutation.bytes(of: mutation.temporaryIDs)
            stored.checksum = StoredMutation.checksum(of: mutation)
            try database.run(
                "UPDATE mutations SET name = ?, version = ?, key = ?, data = ifnull(?, x'') WHERE number = ?",
                [
                    StoredMutation.bytes(of: mutation.name), mutation.version, StoredMutation.bytes(of: mutation.key),
                    mutation.data, number,
                ])
        }
        (stored.record.revision, stored.record.progress) = (revision, progress)
        // A damaged head stays damaged: it has no checksum then.
        let headChecksum =
            stored.isSound
            ? StoredMutation.headChecksum(
                of: stored.record, identifiers: stored.identifiers, checksum: stored.checksum) : nil
        try database.run(
            """
            UPDATE mutations SET revision = ?, attempts = ?, not_before = ?, set_aside = ?, identifiers = ?, \
            checksum = ?, head_checksum = ? WHERE number = ?
            """,
            [
                revision, progress.attempts, StoredMutation.seconds(of: progress.notBefore),
                StoredMutation.bytes(of: progress.setAside), stored.identifiers, stored.checksum, headChecksum, number,
            ])
    }

    private func assign(_ id: AssignedID, _ session: String?, _ revision: Int64) throws {
        let (session, token) = (StoredMutation.bytes(of: session), id.token?.uuidString ?? "")
        let checksum = StoredAssignment.checksum(
            revision: revision, session: session, token: Data(token.utf8), data: id.data)
        try database.run(
            "INSERT INTO assigned (revision, session, token, data, checksum) VALUES (?, ?, ?, ifnull(?, x''), ?)",
            [revision, session, token, id.data, checksum])
        if MutationBatch.mustForget(after: database.lastInsertedRowID) { try forget() }
    }

    /// Forgets the identifiers beyond the newest of each session, but for those that a mutation in the store names.
    private func forget() throws {
        let old = try Row.fetchAll(
            database,
            sql: """
                SELECT number, CAST(token AS TEXT) FROM (SELECT number, token, row_number() OVER \
                (PARTITION BY session ORDER BY \(StoredMutation.revision) DESC, number DESC) AS place FROM assigned) \
                WHERE place > ?
                """, arguments: [MutationBatch.mostAssigned])
        guard !old.isEmpty else { return }
        var named: Set<UUID> = []
        let cursor = try Optional<Data>.fetchCursor(database, sql: "SELECT CAST(identifiers AS BLOB) FROM mutations")
        while let bytes = try cursor.next() {
            // An older version did not say what the mutation names.
            guard let bytes else { return }
            named.formUnion(StoredMutation.identifiers(from: bytes) ?? [])
        }
        for row in old where !((row[1] as String?).flatMap { UUID(uuidString: $0) }.map(named.contains) ?? false) {
            try database.run("DELETE FROM assigned WHERE number = ?", [row[0] as Int64])
        }
    }

    /// Gives the sound rows of older formats the checksums that those did not have.
    func addChecksums() throws {
        // A checksum of another type than a number counts as damage.
        try database.run("UPDATE mutations SET head_checksum = 0")
        let statement = try database.makeStatement(sql: "\(StoredMutation.selection) WHERE number = ?")
        for number in try Int64.fetchAll(database, sql: "SELECT number FROM mutations") {
            guard let row = try Row.fetchOne(statement, arguments: [number]),
                let checksum = try StoredMutation.missingChecksum(of: row)
            else { continue }
            try database.run("UPDATE mutations SET head_checksum = ? WHERE number = ?", [checksum, number])
        }
        for row in try Row.fetchAll(database, sql: StoredAssignment.selection) {
            let checksum = StoredAssignment.checksum(
                revision: row[0], session: row[1], token: row[2] ?? Data(), data: row[3] ?? Data())
            try database.run("UPDATE assigned SET checksum = ? WHERE number = ?", [checksum, row[6] as Int64])
        }
    }
}
