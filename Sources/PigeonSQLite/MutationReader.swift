internal import Foundation
internal import GRDB
internal import PigeonCore
internal import PigeonOutbox

/// Reads the tables of a store of mutations within one transaction.
///
/// A damaged row whose session is unknown counts for every session. Otherwise, no session would report it.
struct MutationReader {
    let database: Database
    let session: String?

    struct Findings {
        var records: [MutationRecord] = []
        var numbers: [Int64] = []
        var assigned: [AssignedID] = []
        var revision: Int64
        var damaged: [Int64] = []
        /// The number of assigned identifiers whose rows are damaged.
        var damagedAssignments = 0
    }

    /// - Parameter revision: The revision of the last call. Negative to read everything.
    /// - Returns: `nil` if the store still has that revision.
    func changes(after revision: Int64) throws -> Findings? {
        guard let last = try Int64.fetchOne(database.cachedStatement(sql: StoredMutation.lastRevision)) else {
            throw UnusableFile.stateless
        }
        guard last != revision else { return nil }
        var findings = Findings(revision: last)
        try readOwn(after: revision, into: &findings)
        try readOthers(after: revision, into: &findings)
        try readAssigned(after: revision, into: &findings)
        return findings
    }

    private func readOwn(after revision: Int64, into findings: inout Findings) throws {
        let bytes = StoredMutation.bytes(of: session)
        let rows = try database.cachedStatement(
            sql: """
                \(StoredMutation.selection) WHERE session IS ? AND (? < 0 OR \(StoredMutation.revision) > ?) \
                ORDER BY number
                """)
        let cursor = try Row.fetchCursor(rows, arguments: [bytes, revision, revision])
        while let row = try cursor.next() {
            let stored = try StoredMutation(row)
            findings.records.append(stored.record)
            if !stored.isSound { findings.damaged.append(stored.record.number) }
        }
        let numbers = try database.cachedStatement(
            sql: "SELECT number FROM mutations WHERE session IS ? ORDER BY number")
        findings.numbers = try Int64.fetchAll(numbers, arguments: [bytes])
    }

    private func readOthers(after revision: Int64, into findings: inout Findings) throws {
        let strays = try strays()
        guard !strays.isEmpty else { return }
        for stray in strays where revision < 0 || stray.revision > revision {
            let statement = try database.cachedStatement(sql: "\(StoredMutation.selection) WHERE number = ?")
            let cursor = try Row.fetchCursor(statement, arguments: [stray.number])
            if let row = try cursor.next() { findings.records.append(try StoredMutation(row).record) }
            findings.damaged.append(stray.number)
        }
        findings.records.sort { $0.number < $1.number }
        findings.numbers = (findings.numbers + strays.map(\.number)).sorted()
    }

    /// Returns the damaged rows of other sessions. They may be of this one.
    func strays() throws -> [(number: Int64, revision: Int64)] {
        let heads = try database.cachedStatement(sql: "\(StoredMutation.headSelection) WHERE session IS NOT ?")
        let cursor = try Row.fetchCursor(heads, arguments: [StoredMutation.bytes(of: session)])
        var strays: [(number: Int64, revision: Int64)] = []
        while let row = try cursor.next() {
            let stored = try StoredMutation(head: row)
            if !stored.isSound { strays.append((stored.record.number, stored.record.revision)) }
        }
        return strays
    }

    private func readAssigned(after revision: Int64, into findings: inout Findings) throws {
        let rows = try database.cachedStatement(
            sql: """
                \(StoredAssignment.selection) WHERE ? < 0 OR (session IS ? AND \(StoredMutation.revision) > ?) \
                ORDER BY number
                """)
        let arguments: StatementArguments = [revision, StoredMutation.bytes(of: session), revision]
        let cursor = try Row.fetchCursor(rows, arguments: arguments)
        while let row = try cursor.next() {
            let stored = StoredAssignment(row)
            if !stored.isSound {
                findings.damagedAssignments += 1
            } else if stored.session == session {
                findings.assigned.append(stored.id)
            }
        }
    }
}
