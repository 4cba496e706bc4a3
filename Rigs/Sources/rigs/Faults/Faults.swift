internal import ArgumentParser
internal import Foundation
internal import PigeonCore
internal import PigeonHTTP
internal import Synchronization

/// Lets a disk and a network fail at random.
struct Faults: Rig {
    static let configuration = CommandConfiguration(
        abstract: "Lets disk and network fail: nothing is lost once they recover, and memory stays bounded meanwhile.")

    @OptionGroup var options: RigOptions

    @concurrent
    static func attack(_ trial: Trial) async throws {
        for figure in ["disks", "writes", "refusals", "networks", "changes", "lost"] { trial.count(figure, 0) }
        var round = 0
        while !trial.isOver || round < 2 {
            round += 1
            let random = SeededRandom(trial.seed, round)
            if round % 2 == 0 {
                var disk = FlakyDiskRound(trial: trial, round: round, random: random)
                try await disk.run()
            } else {
                var network = FlakyNetworkRound(trial: trial, round: round, random: random)
                try await network.run()
            }
        }
    }
}

/// A client whose disk refuses everything, then much, then nothing.
struct FlakyDiskRound {
    /// How much memory may be taken while the disk refuses, in MB: for 60 small values, and what the allocator keeps.
    private static let mostGrowth = 40

    let trial: Trial
    let round: Int
    var random: SeededRandom

    mutating func run() async throws {
        let store = FlakyStore(seed: random.next())
        let client = QueryClient(cache: store)
        var expected: [Int: Int] = [:]
        try await write(200, to: client, &expected)
        let before = ProcessFigures.memory
        store.fail(percent: 100)
        try await write(6000, to: client, &expected)
        let growth = (ProcessFigures.memory - before) >> 20
        trial.raise("MB of growth at most", to: growth)
        if growth > Self.mostGrowth { trial.violate("round \(round): \(growth) MB more while the disk refuses") }
        store.fail(percent: 40)
        try await write(1000, to: client, &expected)
        store.fail(percent: 0)
        if isSabotaged { expected[3] = 0 }
        let unwritten = await client.flush()
        if !unwritten.isEmpty {
            trial.violate("round \(round): flush() still names \(unwritten.count) after the disk has recovered")
        }
        check(store, expected)
        trial.count("disks")
        trial.count("refusals", store.refusals)
    }

    private mutating func write(_ count: Int, to client: QueryClient, _ expected: inout [Int: Int]) async throws {
        for number in 0..<count {
            let slot = random.number(0..<60)
            switch random.number(0..<20) {
            case 0:
                client.remove(.key(Self.key(slot)))
                expected[slot] = nil
            case 1: await client.invalidate(.path("faults"), refetch: .none)
            case 2: _ = await client.flush()
            default:
                try client.set(Cargo(owner: "\(slot)", number: number, size: 100), for: .cargo(Self.key(slot)))
                expected[slot] = number
            }
        }
        trial.count("writes", count)
    }

    private func check(_ store: FlakyStore, _ expected: [Int: Int]) {
        for slot in 0..<60 {
            let found: Cargo? = store.get(for: Self.key(slot))
            guard found?.number != expected[slot] else { continue }
            trial.count("lost")
            let numbers = "\(String(describing: found?.number)) in place of \(String(describing: expected[slot]))"
            trial.violate("round \(round): slot \(slot) is \(numbers) after the disk has recovered")
        }
    }

    private static func key(_ slot: Int) -> QueryKey { QueryKey("faults", slot) }
}

/// A client whose network fails before or after the server has done what was asked.
struct FlakyNetworkRound {
    /// What the server knows.
    private final class Server: Sendable {
        let values = Mutex<[String: Int]>([:])
        let times = Mutex<[String: Int]>([:])
        let isSound = Mutex(false)
    }

    let trial: Trial
    let round: Int
    var random: SeededRandom

    mutating func run() async throws {
        let server = Server()
        let dispatcher = try dispatcher(over: Self.network(server, seed: random.next()))
        let client = QueryClient()
        let observers = (0..<20).map { client.observe(Self.definition("\($0)", dispatcher)) }
        await withTaskGroup { group in
            for number in 0..<300 {
                let slot = "\(random.number(0..<20))"
                group.addTask {
                    _ = try? await client.mutate(Change(slot: slot, number: number, dispatcher: dispatcher))
                    _ = try? await client.fetch(Self.definition(slot, dispatcher))
                }
            }
        }
        server.isSound.withLock { $0 = true }
        await client.invalidate(.all)
        let values = server.values.withLock { $0 }
        for (slot, observer) in observers.enumerated() where observer.value != values["\(slot)", default: 0] {
            trial.count("lost")
            trial.violate(
                "round \(round): slot \(slot) shows \(String(describing: observer.value)), but the server has \(values["\(slot)", default: 0])"
            )
        }
        let repeated = server.times.withLock { $0.filter { $0.value > 1 } }
        if !repeated.isEmpty {
            trial.violate("round \(round): changes that may be made once were made again: \(repeated.count)")
        }
        trial.count("networks")
        trial.count("changes", 300)
    }

    private static func definition(_ slot: String, _ dispatcher: NetworkDispatcher) -> QueryDefinition<Int> {
        QueryDefinition(QueryKey("slots", slot)) { _ in
            try await dispatcher.value(Int.self, from: .get("/slots/\(slot)"))
        }
    }

    private static func network(_ server: Server, seed: UInt64) -> MockTransport {
        let random = Mutex(SeededRandom(seed))
        let mock = MockTransport()
        @Sendable func mayFail() throws {
            guard !server.isSound.withLock({ $0 }), random.withLock({ $0.chance(3) }) else { return }
            throw URLError(.networkConnectionLost)
        }
        mock.answer(.get, "/slots/:slot") { _, values in
            try mayFail()
            let number = server.values.withLock { $0[values["slot"] ?? "", default: 0] }
            try mayFail()
            return try .json(number)
        }
        mock.answer(.post, "/slots/:slot/:number") { _, values in
            try mayFail()
            let slot = values["slot"] ?? ""
            server.values.withLock { $0[slot] = Int(values["number"] ?? "") }
            server.times.withLock { $0[values["number"] ?? "", default: 0] += 1 }
            try mayFail()
            return .text("done")
        }
        return mock
    }

    private struct Change: Mutating {
        let slot: String
        let number: Int
        let dispatcher: NetworkDispatcher

        var scope: String? { slot }
        var retry: RetryPolicy { .standard }

        func run(_ context: MutationContext) async throws {
            try await dispatcher.send(BasicRequest(method: .post, path: "/slots/\(slot)/\(number)"))
        }

        func optimistic(_ edits: inout OptimisticEdits) {
            let number = number
            edits.set(number, for: QueryDefinition<Int>.value(QueryKey("slots", slot)))
        }

        func invalidates(_ output: Void) -> [KeyFilter] { [.key(QueryKey("slots", slot))] }
    }
}
