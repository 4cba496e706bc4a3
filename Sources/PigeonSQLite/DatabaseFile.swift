internal import Foundation

/// The database's files on disk: the file itself, and its `-wal` and `-shm`.
///
/// Nothing here may open a file: closing it again would drop the locks that this process holds on it.
struct DatabaseFile: Sendable {
    let path: String

    /// What tells a file from another that has taken its name.
    struct Identity: Equatable, Sendable {
        let volume: Int?
        let number: Int
    }

    /// Which file is at the path now. `nil` when there is none.
    var identity: Identity? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let number = (attributes[.systemFileNumber] as? NSNumber)?.intValue
        else { return nil }
        return Identity(volume: (attributes[.systemNumber] as? NSNumber)?.intValue, number: number)
    }

    func createDirectory() throws {
        let directory = (path as NSString).deletingLastPathComponent
        guard !directory.isEmpty, !FileManager.default.fileExists(atPath: directory) else { return }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Takes the files from all but their owner. One that is not there, or not ours, is left as it is.
    func protect() {
        for suffix in ["", "-wal", "-shm", ".lock"] {
            try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + suffix)
        }
    }

    /// The files that were moved aside, whatever of them is still there.
    private var movedAside: [String] {
        let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        return names.filter { found in
            UnusableFile.suffixes.contains { found.hasPrefix("\(name).\($0)-") }
        }.map { (folder as NSString).appendingPathComponent($0) }
    }

    /// Removes the files that were moved aside: they hold what was kept in them.
    ///
    /// - Throws: What the system says of the first that could not be removed; the others are.
    func removeMovedAside() throws {
        var failure: (any Error)?
        for path in movedAside {
            do { try FileManager.default.removeItem(atPath: path) } catch {
                if FileManager.default.fileExists(atPath: path) { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }

    /// How many files that were moved aside are kept, for who wants to know what was in them.
    private static let mostKept = 3

    /// Removes the oldest files of a kind that were moved aside, so that another has room.
    private func makeRoom(for kind: String) {
        let older = movedAside.filter {
            $0.hasPrefix("\(path).\(kind)-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
        }
        .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
        for path in older.dropLast(Self.mostKept - 1) {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
    }

    /// Moves the files to a name that is free, and returns it. `nil` when there is no file. Of a kind, the newest three are
    /// kept.
    ///
    /// The file itself goes last: a process that opens the path meanwhile finds the old file, never a new file with
    /// the old `-wal`.
    func moveAside(as kind: String) throws -> String? {
        let files = FileManager.default
        guard files.fileExists(atPath: path) else { return nil }
        makeRoom(for: kind)
        let base = "\(path).\(kind)-\(Int(Date().timeIntervalSince1970))"
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
