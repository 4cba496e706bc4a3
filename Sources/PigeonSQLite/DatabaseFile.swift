internal import Foundation

/// The database's files on disk: the file itself, and its `-wal` and `-shm`.
///
/// No function here may open a file, because closing it would release the locks that this process holds on it.
struct DatabaseFile: Sendable {
    let path: String
    /// The path of SQLite's log of the newest writes.
    let log: String

    init(path: String) {
        self.path = path
        log = "\(path)-wal"
    }

    /// Distinguishes a file from another one that has taken its name.
    struct Identity: Equatable, Sendable {
        let volume: UInt64
        let number: UInt64
    }

    /// `nil` if there is no file at the path.
    ///
    /// Each write asks for it. `FileManager` would also look up the names of the file's owner and group, for which it
    /// reads two other files. That takes longer than to insert a row.
    var identity: Identity? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return Identity(volume: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(status.st_ino))
    }

    func createDirectory() throws {
        let directory = (path as NSString).deletingLastPathComponent
        guard !directory.isEmpty, !FileManager.default.fileExists(atPath: directory) else { return }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Restricts access to the files to their owner. Ignores missing files and files of other owners.
    func protect() {
        for suffix in ["", "-wal", "-shm", ".lock"] {
            try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + suffix)
        }
    }

    private var movedAside: [String] {
        let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        return names.filter { found in
            UnusableFile.suffixes.contains { found.hasPrefix("\(name).\($0)-") }
        }.map { (folder as NSString).appendingPathComponent($0) }
    }

    var hasMovedAside: Bool { !movedAside.isEmpty }

    /// Removes the files that were moved aside, which contain cached data.
    ///
    /// - Throws: The system's error for the first file that could not be removed. The other files are removed.
    func removeMovedAside() throws {
        var failure: (any Error)?
        for path in movedAside {
            do { try FileManager.default.removeItem(atPath: path) } catch {
                if FileManager.default.fileExists(atPath: path) { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }

    /// Removes the oldest moved files of a kind, to make room for another one.
    private func makeRoom(for kind: String, keeping mostKept: Int) {
        let older = movedAside.filter {
            $0.hasPrefix("\(path).\(kind)-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
        }
        .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
        for path in older.dropLast(mostKept - 1) {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
    }

    /// Moves the files to a free name, and returns it. Returns `nil` if there is no file. Keeps the newest moved files of
    /// the kind, `mostKept` in all.
    ///
    /// The database file is moved last, so that a process that opens the path in the meantime finds the old file, and
    /// never a new file with the old `-wal`.
    func moveAside(as kind: String, keeping mostKept: Int) throws -> String? {
        let files = FileManager.default
        guard files.fileExists(atPath: path) else { return nil }
        makeRoom(for: kind, keeping: mostKept)
        let base = "\(path).\(kind)-\(Int64(Date().timeIntervalSince1970))"
        var target = base
        var attempt = 1
        while files.fileExists(atPath: target) {
            attempt += 1
            target = "\(base).\(attempt)"
        }
        for suffix in ["-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
            try files.moveItem(atPath: path + suffix, toPath: target + suffix)
        }
        try files.moveItem(atPath: path, toPath: target)
        return target
    }
}
