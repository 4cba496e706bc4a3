internal import ArgumentParser
internal import Foundation
internal import PigeonCore
internal import PigeonSQLite

/// Kills processes while they write to a SQLite cache, and looks for what they had acknowledged.
struct Crash: Rig {
    static let configuration = CommandConfiguration(
        abstract: "Kills writers of a SQLite cache: what was flushed must be there, and nothing from before a clear.")

    @OptionGroup var options: RigOptions

    @concurrent
    static func attack(_ trial: Trial) async throws {
        trial.count("lost or risen", 0)
        var random = SeededRandom(trial.seed)
        var scene = try CrashScene(trial: trial, writers: 1)
        var round = 0
        while !trial.isOver || round < 2 {
            // A file lives through many crashes before the next one begins.
            if round % 12 == 0 { scene = try CrashScene(trial: trial, writers: 1 + round / 12 % 2) }
            round += 1
            try await scene.crash(&random, round: round)
        }
    }
}

/// One file, its writers, and what must be in it.
struct CrashScene {
    private let trial: Trial
    private let folder: Folder
    private let file: URL
    private var shelves: [Shelf]
    private var firsts: [Int]
    private var observed: [Int]

    init(trial: Trial, writers: Int) throws {
        self.trial = trial
        folder = try Folder()
        file = folder.file("crash.sqlite")
        shelves = Array(repeating: Shelf(), count: writers)
        firsts = Array(repeating: 1, count: writers)
        observed = Array(repeating: -1, count: writers)
    }

    /// Lets the writers write, kills each at a moment of its own, and checks the file.
    mutating func crash(_ random: inout SeededRandom, round: Int) async throws {
        let children = try firsts.indices.map { writer in
            try Child(
                [
                    "crash-writer", "--file", file.path, "--writer", "\(writer)", "--seed", "\(trial.seed)",
                    "--first", "\(firsts[writer])",
                ] + (firsts.count == 1 ? ["--may-clear"] : []), in: folder.url)
        }
        for child in children {
            // Some are killed while they open the file.
            if !random.chance(8) { await ready(child) }
            try await Task.sleep(for: .microseconds(random.number(0..<(random.chance(4) ? 600_000 : 120_000))))
            child.kill()
        }
        for child in children {
            let ending = await child.wait(upTo: .seconds(20))
            if ending != .signal(SIGKILL) {
                trial.violate("round \(round): a writer ended by itself: \(ending), \(child.complaint)")
            }
        }
        trial.count("kills", children.count)
        try check(children, round)
    }

    private func ready(_ child: Child) async {
        let start = ContinuousClock.now
        while child.lines.isEmpty, ContinuousClock.now - start < .seconds(20) {
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    private mutating func check(_ children: [Child], _ round: Int) throws {
        let cache = try SQLiteQueryCache(at: file)
        let client = QueryClient(cache: cache)
        for (writer, child) in children.enumerated() {
            let acknowledged = child.lines.filter { $0.hasPrefix("ack") }
            trial.count("batches acknowledged", acknowledged.count)
            for line in child.lines where line.hasPrefix("refused") {
                trial.violate("round \(round), writer \(writer): \(line), though the disk is sound")
            }
            checkSlots(of: writer, acknowledged: acknowledged, in: client, round)
            checkObserved(of: writer, acknowledged: acknowledged, in: client, round)
        }
        for problem in cache.takeProblems() { trial.violate("round \(round): \(problem.description)") }
    }

    /// Each slot must be as the last acknowledged batch left it, or as the one that was under way has made it since.
    private mutating func checkSlots(of writer: Int, acknowledged: [String], in client: QueryClient, _ round: Int) {
        let mayClear = firsts.count == 1
        let last = acknowledged.last.flatMap { Self.numbers(in: $0).first } ?? firsts[writer] - 1
        var shelf = shelves[writer]
        for number in firsts[writer]..<(last + 1) {
            _ = shelf.apply(Batch(number, of: writer, seed: trial.seed, mayClear: mayClear))
        }
        let sure = shelf
        let open = shelf.apply(Batch(last + 1, of: writer, seed: trial.seed, mayClear: mayClear))
        var found: [Int: Int] = [:]
        for slot in 0..<Batch.slots {
            let cargo = client.value(of: .cargo(Batch.key(writer, slot)))
            found[slot] = cargo?.number
            trial.count("values checked")
            if let cargo, !cargo.isWhole || cargo.owner != Batch.owner(writer, slot) {
                trial.violate("round \(round), writer \(writer), slot \(slot): the value is not one that was written")
            }
            guard cargo?.number != sure.numbers[slot], open[slot]?.contains(cargo?.number) != true else { continue }
            trial.count("lost or risen")
            trial.violate(
                """
                round \(round), writer \(writer), slot \(slot): found \(Self.text(cargo?.number)), but batch \(last) was \
                acknowledged, which leaves \(Self.text(sure.numbers[slot]))
                """)
        }
        shelves[writer] = Shelf(found)
        firsts[writer] = last + 2
    }

    /// The observed value is never older than the one that the last acknowledged batch with a fetch has fetched.
    private mutating func checkObserved(
        of writer: Int, acknowledged: [String], in client: QueryClient, _ round: Int
    ) {
        let sure = acknowledged.compactMap { Self.numbers(in: $0).last }.last { $0 >= 0 } ?? observed[writer]
        let cargo = client.value(of: .cargo(Batch.observedKey(writer)))
        // A clear leaves none, and what is observed is not fetched again by itself.
        if let cargo, cargo.number < sure || !cargo.isWhole {
            trial.count("lost or risen")
            trial.violate(
                "round \(round), writer \(writer): the observed value is \(cargo.number), but \(sure) was acknowledged")
        }
        if cargo == nil, firsts.count > 1, sure >= 0 {
            trial.violate("round \(round), writer \(writer): the observed value is gone, but \(sure) was acknowledged")
        }
        observed[writer] = cargo?.number ?? -1
    }

    private static func numbers(in line: String) -> [Int] { line.split(separator: " ").compactMap { Int($0) } }

    private static func text(_ number: Int?) -> String { number.map { "batch \($0)" } ?? "nothing" }
}
