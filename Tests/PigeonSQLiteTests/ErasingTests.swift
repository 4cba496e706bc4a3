import Foundation
import GRDB
import PigeonCore
import PigeonOutbox
import PigeonSQLite
import PigeonTesting
import TestSupport
import Testing

/// A sign-out, and the bytes of all files.
@Suite("What a sign-out leaves on disk")
struct ErasingTests {
    private static let (ann, bob) = ("ann-was-here", "bob-was-here")

    /// The names of the files that have a text in their bytes.
    private func traces(of text: String, in file: TestFile) throws -> [String] {
        try file.names().filter {
            let bytes = try Data(contentsOf: file.directory.appendingPathComponent($0))
            return bytes.range(of: Data(text.utf8)) != nil
        }
    }

    private func lab(
        _ store: any MutationStore, session: String? = nil, _ shop: Shop = Shop(), isOnline: Bool = false
    ) -> QueryLab {
        let lab = QueryLab(
            outbox: Outbox.Setup(store: QuietStore(store), mutations: [Errand.self], session: session),
            dependencies: Dependencies(shop))
        lab.setOnline(isOnline)
        return lab
    }

    private func run<Value: Sendable>(
        _ lab: QueryLab, _ body: @escaping @Sendable (QueryClient) async throws -> Value
    ) -> LabTask<Value> {
        let task = lab.start { [client = lab.client] in try await body(client) }
        lab.settle()
        return task
    }

    @Test("clear() leaves no byte of a change that waits, is set aside, was edited, discarded or made", .rule("K2"))
    func outbox() throws {
        let file = try TestFile()
        let lab = lab(try file.openMutations())
        for number in 0..<40 {
            let text = "\(Self.ann) \(number) " + String(repeating: "x", count: number * 97 % 5000)
            let enqueued = run(lab) { try await $0.enqueue(Errand(text)).id }
            let id = try #require(enqueued.value ?? nil)
            if number % 4 == 1 { _ = run(lab) { try await $0.outbox.discard(id) } }
            if number % 4 == 2 { _ = run(lab) { try await $0.outbox.edit(id, as: Errand.self) { $0.text += "!" } } }
            if number == 20 {
                lab.setOnline(true)
                lab.settle()
                lab.setOnline(false)
            }
        }
        #expect(try !traces(of: Self.ann, in: file).isEmpty)
        let clear = run(lab) { try await $0.clear() }
        #expect(clear.result != nil && clear.error == nil)
        #expect(try traces(of: Self.ann, in: file) == [])
        #expect(lab.client.outbox.snapshot.problems.isEmpty)
    }

    @Test("the end of one session leaves no byte of it, and every change of the other", .rule("K2"), arguments: 0..<4)
    func oneOfTwoSessions(seed: UInt64) throws {
        let file = try TestFile()
        let store = try file.openMutations()
        let (one, other) = (lab(store, session: Self.ann), lab(store, session: Self.bob))
        var random = Dice(seed)
        var kept: [String] = []
        // Changes of all sizes come and go, so that SQLite moves rows about within its pages.
        for number in 0..<200 {
            let length = [3, 40, 700, 9000].randomElement(using: &random) ?? 3
            let isAnn = Bool.random(using: &random)
            let text = "\(isAnn ? Self.ann : Self.bob) \(number) " + String(repeating: "x", count: length)
            let lab = isAnn ? one : other
            let enqueued = run(lab) { try await $0.enqueue(Errand(text)).id }
            let id = try #require(enqueued.value ?? nil)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: _ = run(lab) { try await $0.outbox.discard(id) }
            case 1 where isAnn: _ = run(lab) { try await $0.outbox.edit(id, as: Errand.self) { $0.text += text } }
            default: if !isAnn { kept.append(text) }
            }
        }
        let clear = run(one) { try await $0.clear() }
        #expect(clear.result != nil && clear.error == nil)
        #expect(try traces(of: Self.ann, in: file) == [])
        let again = lab(try file.openMutations(), session: Self.bob)
        #expect(again.client.outbox.snapshot.texts == kept)
    }

    @Test("a change of the session that discards the old one leaves no byte of it", .rule("K2"))
    func discardingSession() throws {
        let file = try TestFile()
        let lab = lab(try file.openMutations(), session: Self.ann)
        for number in 0..<5 { _ = run(lab) { try await $0.enqueue(Errand("\(Self.ann) \(number)")) } }
        lab.client.outbox.setSession(Self.bob, discardingCurrent: true)
        lab.settle()
        #expect(try traces(of: Self.ann, in: file) == [])
    }

    @Test("a file of changes that was moved aside as damaged goes with the sign-out", .rule("K2"))
    func movedAside() throws {
        let file = try TestFile()
        do {
            let lab = lab(try file.openMutations())
            for number in 0..<5 { _ = run(lab) { try await $0.enqueue(Errand("\(Self.ann) \(number)")) } }
        }
        let handle = try FileHandle(forUpdating: file.url)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 100))
        try handle.close()
        let lab = lab(try file.openMutations())
        #expect(try file.movedAside(as: "damaged").count == 1)
        #expect(try !traces(of: Self.ann, in: file).isEmpty)
        let clear = run(lab) { try await $0.clear() }
        #expect(clear.error == nil)
        #expect(try file.movedAside(as: "damaged").isEmpty)
        #expect(try traces(of: Self.ann, in: file) == [])
    }

    @Test(
        "while another connection reads the file, clear() throws and says so, and the bytes go once it has ended",
        .rule("K2"))
    func reader() throws {
        let file = try TestFile()
        var schema = SQLiteSchema.mutations
        schema.busyTimeout = 0.05
        let lab = lab(try SQLiteMutationStore(at: file.url, schema: schema))
        _ = run(lab) { try await $0.enqueue(Errand("\(Self.ann) 1")) }
        let reader = try DatabaseQueue(path: file.path)
        try reader.inDatabase { database in
            try database.execute(sql: "BEGIN")
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM mutations") == 1)
            let clear = run(lab) { try await $0.clear() }
            let error = (clear.error as? QueryCacheError)?.description ?? ""
            #expect(error.contains("another connection uses them"))
            #expect(!error.contains(Self.ann))
            #expect(lab.client.outbox.snapshot.isEmpty)
            #expect(lab.client.outbox.snapshot.problems.contains { $0.contains("still readable") })
            // The next person's change is accepted, and what is erased later does not take it along.
            #expect(run(lab) { try await $0.enqueue(Errand("\(Self.bob) 1")) }.error == nil)
            #expect(try !traces(of: Self.ann, in: file).isEmpty)
            try database.execute(sql: "COMMIT")
        }
        lab.advance(by: .seconds(120))
        #expect(try traces(of: Self.ann, in: file) == [])
        #expect(lab.client.outbox.snapshot.texts == ["\(Self.bob) 1"])
    }

    @Test("a sign-out waits for another connection that writes the log to the file at that moment", .rule("K2"))
    func checkpoint() throws {
        let file = try TestFile()
        let lab = lab(try SQLiteMutationStore(at: file.url))
        _ = run(lab) { try await $0.enqueue(Errand("\(Self.ann) 1")) }
        let (isWaiting, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var configuration = Configuration()
        configuration.busyMode = .callback { _ in
            isWaiting.signal()
            Thread.sleep(forTimeInterval: 0.5)
            return true
        }
        let other = try DatabaseQueue(path: file.path, configuration: configuration)
        try DatabaseQueue(path: file.path).inDatabase { database in
            try database.execute(sql: "BEGIN IMMEDIATE")
            Thread.detachNewThread {
                _ = try? other.inDatabase { try $0.checkpoint(.truncate) }
                isOver.signal()
            }
            isWaiting.wait()
            try database.execute(sql: "COMMIT")
        }
        // The other connection has the lock for this work, and asks again for the lock of writers in half a second.
        #expect(run(lab) { try await $0.clear() }.error == nil)
        #expect(try traces(of: Self.ann, in: file) == [])
        isOver.wait()
    }

    @Test(
        "removing some values of a cache leaves no byte of them in the pages of the others", .rule("K2"),
        arguments: 0..<4)
    func someValues(seed: UInt64) throws {
        let file = try TestFile()
        let cache = try file.open()
        var random = Dice(seed)
        var kept = 0
        for number in 0..<600 {
            let isAnn = Bool.random(using: &random)
            let text = isAnn ? Self.ann : Self.bob
            let length = [3, 60, 700, 9000].randomElement(using: &random) ?? 3
            let key = QueryKey(isAnn ? "ann" : "bob", Int.random(in: 0..<80, using: &random), text)
            if number % 5 == 4 {
                try cache.apply([.remove(key)])
            } else {
                try cache.apply([.save(.sample(text + String(repeating: "x", count: length)), for: key)])
            }
        }
        kept = try cache.records(under: "bob").count
        try cache.removeValues(under: "ann") { _ in true }
        #expect(try traces(of: Self.ann, in: file) == [])
        #expect(try cache.records(under: nil).count == kept)
        #expect(cache.takeProblems().isEmpty)
    }

    @Test("a value whose key can no longer be read goes with those of any path that leave no trace", .rule("K2"))
    func unreadableKey() throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.apply([.save(.sample(Self.ann), for: "ann"), .save(.sample(Self.bob), for: "bob")])
        _ = try cache.inspect("UPDATE records SET key = x'2f626f6221' WHERE key = x'2f616e6e'")
        try cache.removeValues(under: "ann") { _ in true }
        #expect(try traces(of: Self.ann, in: file) == [])
        #expect(try cache.keys() == ["bob"])
        #expect(cache.takeProblems().count == 1)
    }

    #if os(Linux)
        @Test("a process that is killed right after clear() has returned leaves no byte", .rule("K2"))
        func killed() async throws {
            let place = FileManager.default.temporaryDirectory.appendingPathComponent("pigeon-erasing-\(getpid())")
            defer { try? FileManager.default.removeItem(at: place) }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                endProcess(after: 50)
                let place = FileManager.default.temporaryDirectory.appendingPathComponent("pigeon-erasing-\(getppid())")
                let store = try SQLiteMutationStore(at: place.appendingPathComponent("outbox.sqlite"))
                let cache = try SQLiteQueryCache(at: place.appendingPathComponent("cache.sqlite"))
                let client = QueryClient(
                    cache: cache, outbox: Outbox.Setup(store: store, mutations: [Errand.self]),
                    environment: QueryEnvironment(connectivity: EnvironmentSignal(false)))
                for number in 0..<20 {
                    try await client.enqueue(Errand("ann-was-here \(number)"))
                    let definition: QueryDefinition<String> = .value(QueryKey("a", number)).persisted()
                    try client.set("ann-was-here \(number)", for: definition)
                }
                guard await client.flush().isEmpty else { return }
                try await client.clear()
                kill(getpid(), SIGKILL)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
            #expect(names.contains("outbox.sqlite-wal"))
            for name in names {
                let bytes = try Data(contentsOf: place.appendingPathComponent(name))
                #expect(bytes.range(of: Data(Self.ann.utf8)) == nil, "\(name)")
            }
        }
    #endif
}

/// A store that announces no changes: they are noticed on a thread of their own, which a lab does not wait for.
private final class QuietStore: MutationStore {
    private let inner: any MutationStore

    init(_ inner: any MutationStore) { self.inner = inner }

    func changes(after revision: Int64, in session: String?) throws -> MutationChanges? {
        try inner.changes(after: revision, in: session)
    }
    func apply(_ batch: MutationBatch) throws -> MutationReceipt { try inner.apply(batch) }
    func eraseRemoved() throws { try inner.eraseRemoved() }
    func takeLease(_ lease: MutationLease, now: Date) throws -> MutationLease {
        try inner.takeLease(lease, now: now)
    }
    func endLease(of holder: String) throws { try inner.endLease(of: holder) }
    func onChange(_ listener: @escaping @Sendable () -> Void) -> QuerySubscription? { nil }
}

/// Random numbers that follow from a seed.
private struct Dice: RandomNumberGenerator {
    private let random: SeededRandom

    init(_ seed: UInt64) { random = SeededRandom(seed: seed) }

    func next() -> UInt64 { random.next() }
}
