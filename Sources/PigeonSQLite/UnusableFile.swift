internal import GRDB

enum UnusableFile: Error, CustomStringConvertible {
    /// The file is damaged. The text is SQLite's message.
    case damaged(String)
    case newer(version: Int, known: Int)
    /// The file is a database of another program.
    case foreign

    /// Returns `nil` for an error that a damaged file does not explain, such as a full disk.
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
        // The statements are fixed, so a missing table or column means that the file was changed.
        case .SQLITE_ERROR:
            ["no such ", "malformed "].contains { error.message?.hasPrefix($0) == true }
        default: false
        }
    }

    /// The error of a file whose index leads from a key to the record of another key.
    static let misleading = UnusableFile.damaged("its index leads to other records")

    /// The error of a store of mutations whose table of one row is empty.
    static let stateless = UnusableFile.damaged("it has no state")

    /// Parts of the names of files that were moved aside.
    static let suffixes = ["damaged", "newer"]

    var suffix: String {
        if case .newer = self { "newer" } else { "damaged" }
    }

    var description: String {
        switch self {
        case .damaged(let reason): "is damaged (\(reason))"
        case .newer(let version, let known): "has format \(version), and this version knows \(known)"
        case .foreign: "is a database of another program, and is left alone: name another file"
        }
    }
}
