internal import Foundation
internal import PigeonCore
internal import PigeonHTTP
internal import PigeonREST
internal import PigeonSQLite
internal import Synchronization

/// What one person does with a program, until they sign out and another signs in.
final class Session: Sendable {
    private let trial: Trial
    private let round: Int
    private let marker: String
    private let folder: Folder
    private let downloads: URL
    private let cache: SQLiteQueryCache
    private let client: QueryClient
    private let service: Service
    private let dispatcher: NetworkDispatcher
    /// True once nothing new is begun. What was begun goes on.
    private let isEnding = Mutex(false)

    init(trial: Trial, round: Int) async throws {
        self.trial = trial
        self.round = round
        marker = "TRACE-OF-ADA-\(trial.seed)-\(round)-"
        folder = try Folder()
        downloads = folder.file("downloads")
        try FileManager.default.createDirectory(at: downloads, withIntermediateDirectories: false)
        let file = folder.file("session.sqlite")
        if round % 3 == 0 { try await Self.leaveDamagedFile(at: file, marker: marker) }
        cache = try SQLiteQueryCache(at: file)
        let mutations = try SQLiteMutationStore(at: folder.file("outbox.sqlite"))
        client = QueryClient(cache: cache, outbox: Outbox.Setup(store: mutations, mutations: [Note.self]))
        let mock = MockTransport()
        let marker = marker
        mock.answer(.get, "/things/:id") { request, values in
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<60)))
            return .text("\(marker)\(values["id"] ?? "")", headers: ["ETag": "\"\(marker)\"", "X-Name": marker])
        }
        // A download that breaks off after a while, or goes on for ever.
        mock.answer(.get, "/files/:id") { _, values in
            let piece = Data(String(repeating: marker, count: 50).utf8)
            let isBroken = (Int(values["id"] ?? "") ?? 0) % 2 == 0
            return .stream(headers: ["ETag": "\"1\"", "Content-Length": "10000000"]) {
                HTTPChunks(unfolding: {
                    try await Task.sleep(for: .milliseconds(5))
                    if isBroken, Int.random(in: 0..<6) == 0 { throw URLError(.networkConnectionLost) }
                    return piece
                })
            }
        }
        guard let server = URL(string: "https://rigs.test") else { throw URLError(.badURL) }
        dispatcher = NetworkDispatcher(baseURL: server, transport: mock)
        service = Service(baseURL: server, networking: mock, client: client)
        let entities = PersistentEntityCache<String>(in: cache, isolation: .perUser(identifiedBy: marker))
        service.configure { $0.pipeline[.model].cacheUsing(entities) }
    }

    /// Lets a cache of the same person be found damaged, so that it is moved aside.
    private static func leaveDamagedFile(at file: URL, marker: String) async throws {
        var client: QueryClient? = QueryClient(cache: try SQLiteQueryCache(at: file))
        for number in 0..<50 { try client?.set("\(marker)\(number)", for: definition("old", number)) }
        _ = await client?.flush()
        client = nil
        let handle = try FileHandle(forUpdating: file)
        try handle.write(contentsOf: Data(repeating: 0x5A, count: 100))
        try handle.close()
    }

    private static func definition(_ path: String, _ number: Int) -> QueryDefinition<String> {
        QueryDefinition.value(QueryKey(path, number)).persisted()
    }

    // MARK: The course of a round

    func run() async throws {
        let work = begin()
        try await Task.sleep(for: .milliseconds(Int.random(in: 20..<250)))
        trial.count("with traces before", try await traces(in: folder.url).isEmpty ? 0 : 1)
        try await signOut(work)
        try client.set("BEA", for: Self.definition("next", 1))
        let unwritten = await client.flush()
        if !unwritten.isEmpty { trial.violate("round \(round): the next person's value was refused: \(unwritten)") }
        // What was on its way may arrive now.
        try await Task.sleep(for: .milliseconds(100))
        await service.settlePersistentCaches()
        _ = await client.flush()
        trial.count("sign-outs")
        for trace in try await traces(in: folder.url) {
            trial.count("traces after")
            trial.violate("round \(round): \(trace) has a trace of the person who signed out")
        }
        let again = QueryClient(cache: try SQLiteQueryCache(at: folder.file("session.sqlite")))
        if again.value(of: Self.definition("next", 1)) != "BEA" {
            trial.violate("round \(round): the value of the next person is gone")
        }
    }

    /// As the documentation says: the client, the resources, and the files that are the program's own.
    private func signOut(_ work: [Task<Void, Never>]) async throws {
        if isSabotaged { try? Data(marker.utf8).write(to: folder.file("forgotten")) }
        isEnding.withLock { $0 = true }
        // A job that has just looked begins yet. The programs of the person must not ask for anything after the sign-out.
        try await Task.sleep(for: .milliseconds(15))
        if round % 2 == 0 { for task in work { task.cancel() } }
        if round % 4 == 1 { try await clearWithoutSpace() }
        service.wipeResources()
        trial.count("changes discarded", try await client.clear().discardedMutations)
        for trace in try await traces(in: folder.url) where trace.hasPrefix("outbox.sqlite") {
            trial.violate("round \(round): \(trace) has a trace when clear() returns")
        }
        await service.settlePersistentCaches()
        for task in work { task.cancel() }
        for task in work { await task.value }
        let names = try FileManager.default.contentsOfDirectory(atPath: downloads.path)
        for name in names where !name.hasPrefix(".kept-") {
            trial.violate("round \(round): a download that was cancelled left \(name)")
        }
        try FileManager.default.removeItem(at: downloads)
    }

    /// Signs out while no file may become longer than a random length, as on a disk that is almost full: then either nothing
    /// is left all the same, or the client says that something may be.
    private func clearWithoutSpace() async throws {
        let sizes = try ["", "-wal"].map { suffix in
            let path = folder.file("session.sqlite").path + suffix
            return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        }
        let longest = sizes.max() ?? 0
        var random = SeededRandom(trial.seed, round)
        // Sometimes even what is there could not be written again.
        let shortest = random.chance(4) ? 20_000 : longest
        let old = limit(RLIMIT_FSIZE, to: UInt(random.number(shortest..<longest * 2 + 300_000)))
        defer { limit(RLIMIT_FSIZE, to: old) }
        service.wipeResources()
        do { try await client.clear() } catch { return trial.count("refused for want of space") }
        await service.settlePersistentCaches()
        trial.count("on an almost full disk")
        for trace in try await traces(in: folder.url) where trace.hasPrefix("session.sqlite") {
            trial.violate("round \(round): \(trace) has a trace, though clear() succeeded on an almost full disk")
        }
    }

    // MARK: What is under way

    /// Begins to do everything at once, again and again.
    private func begin() -> [Task<Void, Never>] {
        let jobs: [@Sendable (Session, Int) async throws -> Void] = [
            { try await $0.fetch($1) }, { try await $0.mutate($1) }, { try await $0.page($1) },
            { try await $0.load($1) },
            { try await $0.download($1) }, { try await $0.write($1) }, { try await $0.enqueue($1) },
        ]
        return jobs.map { job in
            Task {
                var number = 0
                while !Task.isCancelled, !self.isEnding.withLock({ $0 }) {
                    try? await job(self, number)
                    await Task.yield()
                    number += 1
                }
            }
        }
    }

    private func fetch(_ number: Int) async throws {
        let marker = marker
        let definition = QueryDefinition<String>(QueryKey("users", marker, number % 20)) { _ in
            // Some fetchers do not listen to cancellation.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0..<50)))
            return "\(marker)fetched \(number)"
        }.persisted().tagged(marker)
        let observer = client.observe(definition)
        _ = try await observer.refetch()
    }

    private func mutate(_ number: Int) async throws {
        _ = try await client.mutate(Rename(number: number % 20, text: "\(marker)renamed \(number)"))
    }

    private func page(_ number: Int) async throws {
        let marker = marker
        let list = QueryDefinition.pages("list", first: 1) { page, _ in
            try await Task.sleep(for: .milliseconds(3))
            return ["\(marker)page \(page)"]
        } next: { _, page in
            page + 1
        }.persisted()
        try await client.fetchNextPage(of: list)
        if number % 10 == 9 { client.remove(.key("list")) }
    }

    private func load(_ number: Int) async throws {
        let resource = service.resource("/things/\(number % 20)")
        _ = resource.load()
        try await Task.sleep(for: .milliseconds(4))
    }

    private func download(_ number: Int) async throws {
        var options = DownloadOptions()
        options.keepsPartialFile = number % 2 == 0
        let name = options.keepsPartialFile ? "kept-\(number % 4)" : "whole-\(number)"
        let dispatcher = dispatcher
        let file = downloads.appendingPathComponent(name)
        try await dispatcher.download(from: .get("/files/\(number % 4)"), to: file, options: options)
    }

    private func write(_ number: Int) async throws {
        try client.set("\(marker)written \(number)", for: Self.definition("written", number % 50))
        if number % 7 == 0 { _ = await client.flush() }
        try await Task.sleep(for: .milliseconds(1))
    }

    /// Enqueues a change, and sometimes edits or discards it.
    private func enqueue(_ number: Int) async throws {
        let text = "\(marker)enqueued \(number) " + String(repeating: "x", count: number * 97 % 3000)
        let note = try await client.enqueue(Note(number: number, text: text))
        guard let id = note.id else { return }
        if number % 5 == 1 { try await client.outbox.edit(id, as: Note.self) { $0.text += "!" } }
        if number % 5 == 2 { try await client.outbox.discard(id) }
        try await Task.sleep(for: .milliseconds(2))
    }

    /// A change that is made, refused, or waits for a server that is down.
    private struct Note: DurableMutation {
        let number: Int
        var text: String
        var scope: String? { number % 2 == 0 ? "notes" : nil }

        func run(_ context: MutationContext) async throws -> String {
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0..<20)))
            switch number % 4 {
            case 0: throw HTTPError.status(422)
            case 1: throw HTTPError.status(503)
            default: return text
            }
        }

        func optimistic(_ edits: inout OptimisticEdits) {
            let text = text
            edits.set(text, for: Session.definition("notes", number % 20))
        }
    }

    /// Renames something, shows the name before, and writes it after.
    private struct Rename: Mutating {
        let number: Int
        let text: String

        func run(_ context: MutationContext) async throws -> String {
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0..<50)))
            return text
        }

        func optimistic(_ edits: inout OptimisticEdits) {
            let text = text
            edits.set(text, for: Session.definition("renamed", number))
        }

        func succeeded(_ output: String, _ writes: CacheWrites) {
            writes.set(output, for: Session.definition("renamed", number))
        }
        func invalidates(_ output: String) -> [KeyFilter] { [.path("renamed")] }
    }

    // MARK: Searching

    /// The names of the files with a trace in name or bytes.
    private func traces(in directory: URL) async throws -> [String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        trial.count("files searched", paths.count)
        return paths.filter { path in
            let bytes = (try? Data(contentsOf: directory.appendingPathComponent(path))) ?? Data()
            return path.contains(marker) || bytes.range(of: Data(marker.utf8)) != nil
        }
    }
}
