import Foundation
import PigeonCore
import PigeonSQLite
import Testing

/// A place for one test's cache, in a directory of its own that goes with it.
final class TestFile: Sendable {
    let directory: URL
    let url: URL

    var path: String { url.path }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("pigeon-\(UUID().uuidString)")
        url = directory.appendingPathComponent("queries.sqlite")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    func open() throws -> SQLiteQueryCache { try SQLiteQueryCache(at: url) }

    /// The names of all files, sorted.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    /// The names of files that were moved aside, without their `-wal` and `-shm`.
    func movedAside(as kind: String) throws -> [String] {
        try names().filter {
            $0.hasPrefix("queries.sqlite.\(kind)-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
        }
    }

    /// Moves all files away, behind the back of whoever has them open.
    func moveAway() throws {
        for name in try names() {
            let url = directory.appendingPathComponent(name)
            try FileManager.default.moveItem(at: url, to: url.appendingPathExtension("moved"))
        }
    }

    func mode(of suffix: String = "") throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    /// Overwrites the file from an offset to its end, behind the back of whoever has it open.
    func overwrite(from offset: UInt64) throws {
        let handle = try FileHandle(forUpdating: url)
        defer { try? handle.close() }
        let end = try handle.seekToEnd()
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: Int(end - offset)))
    }
}

extension SQLiteQueryCache {
    /// Saves records of 1 KB.
    func fill(_ path: String, _ numbers: Range<Int>, tags: [String] = []) throws {
        try apply(numbers.map { .save(.sample(tags: tags), for: QueryKey(path, $0)) })
    }

    /// The keys of all records that are marked stale, sorted.
    func staleKeys() throws -> [String] {
        try records(under: nil).filter(\.record.isStale).map(\.key.queryKeyValue).sorted()
    }

    func keys(under path: QueryKey? = nil) throws -> [String] {
        try records(under: path).map(\.key.queryKeyValue).sorted()
    }
}

extension QueryRecord {
    static func sample(_ text: String = String(repeating: "x", count: 1000), tags: [String] = []) -> QueryRecord {
        QueryRecord(data: Data(text.utf8), savedAt: Date(timeIntervalSinceReferenceDate: 1000), tags: tags)
    }
}
