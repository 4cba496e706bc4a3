internal import GRDB

/// Why a file cannot serve as the cache.
enum UnusableFile: Error, CustomStringConvertible {
    /// It does not hold what it should. The text is SQLite's.
    case damaged(String)
    /// A newer version of this module wrote it.
    case newer(version: Int, known: Int)
    /// It is a database, of someone else.
    case foreign

    /// `nil` for an error that a damaged file does not explain, such as a full disk.
    init?(_ error: any Error) {
        switch error {
        case let error as UnusableFile: self = error
        case let error as DatabaseError where Self.isDamage(error): self = .damaged(error.message ?? "no message")
        default: return nil
        }
    }

    private static func isDamage(_ error: DatabaseError) -> Bool {
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: true
        // The statements are fixed: what they name was in the file, and is gone.
        case .SQLITE_ERROR:
            ["no such ", "malformed "].contains { error.message?.hasPrefix($0) == true }
        default: false
        }
    }

    /// A database of another program is its owner's, wherever the cache was pointed.
    var mayBeMoved: Bool {
        if case .foreign = self { false } else { true }
    }

    /// Its index leads from a key to another key's record.
    static let misleading = UnusableFile.damaged("its index leads to other records")

    /// What stands in the names of files that were moved aside.
    static let suffixes = ["damaged", "newer"]

    var suffix: String {
        if case .newer = self { "newer" } else { "damaged" }
    }

    var description: String {
        switch self {
        case .damaged(let reason): "is damaged (\(reason))"
        case .newer(let version, let known): "has format \(version), and this version knows \(known)"
        case .foreign: "is a database of another program, and is left alone: name another file for the cache"
        }
    }
}
