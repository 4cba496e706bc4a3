import Foundation
import PigeonCore
import PigeonOutbox
import PigeonSQLite
import TestSupport
import Testing

@Suite("A file of mutations that fails")
struct MutationStoreTests {
    private func text(_ error: QueryCacheError?) -> String { error?.description ?? "" }

    @Test("on a full disk, enqueue throws, shows nothing, and what was accepted before is made", .rule("O3"))
    func fullDisk() async throws {
        let file = try TestFile()
        let store = try file.openMutations()
        let (client, shop) = (QueryClient.errands(in: store, isOnline: false), Shop())
        try await client.enqueue(Errand("milk"))
        let pages = try #require(try store.inspect("PRAGMA page_count").first.flatMap { Int($0) })
        _ = try store.inspect("PRAGMA max_page_count = \(pages + 1)")
        let big = Errand(String(repeating: "secret ", count: 20_000))
        let error = await #expect(throws: QueryCacheError.self) { try await client.enqueue(big) }
        #expect(text(error).contains("database or disk is full"))
        #expect(text(error).contains(file.path))
        #expect(!text(error).contains("secret"))
        #expect(client.outbox.snapshot.texts == ["milk"])
        #expect(client.outbox.snapshot.problems.contains { $0.contains("disk is full") })
        // What is small enough is accepted, and all is made.
        try await client.enqueue(Errand("bread"))
        client.environment.connectivity.set(true)
        await until { client.outbox.snapshot.isEmpty }
        #expect(try store.inspect("SELECT count(*) FROM mutations") == ["0"])
        _ = try store.inspect("PRAGMA max_page_count = 1000000")
        #expect(try await client.enqueue(big).id != nil)
        _ = shop
    }

    @Test(
        "a record whose bytes were changed is set aside and kept, and the others are made", .rule("O3"),
        arguments: [
            "data = x'00'", "data = 'text'", "data = 7", "key = x'2F'", "key = 1", "name = x'2F00'", "name = 2",
            "version = 9", "version = 'x'", "version = x'00'", "checksum = 1", "checksum = 'x'", "revision = 'x'",
            "client = 1", "session = 5", "scope = 5", "enqueued_at = 'x'", "attempts = 'x'", "attempts = 1e300",
            "not_before = 'x'", "set_aside = 5", "attempts = 7", "scope = x'2F61'", "identifiers = NULL",
        ])
    func damagedRecord(change: String) async throws {
        let file = try TestFile()
        try await file.leave(["milk", "bread", "eggs"])
        do {
            let store = try file.openMutations()
            _ = try store.inspect("UPDATE mutations SET \(change) WHERE number = 2")
        }
        let (store, shop) = (try file.openMutations(), Shop())
        let client = QueryClient.errands(in: store, shop)
        await until { client.outbox.snapshot.waiting.isEmpty }
        #expect(shop.visits == 2)
        #expect(client.outbox.snapshot.setAside.map(\.id) == [2])
        #expect(client.outbox.snapshot.setAside.map(\.stage) == [.setAside("its record is damaged")])
        #expect(try store.inspect("SELECT number FROM mutations") == ["2"])
    }

    @Test(
        "a record whose session or revision was changed is set aside and reported in every session", .rule("K10", "O1"),
        arguments: ["revision = -1", "session = x'00'", "session = ''", "session = x''", "session = x'2f626f62'"],
        ["ann", "bob", nil])
    func strayRecord(change: String, session: String?) async throws {
        let file = try TestFile()
        do {
            let client = QueryClient.errands(in: try file.openMutations(), isOnline: false, session: "ann")
            for text in ["milk", "bread", "eggs"] { try await client.enqueue(Errand(text)) }
        }
        do { _ = try file.openMutations().inspect("UPDATE mutations SET \(change) WHERE number = 2") }
        let client = QueryClient.errands(in: try file.openMutations(), isOnline: false, session: session)
        #expect(client.outbox.snapshot.texts == (session == "ann" ? ["milk", "eggs"] : []))
        #expect(client.outbox.snapshot.setAside.map(\.id) == [2])
        #expect(client.outbox.snapshot.problems.contains { $0.contains("mutation 2") && $0.contains("is damaged") })
        // It can be discarded in each of them.
        try await client.outbox.discard(2)
        #expect(client.outbox.snapshot.setAside.isEmpty)
        let numbers = try file.openMutations().inspect("SELECT number FROM mutations")
        #expect(numbers == ["1", "3"])
    }

    @Test("a record of another session that is sound is neither read nor counted", .rule("K10"))
    func soundSessions() async throws {
        let file = try TestFile()
        for session in ["ann", "bob", nil] {
            let client = QueryClient.errands(in: try file.openMutations(), isOnline: false, session: session)
            #expect(client.outbox.snapshot.isEmpty)
            try await client.enqueue(Errand(session ?? "none"))
            #expect(client.outbox.snapshot.texts == [session ?? "none"])
            #expect(client.outbox.snapshot.problems.isEmpty)
        }
    }

    @Test(
        "what others create makes a session forget no identifier, and none is forgotten that a mutation names",
        .rule("K11"))
    func keepsIdentifiers() throws {
        let file = try TestFile()
        try expectIdentifiersAreKept(by: try file.openMutations()) { try file.openMutations() }
    }

    @Test(
        "a store whose mutations are of an older format, which does not say what they name, forgets nothing",
        .rule("K11"))
    func unknownNames() async throws {
        let file = try TestFile()
        try await file.leave(["milk"])
        let store = try file.openMutations()
        _ = try store.inspect("UPDATE mutations SET identifiers = NULL")
        let id = AssignedID(token: UUID(), data: Data("[1]".utf8))
        let changes = Array(repeating: MutationBatch.Change.assign(id, session: nil), count: 10_300)
        _ = try store.apply(MutationBatch(changes, isDurable: false))
        #expect(try store.inspect("SELECT count(*) FROM assigned") == ["10300"])
    }

    @Test("a damaged record can be discarded", .rule("O3"))
    func discarding() async throws {
        let file = try TestFile()
        try await file.leave(["milk"])
        let store = try file.openMutations()
        _ = try store.inspect("UPDATE mutations SET data = x'00'")
        let client = QueryClient.errands(in: store)
        try await client.outbox.discard(1)
        #expect(client.outbox.snapshot.isEmpty)
        #expect(try store.inspect("SELECT count(*) FROM mutations") == ["0"])
    }

    @Test("a commit reaches the disk itself on Apple's systems too", .rule("O1"))
    func fullSync() throws {
        #expect(try TestFile().openMutations().inspect("PRAGMA fullfsync") == ["1"])
    }

    @Test("to enqueue a mutation writes one page to the log", .rule("W14"))
    func onePage() async throws {
        let file = try TestFile()
        let client = QueryClient.errands(in: try file.openMutations(), isOnline: false)
        var sizes: [Int] = []
        for text in ["milk", "bread", "eggs", "tea"] {
            try await client.enqueue(Errand(text))
            sizes.append(try Data(contentsOf: URL(fileURLWithPath: file.path + "-wal")).count)
        }
        #expect(zip(sizes, sizes.dropFirst()).map { $1 - $0 } == [4120, 4120, 4120])
    }

    @Test("a file of an older format keeps what waits, and its numbers go on", .rule("W14"), arguments: [1, 2, 3])
    func olderFormat(format: Int) async throws {
        let (file, copy) = (try TestFile(), try TestFile())
        try await file.leave(["milk", "bread", "eggs"])
        var older = SQLiteSchema.mutations
        (older.steps, older.probes) = (Array(older.steps[..<format]), [])
        do {
            let old = try SQLiteMutationStore(at: copy.url, schema: older)
            _ = try old.inspect("ATTACH '\(file.path)' AS new")
            let columns = """
                number, revision, client, session, scope, enqueued_at, attempts, not_before, set_aside, name, version, \
                key, checksum, data
                """
            _ = try old.inspect("INSERT INTO mutations (\(columns)) SELECT \(columns) FROM new.mutations")
            _ = try old.inspect("UPDATE outbox SET revision = 3")
            if format == 2 { _ = try old.inspect("UPDATE outbox SET last_number = 3, revision = 2") }
            _ = try old.inspect("DELETE FROM mutations WHERE number = 3")
        }
        let (store, shop) = (try copy.openMutations(), Shop())
        let client = QueryClient.errands(in: store, shop, isOnline: false)
        #expect(client.outbox.snapshot.texts == ["milk", "bread"])
        #expect(try await client.enqueue(Errand("tea")).id == 4)
        client.environment.connectivity.set(true)
        await until { client.outbox.snapshot.isEmpty }
        #expect(shop.visits == 3)
        #expect(try copy.movedAside(as: "damaged").isEmpty)
    }

    @Test(
        "a number is never given again, and after damage, none that is in use", .rule("W14"),
        arguments: ["revision", "'x'", "0", "x'00'", "-9"])
    func numbers(damage: String) async throws {
        let file = try TestFile()
        try await file.leave(["milk", "bread"])
        do {
            let client = QueryClient.errands(in: try file.openMutations(), isOnline: false)
            #expect(try await client.enqueue(Errand("eggs")).id == 3)
            try await client.outbox.discard(3)
        }
        let store = try file.openMutations()
        _ = try store.inspect("UPDATE outbox SET revision = \(damage)")
        let client = QueryClient.errands(in: store, isOnline: false)
        #expect(try await client.enqueue(Errand("tea")).id == (damage == "revision" ? 5 : 3))
        #expect(client.outbox.snapshot.texts == ["milk", "bread", "tea"])
    }

    @Test("no revision of the store and no identifier in it hangs or ends the process", .rule("O3"))
    func damagedState() async throws {
        let file = try TestFile()
        do {
            let store = try file.openMutations()
            let id = AssignedID(token: UUID(), data: Data("[1]".utf8))
            for _ in 0..<2 { _ = try store.apply(MutationBatch([.assign(id, session: nil)], isDurable: true)) }
            _ = try store.inspect("UPDATE assigned SET data = 7 WHERE number = 1")
            _ = try store.inspect("UPDATE assigned SET token = x'FF' WHERE number = 2")
        }
        for revision in ["-9", "'x'", "\(Int64.min)", "1e300"] {
            let store = try file.openMutations()
            _ = try store.inspect("UPDATE outbox SET revision = \(revision)")
            let client = QueryClient.errands(in: store, isOnline: false)
            try await client.enqueue(Errand(revision))
            #expect(client.outbox.snapshot.texts.contains(revision))
        }
    }

    @Test(
        "a number or revision beyond their range costs one record at most, and is not counted on from", .rule("K10"),
        arguments: ["outbox SET revision", "mutations SET number"])
    func absurdNumbers(column: String) async throws {
        let file = try TestFile()
        try await file.leave(["milk"])
        let store = try file.openMutations()
        _ = try store.inspect("UPDATE \(column) = \(Int64.max)")
        let client = QueryClient.errands(in: try file.openMutations(), isOnline: false)
        let isRecord = column.hasPrefix("mutations")
        #expect(client.outbox.snapshot.setAside.map(\.id) == (isRecord ? [.max] : []))
        #expect(try await client.enqueue(Errand("tea")).id == (isRecord ? 1 : 2))
        #expect(client.outbox.snapshot.texts == (isRecord ? ["tea"] : ["milk", "tea"]))
        if isRecord { try await client.outbox.discard(.max) }
        #expect(client.outbox.snapshot.setAside.isEmpty)
        #expect(try file.movedAside(as: "damaged").isEmpty)
    }

    @Test("a file of a newer format is refused, and stays as it is", .rule("O3"))
    func newer() async throws {
        let file = try TestFile()
        var next = SQLiteSchema.mutations
        next.steps.append("ALTER TABLE mutations ADD COLUMN note TEXT")
        do { _ = try SQLiteMutationStore(at: file.url, schema: next) }
        let before = try Data(contentsOf: file.url)
        let error = #expect(throws: QueryCacheError.self) { try file.openMutations() }
        #expect(text(error).contains("format \(next.steps.count)"))
        #expect(try file.names() == ["queries.sqlite"])
        #expect(try Data(contentsOf: file.url) == before)
    }

    @Test("a database of another program, and the file of a cache, are refused, and stay as they are", .rule("O3"))
    func foreign() throws {
        for isCache in [true, false] {
            let file = try TestFile()
            if isCache {
                try file.open().fill("a", 0..<1)
            } else {
                _ = try file.openMutations().inspect("PRAGMA application_id = 42")
            }
            let before = try Data(contentsOf: file.url)
            let error = #expect(throws: QueryCacheError.self) { try file.openMutations() }
            #expect(text(error).contains("another program"))
            #expect(try file.names() == ["queries.sqlite"])
            #expect(try Data(contentsOf: file.url) == before)
        }
    }

    @Test("a damaged file is moved aside and kept, which is reported, and a new one takes its place", .rule("O3"))
    func damagedFile() async throws {
        let file = try TestFile()
        for count in 1...5 {
            try await file.leave(["milk \(count)"])
            // The newest writes may only be in the log, which the damage spares.
            _ = try file.openMutations().inspect("PRAGMA wal_checkpoint(TRUNCATE)")
            let handle = try FileHandle(forUpdating: file.url)
            try handle.write(contentsOf: Data(repeating: 0xA5, count: 100))
            try handle.close()
            let damaged = try Data(contentsOf: file.url)
            let shop = Shop()
            let client = QueryClient.errands(in: try file.openMutations(), shop)
            let moved = try file.movedAside(as: "damaged").filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
            #expect(moved.count == count)
            #expect(try moved.contains { try Data(contentsOf: file.directory.appendingPathComponent($0)) == damaged })
            #expect(client.outbox.snapshot.problems.contains { $0.contains("is damaged") })
            try await client.enqueue(Errand("bread"))
            await client.outbox.drain()
            #expect(shop.visits == 1)
            #expect(client.outbox.snapshot.isEmpty)
        }
    }

    @Test("damage that is met while the file is open costs what was in the file, and nothing after it", .rule("O3"))
    func damagedWhileOpen() async throws {
        let file = try TestFile()
        let (store, shop) = (try file.openMutations(), Shop())
        let client = QueryClient.errands(in: store, shop, isOnline: false)
        let first = try await client.enqueue(Errand("0 " + .filler))
        for number in 1..<200 { try await client.enqueue(Errand("\(number) " + .filler)) }
        _ = try store.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
        _ = try store.inspect("PRAGMA shrink_memory")
        try file.overwrite(from: 8192)
        try await client.enqueue(Errand("bread"))
        #expect(try file.movedAside(as: "damaged").count == 1)
        // The mutations in the file are lost, and their callers are told.
        await #expect(throws: OutboxError.self) { try await first.output() }
        await until { client.outbox.snapshot.texts == ["bread"] }
        client.environment.connectivity.set(true)
        await until { client.outbox.snapshot.waiting.isEmpty }
        await until { client.outbox.snapshot.problems.contains { $0.contains("is damaged") } }
        #expect(shop.visits >= 1)
        // A mutation that was made is no longer shown while its record is being removed.
        await client.outbox.drain()
        #expect(try store.inspect("SELECT count(*) FROM mutations") == ["0"])
    }

    @Test("a mutation in a new file is not taken for the one with its number in the file before", .rule("O3"))
    func otherFile() async throws {
        let file = try TestFile()
        let (mine, others) = (Shop(), Shop())
        let app = QueryClient.errands(in: try file.openMutations(), mine, isOnline: false)
        let lost = try await app.enqueue(Errand("milk"))
        try file.moveAway()
        let widget = QueryClient.errands(in: try file.openMutations(), others, isOnline: false)
        try await widget.enqueue(Errand("bread"))
        await until { app.outbox.snapshot.texts == ["bread"] }
        await #expect(throws: OutboxError.self) { try await lost.output() }
        app.environment.connectivity.set(true)
        await until { widget.outbox.snapshot.isEmpty }
        #expect(mine.visits == 1)
    }

    private func insertion(isDurable: Bool) -> MutationBatch {
        let mutation = EncodedMutation(name: "errand", version: 1, data: Data("{}".utf8), key: "k")
        let record = MutationRecord(scope: nil, session: nil, client: "", enqueuedAt: Date(), mutation: mutation)
        return MutationBatch([.insert(record)], isDurable: isDurable)
    }

    @Test("a mutation is never written to a file that is no longer at its place", .rule("O1"))
    func movedAway() throws {
        let file = try TestFile()
        let store = try file.openMutations()
        _ = try store.apply(insertion(isDurable: true))
        try file.moveAway()
        _ = try store.apply(insertion(isDurable: true))
        #expect(try file.openMutations().changes(after: -1, in: nil)?.numbers.count == 1)
    }

    @Test("what must survive a loss of power waits for the disk, in a new file too, and nothing else does", .rule("O1"))
    func durability() throws {
        let file = try TestFile()
        let store = try file.openMutations()
        func setting(isDurable: Bool) throws -> [String] {
            _ = try store.apply(insertion(isDurable: isDurable))
            return try store.inspect("PRAGMA synchronous")
        }
        let (full, normal) = (["2"], ["1"])
        for isMoved in [false, true] {
            if isMoved { try file.moveAway() }
            #expect(try setting(isDurable: true) == full)
            #expect(try setting(isDurable: true) == full)
            #expect(try setting(isDurable: false) == normal)
            #expect(try store.takeLease(MutationLease(holder: "a", end: .distantPast), now: Date()).holder == "a")
            #expect(try store.inspect("PRAGMA synchronous") == normal)
            #expect(try setting(isDurable: true) == full)
        }
    }
}
