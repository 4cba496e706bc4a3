internal import ArgumentParser
internal import Foundation
internal import PigeonCore
import PigeonOutbox
internal import PigeonHTTP
internal import PigeonSQLite
internal import Synchronization

/// A program that changes things by an outbox, and reports each step, until it is killed.
struct OutboxProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @Option var file: String
    @Option var port: Int
    @Option var scene: String
    @Option var seed: UInt64
    /// The number of the first change.
    @Option var first: Int
    /// Makes what waits, and nothing else.
    @Flag var drains = false

    func run() async throws {
        let user = try RigUser(file: file, port: port, scene: scene, seed: seed, first: first)
        if drains { try await user.drain() } else { await user.work() }
    }
}

/// Uses an outbox as a program's screens do: from several tasks, without care for what the others do.
struct RigUser: Sendable {
    static let leaseTime = Duration.milliseconds(200)
    static let places = 5
    /// The most changes of one program.
    static let mostChanges = 5000

    private let client: QueryClient
    private let diary: Diary
    private let seed: UInt64
    private let first: Int
    private let numbers: Numbers
    private let parent = getppid()

    /// Numbers the changes of one program.
    private final class Numbers: Sendable {
        private let last: Mutex<Int>

        init(first: Int) { last = Mutex(first - 1) }

        func next() -> Int {
            last.withLock { last in
                last += 1
                return last
            }
        }
    }

    init(file: String, port: Int, scene: String, seed: UInt64, first: Int) throws {
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw ValidationError("no address") }
        let diary = Diary()
        let server = RigServer(dispatcher: NetworkDispatcher(baseURL: url), scene: scene, diary: diary)
        let store = try SQLiteMutationStore(at: URL(fileURLWithPath: file))
        client = QueryClient(
            outbox: Outbox.Setup(store: store, mutations: [RigChange.self], leaseTime: Self.leaseTime),
            dependencies: Dependencies(server))
        (self.diary, self.seed, self.first, numbers) = (diary, seed, first, Numbers(first: first))
        for problem in client.outbox.snapshot.problems { diary.note("problem \(problem)") }
        diary.note("ready")
    }

    /// Makes all that waits, after mending what the server refuses.
    @concurrent
    func drain() async throws {
        // A change that is made by a process that was stopped counts as one that waits.
        while !client.outbox.snapshot.isEmpty, getppid() == parent {
            client.outbox.resume()
            for item in client.outbox.snapshot.setAside { await mend(item) }
            await client.outbox.drain(within: .seconds(1))
            if client.outbox.snapshot.waiting.isEmpty { continue }
            try await Task.sleep(for: .milliseconds(5))
        }
        for problem in client.outbox.snapshot.problems { diary.note("problem \(problem)") }
        diary.note("drained")
    }

    /// Works until the rig ends, or kills this process.
    @concurrent
    func work() async {
        await withTaskGroup { group in
            for place in 0..<Self.places {
                group.addTask {
                    var random = SeededRandom(seed, first, place)
                    while isWanted {
                        let number = numbers.next()
                        guard number < first + Self.mostChanges else { return }
                        await enqueue(number, at: place, &random)
                        try? await Task.sleep(for: .milliseconds(random.number(0..<30)))
                    }
                }
            }
            group.addTask {
                var random = SeededRandom(seed, first, -1)
                while isWanted {
                    await decide(&random)
                    try? await Task.sleep(for: .milliseconds(random.number(0..<12)))
                }
            }
            group.addTask {
                var random = SeededRandom(seed, first, -2)
                while isWanted {
                    try? await Task.sleep(for: .milliseconds(random.number(0..<1000)))
                    await clear()
                }
            }
        }
    }

    /// False once the rig has ended.
    private var isWanted: Bool { getppid() == parent }

    private func enqueue(_ number: Int, at place: Int, _ random: inout SeededRandom) async {
        var change = RigChange(ids: [number], place: place)
        if random.chance(12) { change.kind = .bad }
        if random.chance(10) { change.kind = .stale }
        if place == 4 || random.chance(4) { change.kind = .folding }
        diary.note("enqueue \(number)")
        if isSabotaged, number % 7 == 0 { return diary.note("accepted \(number)") }
        do {
            _ = try await client.enqueue(change)
            diary.note("accepted \(number)")
        } catch { diary.note("refused \(number) \(error)") }
    }

    /// Does one of the things that a user decides.
    private func decide(_ random: inout SeededRandom) async {
        let snapshot = client.outbox.snapshot
        switch random.number(0..<54) {
        case 0..<20: if let item = snapshot.setAside.randomElement(using: &random) { await mend(item) }
        case 20..<28:
            guard let item = snapshot.setAside.randomElement(using: &random) else { return }
            try? await client.outbox.retry(item.id)
        case 28..<34:
            guard let item = snapshot.waiting.randomElement(using: &random) else { return }
            try? await client.outbox.retry(item.id)
        case 34..<42: if let item = snapshot.waiting.randomElement(using: &random) { await mend(item) }
        case 42..<46:
            guard let item = (snapshot.waiting + snapshot.setAside).randomElement(using: &random) else { return }
            await discard(item)
        case 46..<50: await client.outbox.drain(within: .milliseconds(30))
        default: client.outbox.resume()
        }
    }

    private func clear() async {
        diary.note("clearing")
        do {
            try await client.clear()
            diary.note("cleared")
        } catch { diary.note("problem clear: \(error)") }
    }

    /// Edits a change, so that the server accepts it.
    private func mend(_ item: OutboxItem) async {
        let edited = Mutex<RigChange?>(nil)
        do {
            try await client.outbox.edit(item.id, as: RigChange.self) { change in
                change.version += 1
                if change.kind != .folding { change.kind = .plain }
                let change = change
                edited.withLock { $0 = change }
            }
        } catch { return }
        guard let edited = edited.withLock({ $0 }) else { return }
        diary.note("edited \(edited.version) \(Diary.text(edited.ids))")
    }

    private func discard(_ item: OutboxItem) async {
        // Other changes may fold into one of that kind until it is discarded.
        guard let change = item.mutation as? RigChange, change.kind != .folding else { return }
        diary.note("discarding \(Diary.text(change.ids))")
        do {
            try await client.outbox.discard(item.id)
            diary.note("discarded \(Diary.text(change.ids))")
        } catch { diary.note("undiscarded \(Diary.text(change.ids))") }
    }
}
