internal import Foundation
internal import GRDB
internal import PigeonCore
internal import PigeonOutbox

/// A row of the table of mutations. Every column is validated when it is read.
///
/// Texts are blobs, because text would end at a NUL, and begin with `/`, because an empty blob would be NULL. The head is
/// all but the mutation itself, so that a change of the progress neither reads nor writes the mutation.
struct StoredMutation {
    /// The record. If only the head was read, its mutation is empty. A damaged record is set aside without its data, so
    /// that it is not executed even if the program retries it.
    var record: MutationRecord
    /// The temporary identifiers in the mutation, as bytes. `nil` if an older version of this module wrote the row.
    var identifiers: Data?
    var checksum: Int64
    /// False if a column has another value than the one that was written.
    private(set) var isSound: Bool
    /// The checksum that the head should have. `nil` if a column has a value that is never written.
    private var expectedChecksum: Int64?

    static let damage = "its record is damaged"

    // MARK: SQL

    /// The highest number and the highest revision. A higher one in the file is damage, and is not counted on from.
    private static let highest: Int64 = 1 << 62

    /// The last number or revision of the store, which begins with 0. The last number says it after a transaction that
    /// only inserted.
    static let lastRevision = """
        SELECT max(CASE WHEN typeof(revision) = 'integer' AND revision BETWEEN 0 AND \(highest) THEN revision \
        ELSE (SELECT ifnull(max(revision), 0) FROM mutations \
        WHERE typeof(revision) = 'integer' AND revision BETWEEN 0 AND \(highest)) END, \
        ifnull((SELECT max(number) FROM mutations WHERE number <= \(highest)), 0), 0) FROM outbox
        """
    /// A damaged row can have a value of any type in any column. Only a value of the expected type can be read.
    static let revision = "ifnull(CAST(revision AS INTEGER), 0)"

    private static let head = """
        number, \(revision), CAST(client AS BLOB), CAST(session AS BLOB), CAST(scope AS BLOB), \
        ifnull(CAST(enqueued_at AS REAL), 0), ifnull(CAST(attempts AS INTEGER), 0), CAST(not_before AS REAL), \
        CAST(set_aside AS BLOB), CAST(identifiers AS BLOB), ifnull(CAST(checksum AS INTEGER), 0), \
        ifnull(CAST(head_checksum AS INTEGER), 0), \
        typeof(revision) = 'integer' AND typeof(client) = 'blob' AND typeof(session) IN ('blob', 'null') \
        AND typeof(scope) IN ('blob', 'null') AND typeof(enqueued_at) = 'real' AND typeof(attempts) = 'integer' \
        AND typeof(not_before) IN ('real', 'null') AND typeof(set_aside) IN ('blob', 'null') \
        AND typeof(identifiers) IN ('blob', 'null') AND typeof(head_checksum) = 'integer'
        """
    private static let headColumns: Int = 13

    static let headSelection = "SELECT \(head) FROM mutations"
    static let selection = """
        SELECT \(head), CAST(name AS BLOB), ifnull(CAST(version AS INTEGER), 0), CAST(key AS BLOB), \
        CAST(data AS BLOB) FROM mutations
        """

    // MARK: Reading

    /// Reads the head of a row.
    ///
    /// - Parameter row: The row of a cursor, whose bytes are read where they are.
    init(head row: Row) throws {
        var sum = Checksum()
        var isFormed = row[12] as Bool
        func text(_ index: Int) throws -> String? {
            try Self.text(row, index) { bytes in
                sum.add(bytes)
                if let bytes, bytes.first != UInt8(ascii: "/") { isFormed = false }
            }
        }
        let (number, revision) = (row[0] as Int64, row[1] as Int64)
        sum.add(number)
        sum.add(revision)
        let (client, session, scope) = (try text(2), try text(3), try text(4))
        let (enqueuedAt, attempts, notBefore) = (row[5] as Double, row[6] as Int64, row[7] as Double?)
        sum.add(enqueuedAt)
        sum.add(attempts)
        sum.add(notBefore)
        let setAside = try text(8)
        (identifiers, checksum) = (row[9], row[10])
        sum.add(identifiers)
        sum.add(checksum)
        record = MutationRecord(
            scope: scope, session: session, client: client ?? "",
            enqueuedAt: Date(timeIntervalSinceReferenceDate: enqueuedAt),
            mutation: EncodedMutation(name: "", version: 0, data: Data(), key: ""))
        record.mutation.temporaryIDs = identifiers.flatMap(Self.identifiers) ?? []
        (record.number, record.revision) = (number, revision)
        record.progress = MutationProgress(
            attempts: Int(min(max(0, attempts), 1 << 30)),
            notBefore: notBefore.map(Date.init(timeIntervalSinceReferenceDate:)), setAside: setAside)
        expectedChecksum = isFormed ? sum.value : nil
        isSound = expectedChecksum == row[11] as Int64
        if !isSound { record.progress.setAside = Self.damage }
    }

    init(_ row: Row) throws {
        try self.init(head: row)
        var sum = Checksum()
        let name = try Self.text(row, Self.headColumns) { sum.add($0) }
        let version = row[Self.headColumns + 1] as Int64
        sum.add(version)
        let key = try Self.text(row, Self.headColumns + 2) { sum.add($0) }
        let data = row[Self.headColumns + 3] as Data? ?? Data()
        sum.add(data)
        let knownVersion = Int(exactly: version)
        (record.mutation.name, record.mutation.version) = (name ?? "", knownVersion ?? 0)
        (record.mutation.key, record.mutation.data) = (key ?? "", data)
        if sum.value != checksum || knownVersion == nil { (isSound, expectedChecksum) = (false, nil) }
        if !isSound { (record.progress.setAside, record.mutation.data) = (Self.damage, Data()) }
    }

    /// Returns the checksum for the head of a row that an older version of this module wrote. `nil` if the row is damaged.
    static func missingChecksum(of row: Row) throws -> Int64? { try StoredMutation(row).expectedChecksum }

    /// Reads a text.
    ///
    /// - Parameter use: Receives its bytes.
    private static func text(_ row: Row, _ index: Int, _ use: (Data?) -> Void) throws -> String? {
        try row.withUnsafeData(atIndex: index) { bytes in
            use(bytes)
            return bytes.map { String(decoding: $0.dropFirst(), as: UTF8.self) }
        }
    }

    // MARK: Writing

    static func bytes(of text: String?) -> Data? { text.map { Data("/\($0)".utf8) } }

    static func seconds(of date: Date?) -> Double? {
        date.map(\.timeIntervalSinceReferenceDate).flatMap { $0.isNaN ? nil : $0 }
    }

    static func bytes(of identifiers: Set<UUID>) -> Data {
        identifiers.sorted { $0.uuidString < $1.uuidString }.reduce(into: Data("/".utf8)) { bytes, identifier in
            withUnsafeBytes(of: identifier.uuid) { bytes.append(contentsOf: $0) }
        }
    }

    /// Returns `nil` if the bytes are not identifiers.
    static func identifiers(from bytes: Data) -> Set<UUID>? {
        guard bytes.first == UInt8(ascii: "/"), bytes.count % 16 == 1 else { return nil }
        return Set(
            stride(from: bytes.startIndex + 1, to: bytes.endIndex, by: 16).map { start in
                UUID(uuid: bytes[start..<start + 16].withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
            })
    }

    /// Detects a mutation whose bytes were changed on disk.
    static func checksum(of mutation: EncodedMutation) -> Int64 {
        var sum = Checksum()
        sum.add(bytes(of: mutation.name))
        sum.add(Int64(mutation.version))
        sum.add(bytes(of: mutation.key))
        sum.add(mutation.data)
        return sum.value
    }

    /// Detects a head whose bytes were changed on disk. Covers the checksum of the mutation, so that the two belong
    /// together.
    static func headChecksum(of record: MutationRecord, identifiers: Data?, checksum: Int64) -> Int64 {
        var sum = Checksum()
        sum.add(record.number)
        sum.add(record.revision)
        sum.add(bytes(of: record.client))
        sum.add(bytes(of: record.session))
        sum.add(bytes(of: record.scope))
        sum.add(seconds(of: record.enqueuedAt))
        sum.add(Int64(record.progress.attempts))
        sum.add(seconds(of: record.progress.notBefore))
        sum.add(bytes(of: record.progress.setAside))
        sum.add(identifiers)
        sum.add(checksum)
        return sum.value
    }
}

struct StoredAssignment {
    let id: AssignedID
    let session: String?
    let isSound: Bool

    static let selection = """
        SELECT \(StoredMutation.revision), CAST(session AS BLOB), CAST(token AS BLOB), CAST(data AS BLOB), \
        ifnull(CAST(checksum AS INTEGER), 0), \
        typeof(revision) = 'integer' AND typeof(session) IN ('blob', 'null') AND typeof(token) = 'text' \
        AND typeof(data) = 'blob' AND typeof(checksum) = 'integer', number FROM assigned
        """

    init(_ row: Row) {
        let (session, token, data) = (row[1] as Data?, row[2] as Data? ?? Data(), row[3] as Data? ?? Data())
        id = AssignedID(token: UUID(uuidString: String(decoding: token, as: UTF8.self)), data: data)
        self.session = session.map { String(decoding: $0.dropFirst(), as: UTF8.self) }
        isSound = row[5] && row[4] == Self.checksum(revision: row[0], session: session, token: token, data: data)
    }

    static func checksum(revision: Int64, session: Data?, token: Data, data: Data) -> Int64 {
        var sum = Checksum()
        sum.add(revision)
        sum.add(session)
        sum.add(token)
        sum.add(data)
        return sum.value
    }
}
