internal import ArgumentParser
internal import Foundation
internal import PigeonCore
internal import PigeonSQLite
internal import Synchronization

/// Writes batch after batch to a cache, and acknowledges each that is on disk, until it is killed.
struct CrashWriter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @Option var file: String
    @Option var writer: Int
    @Option var seed: UInt64
    @Option var first: Int
    @Flag var mayClear = false

    func run() async throws {
        try await Self.write(file: file, writer: writer, seed: seed, first: first, mayClear: mayClear)
    }

    @concurrent
    private static func write(file: String, writer: Int, seed: UInt64, first: Int, mayClear: Bool) async throws {
        let client = QueryClient(cache: try SQLiteQueryCache(at: URL(fileURLWithPath: file)))
        let batchNumber = Mutex(first)
        let observed = QueryDefinition<Cargo>(Batch.observedKey(writer)) { _ in
            Cargo(owner: "observed \(writer)", number: batchNumber.withLock { $0 }, size: 300)
        }.persisted()
        let observer = client.observe(observed)
        say("ready")
        let parent = getppid()
        // A writer does not outlive the rig that started it.
        for number in first... {
            guard getppid() == parent else { return }
            batchNumber.withLock { $0 = number }
            var shown: Int?
            for step in Batch(number, of: writer, seed: seed, mayClear: mayClear).steps {
                try await perform(step, number, writer, client, observed, &shown)
            }
            if isSabotaged, number % 3 == 0 { say("ack \(number) -1") }
            guard await client.flush().isEmpty else {
                say("refused \(number)")
                continue
            }
            say("ack \(number) \(shown ?? -1)")
        }
        withExtendedLifetime(observer) {}
    }

    /// - Parameter shown: The number of the observed value that this batch has fetched last.
    private static func perform(
        _ step: Batch.Step, _ number: Int, _ writer: Int, _ client: QueryClient, _ observed: QueryDefinition<Cargo>,
        _ shown: inout Int?
    ) async throws {
        switch step {
        case .set(let slot, let size):
            let cargo = Cargo(owner: Batch.owner(writer, slot), number: number, size: size)
            try client.set(cargo, for: .cargo(Batch.key(writer, slot)))
        case .update(let slot): client.update(.cargo(Batch.key(writer, slot))) { $0.renumber(number) }
        case .rename(let slot, let isRefused):
            let rename = RenameCargo(key: Batch.key(writer, slot), number: number, isRefused: isRefused)
            do { _ = try await client.mutate(rename) } catch is RenameCargo.Refused {}
        case .remove(let slot): client.remove(.key(Batch.key(writer, slot)))
        case .removePath: client.remove(.path(Batch.path(writer)))
        case .invalidate:
            await client.invalidate(.key(observed.key))
            shown = client.value(of: observed)?.number
        case .clear:
            try await client.clear()
            shown = nil
        }
    }
}

/// Gives what is stored another number: while it runs, one that no batch has, so that it may never be found in a file.
private struct RenameCargo: Mutating {
    struct Refused: Error {}

    let key: QueryKey
    let number: Int
    let isRefused: Bool

    func optimistic(_ edits: inout OptimisticEdits) {
        let number = number
        edits.update(.cargo(key)) { $0.renumber(-number) }
    }

    func run(_ context: MutationContext) async throws -> Int {
        // Others write meanwhile, and so does the client.
        try await Task.sleep(for: .microseconds(number % 4 * 300))
        if isRefused { throw Refused() }
        return number
    }

    func succeeded(_ output: Int, _ writes: CacheWrites) {
        writes.update(.cargo(key)) { $0.renumber(output) }
    }
}
