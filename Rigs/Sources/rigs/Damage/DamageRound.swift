internal import Foundation
internal import PigeonCore
internal import PigeonSQLite

/// One file: made, damaged, and used.
final class DamageRound {
    let kind: DamageKind
    private let trial: Trial
    private let name: String
    private let folder: Folder
    private let file: URL
    private var random: SeededRandom
    /// The numbers that each key's value has had.
    private var history: [Int: Set<Int>] = [:]

    /// Wrong values break a promise only where records have checksums.
    private static let hasChecksums = ProcessInfo.processInfo.environment["PIGEON_RIGS_CHECKSUMS"] != "0"

    /// Losses by damage that leaves an index in the wrong order are known, and only counted if nothing else is asked for.
    private static let asksForIndexes = ProcessInfo.processInfo.environment["PIGEON_RIGS_INDEXES"] == "1"

    private var numbersAfterDamage: Set<Int> = []

    /// All that were opened.
    private var caches: [WeakCache] = []

    private struct WeakCache {
        weak var cache: SQLiteQueryCache?
    }

    init(trial: Trial, number: Int, kind: DamageKind) throws {
        self.trial = trial
        self.kind = kind
        name = "round \(number) (\(kind))"
        folder = try Folder()
        file = folder.file("cache.sqlite")
        random = SeededRandom(trial.seed, number)
    }

    func run() async throws {
        var maker: QueryClient? = try await make()
        guard !kind.passes else { return try await runThroughTrouble(try maker ?? client()) }
        // Half of the rounds damage a file that is open.
        let isOpen = random.chance(2)
        if !isOpen { maker = nil }
        try Vandal(file: file, folder: folder).damage(as: kind, &random)
        if let maker { await use(maker, mayDropLog: kind.isOfLog) }
        maker = nil
        do {
            await use(try client(), mayDropLog: isOpen && kind.isOfLog)
        } catch is QueryCacheError {
            trial.count("openings refused")
            // SQLite forbids removing a file that is open: who closes it removes the log of the next file at its path.
            await waitUntilClosed()
            try Vandal(file: file, folder: folder).remove()
            await use(try client(), mayDropLog: false)
        }
    }

    private func client() throws -> QueryClient {
        let cache = try SQLiteQueryCache(at: file)
        caches.append(WeakCache(cache: cache))
        return QueryClient(cache: cache)
    }

    private func waitUntilClosed() async {
        let deadline = ContinuousClock.now + .seconds(10)
        while caches.contains(where: { $0.cache != nil }), ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    private static func key(_ slot: Int) -> QueryKey { QueryKey("damage", slot) }

    // MARK: Making

    /// Writes some generations of values, and returns the client that has done it.
    private func make() async throws -> QueryClient {
        let slots = random.number(10..<200)
        var client = try client()
        var oldLog: Data?
        for generation in 1...3 {
            for slot in 0..<slots where generation == 1 || random.chance(3) {
                try write(generation, to: slot, in: client)
            }
            guard await client.flush().isEmpty else { throw DamageError.soundFileRefused }
            if generation == 1 { oldLog = try? Data(contentsOf: URL(fileURLWithPath: file.path + "-wal")) }
            // The last connection that closes moves the log into the file.
            if random.chance(2) { client = try self.client() }
        }
        if kind == .olderLog, let oldLog { try oldLog.write(to: URL(fileURLWithPath: file.path + "-wal")) }
        return client
    }

    private func write(_ number: Int, to slot: Int, in client: QueryClient) throws {
        try client.set(
            Cargo(owner: "\(slot)", number: number, size: random.number(0..<1500)), for: .cargo(Self.key(slot)))
        // Sabotage: some values are said never to have been written.
        if !isSabotaged || slot % 7 != 0 { history[slot, default: []].insert(number) }
    }

    // MARK: Using

    /// Reads all values, fetches some anew, and looks for these in the file.
    ///
    /// - Parameter mayDropLog: True if the log was damaged under an open file. SQLite drops a log whose checksums do not
    ///   fit, with all that is written to it later, and reports nothing.
    private func use(_ client: QueryClient, mayDropLog: Bool) async {
        readAll(client)
        let slots = (0..<8).map { _ in random.number(0..<history.count + 4) }
        let number = random.number(1000..<1_000_000)
        numbersAfterDamage.insert(number)
        for slot in Set(slots) { await fetch(slot, number, client) }
        let unwritten = await client.flush()
        guard unwritten.isEmpty else { return trial.count("writes refused") }
        guard let cache = try? SQLiteQueryCache(at: file) else {
            return trial.violate("\(name): what was written cannot be opened again")
        }
        let again = QueryClient(cache: cache)
        // What a client of before had still to write may come last.
        let lost = Set(slots).filter { slot in
            again.value(of: .cargo(Self.key(slot))).map { !numbersAfterDamage.contains($0.number) } ?? true
        }
        guard !lost.isEmpty else { return }
        // Damage that the write did not come across may take along what was written, but not without a report.
        guard cache.takeProblems().isEmpty else { return trial.count("later losses reported", lost.count) }
        guard !mayDropLog else { return trial.count("lost with their log", lost.count) }
        // A key whose entry in the index is damaged gets a second row, and neither SQLite nor a checksum can tell.
        if kind.mayMisorderIndex, !Self.asksForIndexes { return trial.count("lost by a damaged index", lost.count) }
        trial.violate("\(name): slots \(lost.sorted()) were written after the damage, and are gone without a report")
    }

    private func readAll(_ client: QueryClient) {
        for slot in 0..<(history.count + 4) {
            trial.count("reads")
            guard let cargo = client.value(of: .cargo(Self.key(slot))) else { continue }
            trial.count("values found")
            let isRight = cargo.owner == "\(slot)" && cargo.isWhole && history[slot]?.contains(cargo.number) == true
            guard !isRight else { continue }
            trial.count("wrong values")
            if Self.hasChecksums {
                trial.violate(
                    "\(name): slot \(slot) has a value that was never written for it: \(cargo.owner), \(cargo.number)")
            }
        }
    }

    /// Fetches by a definition, as a program does that found nothing or something stale.
    private func fetch(_ slot: Int, _ number: Int, _ client: QueryClient) async {
        let definition = QueryDefinition<Cargo>(Self.key(slot)) { _ in
            Cargo(owner: "\(slot)", number: number, size: 700)
        }.persisted()
        history[slot, default: []].insert(number)
        await client.invalidate(.key(definition.key), refetch: .none)
        guard let cargo = try? await client.fetch(definition), cargo.number == number else {
            return trial.violate("\(name): the client does not fetch slot \(slot) any more")
        }
    }

    // MARK: Trouble that passes

    /// Lets the system refuse for a while: nothing of before may be lost, nor of what was written meanwhile.
    private func runThroughTrouble(_ client: QueryClient) async throws {
        var client = client
        let trouble = try Trouble(kind, file: file, folder: folder)
        if let moved = trouble.movedFile {
            client = QueryClient(cache: try SQLiteQueryCache(at: moved))
            for slot in history.keys { try write(3, to: slot, in: client) }
            guard await client.flush().isEmpty else { throw DamageError.soundFileRefused }
        }
        try trouble.begin()
        let isRefused = try await writeAgainst(trouble, client)
        let isOpened = await openAgainst(trouble)
        trouble.end()
        trial.count(isRefused || !isOpened ? "refusals survived" : "troubles not felt (\(kind))")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        where name.contains(".damaged-") {
            trial.violate("\(self.name): a sound file was moved aside as \(name)")
        }
        let deadline = ContinuousClock.now + .seconds(10)
        while await !client.flush().isEmpty {
            guard ContinuousClock.now < deadline else {
                return trial.violate("\(name): nothing is written after the trouble has passed")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        let again = QueryClient(cache: try SQLiteQueryCache(at: trouble.movedFile ?? file))
        for (slot, numbers) in history where again.value(of: .cargo(Self.key(slot)))?.number != numbers.max() {
            trial.violate("\(name): slot \(slot) has not its newest value after the trouble has passed")
        }
        trouble.clear(afterUsing: [client, again])
    }

    /// Opens the file once more meanwhile, and reads and writes what there is.
    ///
    /// - Returns: False if opening or writing was refused.
    private func openAgainst(_ trouble: Trouble) async -> Bool {
        guard let cache = try? SQLiteQueryCache(at: trouble.movedFile ?? file) else { return false }
        let client = QueryClient(cache: cache)
        readAll(client)
        let cargo = Cargo(owner: "trouble", number: 0, size: 100)
        guard (try? client.set(cargo, for: .cargo("trouble"))) != nil else { return false }
        return await client.flush().isEmpty
    }

    /// Writes until something is refused.
    private func writeAgainst(_ trouble: Trouble, _ client: QueryClient) async throws -> Bool {
        for number in 10..<40 {
            for slot in 0..<20 where history[slot] != nil { try write(number, to: slot, in: client) }
            if await !client.flush().isEmpty { return true }
        }
        return false
    }
}

enum DamageError: Error {
    case soundFileRefused
    case noMount
}
