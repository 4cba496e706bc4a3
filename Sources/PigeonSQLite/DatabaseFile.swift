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

    /// Moves the files to a name that is free, and returns it. `nil` when there is no file.
    ///
    /// The file itself goes last: a process that opens the path meanwhile finds the old file, never a new file with
    /// the old `-wal`.
    func moveAside(as kind: String) throws -> String? {
        let files = FileManager.default
        guard files.fileExists(atPath: path) else { return nil }
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
