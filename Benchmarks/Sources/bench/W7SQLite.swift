internal import Foundation
internal import GRDB
internal import PigeonCore
internal import PigeonSQLite

/// W7: SQLite: writes a second of 1 KB records that differ, and reading and decoding 10,000.
func measureSQLite(_ recorder: Recorder) async throws {
    let count = 10_000
    let folder = try Folder()
    defer { folder.remove() }
    let floor = try FloorStore(at: folder.next())
    let cache = try SQLiteQueryCache(at: folder.next())
    let definitions = (0..<count).map { QueryDefinition<Article>.value(QueryKey("w7", $0)).persisted() }

    try await measureWrites(recorder, definitions, cache, floor)
    try measureRehydration(recorder, definitions, cache, floor)
}

private func measureWrites(
    _ recorder: Recorder, _ definitions: [QueryDefinition<Article>], _ cache: SQLiteQueryCache, _ floor: FloorStore
) async throws {
    let count = definitions.count
    var edition = 0
    func next() -> [Article] {
        edition += 1
        return (0..<count).map { Article($0, edition: edition) }
    }
    let floorRate = try recorder.median {
        let records = try next().map { try JSONEncoder().encode([$0]) }
        return Double(count) / (try nanoseconds { try floor.write(records) }) * 1e9
    }
    recorder.record(
        "W7.write", "1 KB records in batches of 1,000 through the cache, encoding included", .perSecond,
        try recorder.median {
            let articles = next()
            let time = try nanoseconds {
                for start in stride(from: 0, to: count, by: 1000) {
                    let changes = try (start..<min(start + 1000, count)).map { index in
                        QueryRecordChange.save(
                            QueryRecord(data: try JSONEncoder().encode([articles[index]]), savedAt: Date()),
                            for: definitions[index].key)
                    }
                    try cache.apply(changes)
                }
            }
            return Double(count) / time * 1e9
        }, floor: floorRate, target: 45_000)
    for (name, subject, isRead) in [
        (
            "W7.behind",
            "1 KB records set in a new client and flushed, looking for the old record and encoding included", false
        ),
        ("W7.behind.read", "the same, in a client that has read the records before", true),
    ] {
        let rate = try await recorder.median {
            let client = QueryClient(cache: cache, options: .fresh)
            if isRead { for definition in definitions { use(client.observe(definition).value?.id ?? 0) } }
            let articles = next()
            let time = try await nanoseconds {
                for (article, definition) in zip(articles, definitions) { try client.set(article, for: definition) }
                await client.flush()
            }
            return Double(count) / time * 1e9
        }
        recorder.record(name, subject, .perSecond, rate, floor: floorRate, target: 45_000)
    }
}

private func measureRehydration(
    _ recorder: Recorder, _ definitions: [QueryDefinition<Article>], _ cache: SQLiteQueryCache, _ floor: FloorStore
) throws {
    let count = definitions.count
    let floorTime = try recorder.median {
        try nanoseconds {
            let decoder = JSONDecoder()
            for data in try floor.read() { use(try decoder.decode([Article].self, from: data)) }
        }
    }
    recorder.record(
        "W7.read", "read and decode 10,000 records by their path", .milliseconds,
        try recorder.median {
            try nanoseconds {
                let decoder = JSONDecoder()
                let found = try cache.records(under: "w7")
                for (_, record) in found { use(try decoder.decode([Article].self, from: record.data)) }
                precondition(found.count == count, "\(found.count) records")
            }
        } / 1e6, floor: floorTime / 1e6, target: 50)
    recorder.record(
        "W7.hydrate", "10,000 entries of a new client, one after the other from the cache", .milliseconds,
        recorder.median {
            let client = QueryClient(cache: cache, options: .fresh)
            return nanoseconds {
                for definition in definitions {
                    precondition(client.observe(definition).value != nil, "\(definition.key) was not hydrated")
                }
            }
        } / 1e6,
        floor: try recorder.median {
            try nanoseconds {
                for id in 0..<count {
                    use(try floor.read(id).map { try JSONDecoder().decode([Article].self, from: $0) })
                }
            }
        } / 1e6, target: 50)
}

/// A temporary folder of database files.
struct Folder {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("pigeon-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func next() -> URL { url.appendingPathComponent("\(UUID().uuidString).sqlite") }

    func remove() { try? FileManager.default.removeItem(at: url) }
}
