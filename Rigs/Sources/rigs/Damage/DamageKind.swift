internal import ArgumentParser
internal import Foundation
internal import PigeonCore
internal import PigeonSQLite

/// What is done to a sound file.
enum DamageKind: String, CaseIterable, ExpressibleByArgument {
    case flippedBits, truncated, overwritten, garbage, newer, flippedLog, garbageLog, foreignLog, olderLog, removed
    case linkToNothing, linkToItself, linkToText, directory, readOnly, fullDisk, fullVolume, noDescriptors

    /// True for what is done to the log beside the file.
    var isOfLog: Bool { [.flippedLog, .garbageLog, .foreignLog, .olderLog].contains(self) }

    /// True for what may change an entry of an index, and leave its page well formed.
    var mayMisorderIndex: Bool { [.flippedBits, .overwritten, .flippedLog].contains(self) }

    /// True for what happens to the system around the file, and passes.
    var passes: Bool { [.readOnly, .fullDisk, .fullVolume, .noDescriptors].contains(self) }
}

/// Damages files behind the back of whoever has them open.
struct Vandal {
    let file: URL
    let folder: Folder
    private var log: URL { URL(fileURLWithPath: file.path + "-wal") }

    func damage(as kind: DamageKind, _ random: inout SeededRandom) throws {
        switch kind {
        case .flippedBits: try flipBits(of: file, &random)
        case .truncated: try truncate(&random)
        case .overwritten: try overwrite(&random)
        case .garbage: try Data(random.bytes(random.number(0..<60_000))).write(to: file)
        case .newer: try patch(file, at: 60, with: [0, 0, 0, 99])
        case .flippedLog: try flipBits(of: log, &random)
        case .garbageLog: try Data(random.bytes(random.number(1..<60_000))).write(to: log)
        case .foreignLog: try plantForeignLog(&random)
        case .olderLog, .readOnly, .fullDisk, .fullVolume, .noDescriptors: break
        case .removed: try remove()
        case .linkToNothing: try replace(byLinkTo: folder.file("nothing").path)
        case .linkToItself: try replace(byLinkTo: file.path)
        case .linkToText:
            try Data("a text of somebody else's".utf8).write(to: folder.file("text"))
            try replace(byLinkTo: folder.file("text").path)
        case .directory:
            try remove()
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        }
    }

    /// Removes what stands in the file's place.
    func remove() throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: file.path + suffix)
        }
    }

    private func replace(byLinkTo target: String) throws {
        try remove()
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: target)
    }

    private func flipBits(of file: URL, _ random: inout SeededRandom) throws {
        guard let size = try? Data(contentsOf: file).count, size > 0 else { return }
        for _ in 0..<random.number(1..<60) {
            let offset = random.number(0..<size)
            let byte = try Data(contentsOf: file)[offset]
            try patch(file, at: offset, with: [byte ^ UInt8(1 << random.number(0..<8))])
        }
    }

    private func truncate(_ random: inout SeededRandom) throws {
        let size = try Data(contentsOf: file).count
        let handle = try FileHandle(forUpdating: file)
        defer { try? handle.close() }
        try handle.truncate(atOffset: UInt64(random.number(0..<max(size, 1))))
    }

    private func overwrite(_ random: inout SeededRandom) throws {
        let size = try Data(contentsOf: file).count
        guard size > 1 else { return }
        let start = random.number(0..<size)
        try patch(file, at: start, with: random.bytes(random.number(1..<max(2, min(20_000, size - start)))))
    }

    private func patch(_ file: URL, at offset: Int, with bytes: [UInt8]) throws {
        let handle = try FileHandle(forUpdating: file)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data(bytes))
    }

    /// Puts the log of another database beside the file. SQLite cannot tell that it is not the file's own.
    private func plantForeignLog(_ random: inout SeededRandom) throws {
        let other = folder.file("other.sqlite")
        let cache = try SQLiteQueryCache(at: other)
        for number in 0..<random.number(1..<200) {
            cache.save(
                Cargo(owner: "other", number: number, size: 500), for: QueryKey("other", number), andTimestamp: Date())
        }
        try withExtendedLifetime(cache) {
            try Data(contentsOf: URL(fileURLWithPath: other.path + "-wal")).write(to: log)
        }
    }
}
