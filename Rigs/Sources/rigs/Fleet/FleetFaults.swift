internal import ArgumentParser
internal import Foundation
internal import NIOCore
internal import PigeonCore
import PigeonFleet
internal import PigeonRedis
internal import Synchronization

/// Lets the store of a fleet fail in every way that a server on a network can.
struct FleetFaults: Rig {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract:
            "Kills, pauses, slows, fills and cuts off the Redis of a fleet: no member shows for long what another has invalidated, and the origin is spared."
    )

    @OptionGroup var options: RigOptions

    @concurrent
    static func attack(_ trial: Trial) async throws {
        for figure in ["reads", "invalidations", "requests", "stale", "failed"] { trial.count(figure, 0) }
        let scene = try await FleetScene(trial)
        var random = SeededRandom(trial.seed)
        var faults: [FleetFault] = []
        var round = 0
        repeat {
            round += 1
            if faults.isEmpty { faults = FleetFault.allCases.shuffled(using: &random) }
            try await scene.run(faults.removeLast(), round: round, &random)
        } while !trial.isOver
        await scene.end()
    }
}

/// A way in which the store fails.
enum FleetFault: String, CaseIterable {
    case none, killed, emptied, paused, delayed, tooSlow, full, readOnly, cutOff, cutOffInFetch
}

/// The values of the origin, and the changes of which the members were told.
private final class Origin: Sendable {
    private struct State {
        var versions: [Int: Int] = [:]
        var told: [Int: [(version: Int, at: ContinuousClock.Instant)]] = [:]
        var requests = 0
    }

    private let state = Mutex(State())
    static let keys = 0..<20

    var requests: Int { state.withLock { $0.requests } }

    func answer(_ key: Int) async throws -> Int {
        let version = state.withLock { state in
            state.requests += 1
            return state.versions[key] ?? 0
        }
        try await Task.sleep(for: .milliseconds(5))
        return version
    }

    func change(_ key: Int) -> Int {
        state.withLock { state in
            state.versions[key, default: 0] += 1
            return state.versions[key] ?? 0
        }
    }

    func noteTold(_ key: Int, _ version: Int) {
        state.withLock { $0.told[key, default: []].append((version, .now)) }
    }

    /// The longest time before `now` at which members were told of a newer version than this one. `nil` if they were not.
    func age(of version: Int, _ key: Int, at now: ContinuousClock.Instant) -> Duration? {
        let told = state.withLock { $0.told[key]?.filter { $0.version > version }.map(\.at).min() }
        return told.map { now - $0 }
    }
}

private struct FleetScene {
    /// The bound that the members are given, and the time that a busy machine may take on top.
    private static let bound = Duration.seconds(3)
    private static let slack = Duration.milliseconds(700)

    private let trial: Trial
    private let server: RedisServer
    private let wires: [SlowWire]
    private let members: [QueryClient]
    private let origin = Origin()
    /// Tells the members of changes, over a connection of its own.
    private let teller: RedisStore

    init(_ trial: Trial) async throws {
        self.trial = trial
        server = try await RedisServer()
        var (wires, members) = ([SlowWire](), [QueryClient]())
        for _ in 0..<4 {
            let wire = try await SlowWire(to: server.port)
            let store = try RedisStore("redis://127.0.0.1:\(wire.port)")
            let setup = Fleet.Setup(
                store: store, staleBound: Self.bound, callLimit: .milliseconds(200), leaseTime: .seconds(1))
            wires.append(wire)
            members.append(QueryClient(fleet: setup))
        }
        (self.wires, self.members) = (wires, members)
        teller = try RedisStore(server.address)
        await connect(round: 0)
    }

    func end() async {
        for wire in wires { await wire.stop() }
        server.kill()
    }

    /// Reads and invalidates while the store fails, and after it has recovered.
    func run(_ fault: FleetFault, round: Int, _ random: inout SeededRandom) async throws {
        let requests = origin.requests
        let seeds = (0..<9).map { _ in random.next() }
        let cut = random.number(0..<members.count)
        let time = Duration.milliseconds(fault == .none ? 1000 : 4000)
        let changes = try await withThrowingTaskGroup(of: Int.self) { group in
            let end = ContinuousClock.now + time
            for (index, seed) in seeds.dropLast().enumerated() {
                group.addTask {
                    try await read(members[index % members.count], fault, round, seed, until: end)
                    return 0
                }
            }
            group.addTask { try await change(seeds[8], until: end) }
            group.addTask {
                try await Task.sleep(for: .milliseconds(300))
                try begin(fault, cut)
                try await Task.sleep(for: time - .milliseconds(1000))
                try await finish(fault)
                return 0
            }
            return try await group.reduce(0, +)
        }
        await connect(round: round)
        let asked = origin.requests - requests
        trial.count("requests", asked)
        if fault == .none, asked > changes * 5 / 4 + Origin.keys.count {
            trial.violate("round \(round): \(asked) requests for \(changes) changes")
        }
    }

    private func begin(_ fault: FleetFault, _ cut: Int) throws {
        switch fault {
        case .none: break
        case .killed: server.kill()
        case .emptied: try server.run("FLUSHALL")
        case .paused: server.signal(SIGSTOP)
        case .delayed: for wire in wires { wire.delay(by: .milliseconds(20)) }
        case .tooSlow: for wire in wires { wire.delay(by: .milliseconds(300)) }
        case .full: try server.run("CONFIG", "SET", "maxmemory", "1")
        case .readOnly: try server.run("REPLICAOF", "127.0.0.1", "1")
        case .cutOff: wires[cut].cut()
        case .cutOffInFetch: for wire in wires.dropFirst() { wire.cut() }
        }
    }

    private func finish(_ fault: FleetFault) async throws {
        switch fault {
        case .none, .emptied: break
        case .killed: try await server.start()
        case .paused: server.signal(SIGCONT)
        case .full: try server.run("CONFIG", "SET", "maxmemory", "0")
        case .readOnly: try server.run("REPLICAOF", "NO", "ONE")
        case .delayed, .tooSlow, .cutOff, .cutOffInFetch: for wire in wires { wire.mend() }
        }
    }

    private func definition(_ key: Int) -> QueryDefinition<Int> {
        QueryDefinition("rigs", key) { [origin] _ in try await origin.answer(key) }
            .staleAfter(.seconds(600)).shared()
    }

    private func read(
        _ client: QueryClient, _ fault: FleetFault, _ round: Int, _ seed: UInt64, until end: ContinuousClock.Instant
    ) async throws {
        var random = SeededRandom(seed)
        while ContinuousClock.now < end {
            let (key, start) = (random.number(Origin.keys), ContinuousClock.now)
            do {
                let version = try await client.fetch(definition(key))
                trial.count("reads")
                if let age = origin.age(of: isSabotaged ? version - 1 : version, key, at: start) {
                    trial.count("stale")
                    trial.raise("ms stale at most", to: Int(age / .milliseconds(1)))
                    if age > Self.bound + Self.slack {
                        trial.violate("round \(round), \(fault): a value was read \(age) after it was invalidated")
                    }
                }
            } catch {
                trial.count("failed")
                trial.violate("round \(round), \(fault): a read failed: \(error)")
            }
            let took = Int((ContinuousClock.now - start) / .milliseconds(1))
            trial.raise("ms for a read at most", to: took)
            if took > 3000 { trial.violate("round \(round), \(fault): a read took \(took) ms") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Changes values, and tells the members of it as soon as the store takes it.
    private func change(_ seed: UInt64, until end: ContinuousClock.Instant) async throws -> Int {
        var random = SeededRandom(seed)
        var count = 0
        while ContinuousClock.now < end {
            let key = random.number(Origin.keys)
            let version = origin.change(key)
            while !(await tell(key)) {
                guard ContinuousClock.now < end else { return count }
                try await Task.sleep(for: .milliseconds(20))
            }
            origin.noteTold(key, version)
            trial.count("invalidations")
            count += 1
            try await Task.sleep(for: .milliseconds(30))
        }
        return count
    }

    private func tell(_ key: Int) async -> Bool {
        let call = Task { try await teller.publish([.stale(.key(definition(key).key))], by: "teller") }
        let limit = Task {
            try await Task.sleep(for: .milliseconds(200))
            call.cancel()
        }
        defer { limit.cancel() }
        return (try? await call.value) != nil
    }

    /// Waits until all members use the store again.
    private func connect(round: Int) async {
        let end = ContinuousClock.now + .seconds(15)
        while !members.allSatisfy({ $0.fleet?.isConnected ?? false }) {
            guard ContinuousClock.now < end else {
                return trial.violate("round \(round): a member has not come back to the store")
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }
}
