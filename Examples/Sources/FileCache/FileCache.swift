public import Foundation
public import PigeonCore

/// A cache that keeps each record in a file of its own, in one folder.
///
/// The name of a file is a hash of the record's key. Two keys with the same hash share a file. A batch is written to a
/// journal before the files change, so that it is carried out completely even if the process ends halfway.
public final class FileCache: QueryRecordStore, @unchecked Sendable {  // files and variables are used under the lock
    private let lock = NSLock()
    private let folder: URL
    /// Returns the name of a key's file.
    private let file: @Sendable (QueryKey) -> String
    /// True if the journal has a batch whose files may not have changed yet.
    private var hasJournal: Bool
    private var problems: [QueryCacheProblem] = []
    private static let journal = "journal"

    /// Opens the cache of a folder, and creates the folder if necessary. Only one cache at a time may use a folder.
    public convenience init(at folder: URL) throws {
        try self.init(at: folder) { key in "\(FileCache.hash(of: key)).record" }
    }

    init(at folder: URL, naming file: @escaping @Sendable (QueryKey) -> String) throws {
        self.folder = folder
        self.file = file
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        hasJournal = FileManager.default.fileExists(atPath: folder.appendingPathComponent(Self.journal).path)
        try finishBatch()
    }

    /// Returns the record of a key. `nil` if there is none.
    public func record(for key: QueryKey) throws -> QueryRecord? {
        try locked { try items(in: file(key), for: key).first { $0.key == key }?.record }
    }

    /// Returns the records at and below a path. Reads all files.
    public func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)] {
        let all = try locked { try files().flatMap { try items(in: $0) } }
        return all.filter { path.map($0.key.isWithin) ?? true }.map { (key: $0.key, record: $0.record) }
    }

    /// Carries out changes in order, all or none.
    public func apply(_ changes: [QueryRecordChange]) throws {
        try locked {
            try prepare(changes)
            try finishBatch()
        }
    }

    /// Returns the problems since the last call.
    public func takeProblems() -> [QueryCacheProblem] {
        lock.withLock {
            defer { problems = [] }
            return problems
        }
    }

    /// Runs `body` under the lock, after the batch in the journal.
    private func locked<Result>(_ body: () throws -> Result) throws -> Result {
        lock.lock()
        defer { lock.unlock() }
        try finishBatch()
        return try body()
    }

    // MARK: Batches

    /// Writes the files that a batch changes to the journal.
    func prepare(_ changes: [QueryRecordChange]) throws {
        var batch: [String: [StoredItem]] = [:]
        for change in changes {
            switch change {
            case .save(let record, let key):
                try edit([file(key)], in: &batch) { items in
                    items.removeAll { $0.key == key }
                    items.append(StoredItem(record, for: key))
                }
            case .remove(let key):
                try edit([file(key)], in: &batch) { items in items.removeAll { $0.key == key } }
            case .removeAll:
                try edit(files().union(batch.keys), in: &batch) { items in items = [] }
            case .markStale(let scope):
                try edit(files().union(batch.keys), in: &batch) { items in
                    for index in items.indices where scope.contains(items[index].key, tags: items[index].tags) {
                        items[index].isStale = true
                    }
                }
            }
        }
        guard !batch.isEmpty else { return }
        let contents = try batch.mapValues { try $0.isEmpty ? Data() : JSONEncoder().encode($0) }
        try JSONEncoder().encode(contents).write(to: folder.appendingPathComponent(Self.journal), options: .atomic)
        hasJournal = true
    }

    /// Changes what files will contain.
    private func edit(
        _ files: Set<String>, in batch: inout [String: [StoredItem]], _ change: (inout [StoredItem]) -> Void
    ) throws {
        for file in files {
            let old = try batch[file] ?? items(in: file)
            var new = old
            change(&new)
            if new != old { batch[file] = new }
        }
    }

    /// Carries out the batch in the journal, if there is one. A file without content is removed.
    private func finishBatch() throws {
        guard hasJournal else { return }
        if let contents: [String: Data] = try content(of: Self.journal) {
            for (file, data) in contents {
                let url = folder.appendingPathComponent(file)
                if !data.isEmpty {
                    try data.write(to: url, options: .atomic)
                } else if FileManager.default.fileExists(atPath: url.path) {
                    try FileManager.default.removeItem(at: url)
                }
            }
            try FileManager.default.removeItem(at: folder.appendingPathComponent(Self.journal))
        }
        hasJournal = false
    }

    // MARK: Files

    private func files() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".record") })
    }

    private func items(in file: String, for key: QueryKey? = nil) throws -> [StoredItem] {
        try content(of: file, for: key) ?? []
    }

    /// Reads a file. Removes and reports a damaged one. `nil` if the file is missing or damaged.
    private func content<Content: Decodable>(of file: String, for key: QueryKey? = nil) throws -> Content? {
        let url = folder.appendingPathComponent(file)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let data = try Data(contentsOf: url)
        if let content = try? JSONDecoder().decode(Content.self, from: data) { return content }
        try FileManager.default.removeItem(at: url)
        problems.append(QueryCacheProblem(key: key, description: "the file \(file) was damaged and has been removed"))
        return nil
    }

    /// The FNV-1a hash of a key's text, with 64 bits.
    private static func hash(of key: QueryKey) -> UInt64 {
        key.queryKeyValue.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
