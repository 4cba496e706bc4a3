internal import Foundation
internal import GRDB
internal import PigeonCore
import PigeonOutbox
internal import PigeonSQLite

/// W14: the outbox: accepting mutations, starting with many that wait, and making them.
func measureOutbox(_ recorder: Recorder) async throws {
    let folder = try Folder()
    defer { folder.remove() }
    try await measureAcceptance(recorder, folder)
    try await measureStart(recorder, folder)
}

/// Changes one note in a list of many.
private struct RenameNote: DurableMutation {
    var id: Int
    var title: String
    var scope: String? { "notes/\(id)" }

    func run(_ context: MutationContext) async throws -> Int { try await answer(id) }

    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(QueryDefinition<User>.value(QueryKey("w14", id))) { [title] in $0.name = title }
    }

    /// The size of the row of one, beside its data: name, key, scope, client, times and numbers.
    static let bytesBeside = 126

    static func number(_ id: Int) -> RenameNote { RenameNote(id: id, title: "A title of some length, number \(id)") }
}

private func client(_ url: URL, isOnline: Bool) throws -> QueryClient {
    let setup = Outbox.Setup(store: try SQLiteMutationStore(at: url), mutations: [RenameNote.self], width: 16)
    return QueryClient(
        outbox: setup, options: .fresh,
        environment: QueryEnvironment(connectivity: EnvironmentSignal(isOnline)))
}

private func measureAcceptance(_ recorder: Recorder, _ folder: Folder) async throws {
    // The first turn, in which the logs of both files grow, does not count.
    let count = 1000
    let member = try client(folder.next(), isOnline: false)
    let row = try JSONEncoder().encode(RenameNote.number(1)) + Data(repeating: 7, count: RenameNote.bytesBeside)
    let pool = try DatabasePool(path: folder.next().path)
    try await pool.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA synchronous = FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)")
    }
    var (times, floors): ([Double], [Double]) = ([], [])
    for turn in 0...recorder.repetitions {
        let time = try await nanoseconds {
            for id in 0..<count { try await member.enqueue(RenameNote.number(id)) }
        }
        let floor = try nanoseconds {
            for _ in 0..<count {
                try pool.write { database in
                    try database.cachedStatement(sql: "INSERT INTO t (data) VALUES (?)").execute(arguments: [row])
                }
            }
        }
        guard turn > 0 else { continue }
        times.append(time / Double(count))
        floors.append(floor / Double(count))
    }
    let (one, floor) = (times.middle, floors.middle)
    recorder.record(
        "W14.accept", "a mutation enqueued, to its place on disk; floor: a synchronous commit of the same bytes",
        .microseconds, one / 1000, floor: floor / 1000, target: floor * 1.3 / 1000)
    let together = try await recorder.median {
        let client = try client(folder.next(), isOnline: false)
        return try await nanoseconds {
            for round in 0..<4 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for id in 0..<64 { group.addTask { try await client.enqueue(RenameNote.number(round * 64 + id)) } }
                    try await group.waitForAll()
                }
            }
        } / 256
    }
    recorder.record(
        "W14.accept64", "the same, 64 at once", .microseconds, together / 1000, floor: floor / 1000,
        target: floor / 4 / 1000)
}

private func measureStart(_ recorder: Recorder, _ folder: Folder) async throws {
    let count = 10_000
    let filled = folder.next()
    do {
        let client = try client(filled, isOnline: false)
        for start in stride(from: 0, to: count, by: 500) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in start..<start + 500 { group.addTask { try await client.enqueue(RenameNote.number(id)) } }
                try await group.waitForAll()
            }
        }
    }
    let floor = try recorder.median {
        let pool = try DatabasePool(path: filled.path)
        return try nanoseconds {
            let rows = try pool.read { try Data.fetchAll($0, sql: "SELECT data FROM mutations ORDER BY number") }
            let decoder = JSONDecoder()
            for row in rows { use(try decoder.decode(RenameNote.self, from: row).id) }
        }
    }
    let start = try recorder.median {
        try nanoseconds {
            let client = try client(filled, isOnline: false)
            try client.set(User(7), for: QueryDefinition<User>.value(QueryKey("w14", 7)))
            let name = client.value(of: QueryDefinition<User>.value(QueryKey("w14", 7)))?.name
            precondition(name == RenameNote.number(7).title, "the first frame shows no change: \(name ?? "")")
        }
    }
    recorder.record(
        "W14.start", "a client with 10,000 mutations that wait, to the first value that shows one", .milliseconds,
        start / 1e6, floor: floor / 1e6, target: 100)
    if let before = heapInUse() {
        let client = try client(filled, isOnline: false)
        let after = heapInUse() ?? 0
        use(client.outbox.snapshot.version)
        recorder.record(
            "W14.bytes", "heap for each of 10,000 mutations that wait", .bytes, Double(after - before) / Double(count),
            target: 1500)
    }
    let drain = try await recorder.median {
        let copy = folder.next()
        try await DatabasePool(path: filled.path).vacuum(into: copy.path)
        let client = try client(copy, isOnline: true)
        var left = 0
        let time = await nanoseconds { left = await client.outbox.drain() }
        precondition(left == 0, "\(left) were not made")
        return time / Double(count)
    }
    recorder.record(
        "W14.drain", "one of 10,000 mutations made, with a server that answers at once", .microseconds, drain / 1000,
        target: 60)
}
