internal import Foundation
internal import GRDB
internal import PigeonCore
internal import PigeonOutbox

/// A database file that is replaced by a new one if it is damaged, and the problems with it.
final class RecoveringDatabase: Sendable {
    let file: DatabaseFile
    private let schema: SQLiteSchema
    /// The name of the file's owner in errors.
    private let owner: String

    /// `nil` if the file was damaged or missing and no new one could be opened. The next call tries again.
    private let connection = Locked<Connection?>(nil)
    let problems = QueryCacheProblems()
    private let followers = Locked<(last: UInt64, all: [UInt64: Follower])>((0, [:]))

    private struct Follower {
        let listener: @Sendable (_ isNewFile: Bool) -> Void
        var watch: FileWatch?
    }

    /// Opens the file, or creates it.
    init(at path: String, schema: SQLiteSchema, owner: String) throws {
        file = DatabaseFile(path: path)
        self.schema = schema
        self.owner = owner
        do { _ = try connect() } catch { throw described(error) }
    }

    /// Runs work on the file. If the work encounters damage, moves the file aside and runs the work on a new one.
    ///
    /// The work must be one statement or one transaction, so that it can run again.
    func perform<Result>(_ work: (DatabasePool) throws -> Result) throws -> Result {
        try performConnected { try work($0.pool) }
    }

    /// The same, for work that also sets how the connection commits.
    func performConnected<Result>(_ work: (Connection) throws -> Result) throws -> Result {
        do {
            for _ in 1..<Self.attempts {
                let current = try connect()
                do {
                    return try work(current)
                } catch {
                    guard let unusable = UnusableFile(error), schema.mayMove(unusable) else { throw error }
                    try release(current, because: unusable)
                }
            }
            return try work(connect())
        } catch let expected as MutationStoreError {
            throw expected
        } catch {
            throw described(error)
        }
    }

    /// More than two, because other processes that encounter the same damage may replace the file at the same time.
    private static let attempts = 4

    func connect() throws -> Connection {
        try connection.withLock { connection in
            if let connection { return connection }
            let opened = try open()
            connection = opened
            followNewFile()
            return opened
        }
    }

    func identity() throws -> DatabaseFile.Identity? {
        do { return try connect().identity } catch { throw described(error) }
    }

    /// Calls `listener` after any process has written the file, until the subscription ends: at most once in a while,
    /// and not at the same time. Once the file is replaced, calls it for the new one, first with `true`.
    ///
    /// - Returns: `nil` if the system allows no further watch.
    func follow(_ listener: @escaping @Sendable (_ isNewFile: Bool) -> Void) -> QuerySubscription? {
        guard let watch = watch(for: listener) else { return nil }
        let number = followers.withLock { followers in
            followers.last += 1
            followers.all[followers.last] = Follower(listener: listener, watch: watch)
            return followers.last
        }
        return QuerySubscription { [weak self] in
            _ = self?.followers.withLock { $0.all.removeValue(forKey: number) }
        }
    }

    private func watch(for listener: @escaping @Sendable (_ isNewFile: Bool) -> Void) -> FileWatch? {
        FileWatch(file) { [weak self] in
            guard let self else { return }
            if releaseIfReplaced() { _ = try? connect() } else { listener(false) }
        }
    }

    private func followNewFile() {
        let listeners = followers.withLock { followers in
            for number in followers.all.keys {
                guard let listener = followers.all[number]?.listener else { continue }
                followers.all[number]?.watch = watch(for: listener)
            }
            return followers.all.values.map(\.listener)
        }
        guard !listeners.isEmpty else { return }
        // The caller may hold locks.
        DispatchQueue.global(qos: .utility).async { for listener in listeners { listener(true) } }
    }

    /// Releases a file that was moved or removed, so that no data is written to a file that is no longer at the path.
    ///
    /// - Returns: True if it was released.
    @discardableResult
    func releaseIfReplaced() -> Bool {
        guard let current = connection.withLock({ $0 }), current.identity != file.identity else { return false }
        let released = connection.withLock { connection in
            guard connection === current else { return false }
            connection = nil
            return true
        }
        guard released else { return false }
        problems.note("\(file.path) was moved or removed while it was open: the file now there is used")
        return true
    }

    func described(_ error: any Error) -> QueryCacheError {
        switch error {
        case let error as QueryCacheError: error
        case let error as DatabaseError:
            storage("\(error.message ?? "no message") (SQLite error \(error.extendedResultCode.rawValue))")
        case let error as UnusableFile: storage(error.description)
        default: storage(error.localizedDescription)
        }
    }

    private func storage(_ reason: String) -> QueryCacheError {
        .storage(cache: "\(owner) at \(file.path)", reason: reason)
    }

    /// Releases a damaged file. Does nothing if another thread has released it already.
    private func release(_ failed: Connection, because reason: UnusableFile) throws {
        try connection.withLock { connection in
            guard connection === failed else { return }
            connection = nil
            try moveAside(failed.identity, because: reason)
        }
    }

    private func open() throws -> Connection {
        for _ in 1..<Self.attempts {
            let found = file.identity
            do {
                return try Connection(opening: file, schema: schema)
            } catch {
                guard let unusable = UnusableFile(error), schema.mayMove(unusable) else { throw error }
                // Fails if another process is faster, or if the file cannot be moved. The next attempt shows which.
                try? moveAside(found, because: unusable)
            }
        }
        return try Connection(opening: file, schema: schema)
    }

    /// Moves the file, unless another process or instance has replaced it already. The new file must stay.
    private func moveAside(_ unusable: DatabaseFile.Identity?, because reason: UnusableFile) throws {
        try file.withExclusiveAccess {
            guard file.identity == unusable,
                let name = try file.moveAside(as: reason.suffix, keeping: schema.mostMovedAside)
            else { return }
            problems.note("\(file.path) \(reason): it was moved to \(name), and a new file was begun")
        }
    }
}

// Removals of which no file may have a byte afterwards.
extension RecoveringDatabase {
    /// Overwrites rows that were removed by statements without conditions, for which SQLite overwrites whole pages. Returns
    /// unused pages to the system, unless there is no space to rewrite the file.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` as ``eraseRemoved()`` does.
    func eraseAll() throws {
        try erase { _ in false }
    }

    /// Overwrites rows that were removed, while others stay. The file is rewritten, because a page with other rows may
    /// have copies of a removed row in its unused space, from the time when rows were moved within it.
    ///
    /// - Throws: ``/PigeonCore/QueryCacheError/storage(cache:reason:)`` if removed data may still be readable: another
    ///   connection uses the file for too long, there is no space, or a file cannot be removed. The next call tries again.
    func eraseRemoved() throws {
        try erase { [schema] database in
            var mustRewrite = false
            try database.inTransaction(.immediate) {
                for table in schema.contents {
                    if try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM \(table))") ?? true {
                        mustRewrite = true
                    } else {
                        try database.execute(sql: "DELETE FROM \(table)")
                    }
                }
                return .commit
            }
            return mustRewrite
        }
    }

    /// - Parameter mustRewrite: Returns true if the file has removed data until it is rewritten.
    private func erase(_ mustRewrite: (Database) throws -> Bool) throws {
        let outcome = Result {
            try perform { pool in
                try pool.writeWithoutTransaction { database in
                    let mustRewrite = try mustRewrite(database)
                    // Writes the log to the database file and empties it. Until then, both have the removed bytes.
                    try emptyLog(of: database)
                    do {
                        try database.execute(sql: "VACUUM")
                        try emptyLog(of: database)
                    } catch  where !mustRewrite && UnusableFile(error) == nil {}
                }
            }
        }
        // Their content is unknown, and the work itself may have found the file damaged.
        do { try file.removeMovedAside() } catch { throw described(error) }
        try outcome.get()
    }

    /// SQLite waits for connections that read or write, but not for one that writes the log to the database file too.
    private func emptyLog(of database: Database) throws {
        do {
            _ = try schema.repeating(while: { $0.resultCode == .SQLITE_BUSY }) { try database.checkpoint(.truncate) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw storage(
                """
                removed data is still readable in its files, because another connection uses them: \
                \(error.message ?? "database is locked")
                """)
        }
    }
}

extension RecoveringDatabase {
    /// Runs one statement on the writer's connection, and returns the last column of its rows as text.
    ///
    /// Tests use it to read settings, set limits and damage rows.
    func inspect(_ sql: String) throws -> [String] {
        try perform { pool in
            try pool.writeWithoutTransaction { database in
                try Row.fetchAll(database, sql: sql).map { row in
                    row.databaseValues.last.map { $0.isNull ? "NULL" : "\($0.storage.value ?? "NULL")" } ?? ""
                }
            }
        }
    }
}
