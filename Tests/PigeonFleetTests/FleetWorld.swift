import Foundation
import PigeonCore
import PigeonFleet
import PigeonTesting
import TestSupport

/// A world in which the members of a fleet fetch, observe and change stock, leave and start again, while their store, their
/// links to it and the server fail. A seed decides what happens.
final class FleetWorld: RandomWorld {
    private let random: SeededRandom
    private let lab: QueryLab
    private let store: InMemoryFleetStore
    private let shop: Shop
    private var members: [Member] = []
    private let bound = Duration.seconds(4)
    /// False for a world in which only the server fails.
    private let hasFaults: Bool

    var log: [String] = []
    var problem: String?

    private struct Member {
        let client: QueryClient
        let link: PausableStore
        var observers: [QueryObserver<Int>] = []
    }

    /// A change of which a member was told that the others can know it.
    private struct Told {
        let id: Int
        let count: Int
        let at: MonotonicInstant
    }

    private var told: [Told] = []
    private var telling: [(id: Int, count: Int, task: LabTask<Bool>)] = []
    private var fetches: [(text: String, needed: Int, task: LabTask<Int>)] = []

    private static let ids = 0..<3

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        lab = QueryLab(seed: seed)
        hasFaults = seed % 3 != 0
        store = InMemoryFleetStore(clock: lab.clock, logLength: 12)
        shop = Shop(clock: lab.clock)
        for _ in 0..<3 { members.append(start()) }
    }

    private func note(_ text: String) { log.append("\(lab.clock.now().nanoseconds / 1_000_000) ms: \(text)") }

    private func start() -> Member {
        let link = PausableStore(store)
        let client = QueryClient(
            fleet: Fleet.Setup(store: link, staleBound: bound), environment: lab.environment)
        return Member(client: client, link: link)
    }

    private func stock(_ id: Int) -> QueryDefinition<Int> {
        QueryDefinition("stock", id) { [shop] _ in try await shop.count(of: id) }
            .staleAfter(.seconds(id == 0 ? 5 : 600)).refreshEarly(by: .seconds(1)).rememberFailures(for: .seconds(1))
            .fetchAtMostEvery(id == Shop.spacedID ? Shop.interval : .zero).retry(.never).tagged("shop").shared()
    }

    // MARK: Steps

    func step() {
        let (index, id) = (random.below(members.count), random.below(Self.ids.count))
        switch random.below(hasFaults ? 24 : 16) {
        case 0..<5: fetch(id, index, random.pick([.fresh, .staleWhileRevalidate(), .staleIfError()]) ?? .fresh)
        case 5, 6: observe(id, index)
        case 7: members[index].observers = []
        case 8..<11: change(id, index)
        case 11: write(id, index)
        case 12:
            shop.latency = .milliseconds(random.below(4) * 700)
            note("the server takes \(shop.latency)")
        case 13:
            shop.isDown.toggle()
            note(shop.isDown ? "the server is down" : "the server is back")
        case 14, 15: wait(.milliseconds(1 + random.below(3000)))
        case 16: fetch(id, index, .networkOnly)
        case 17:
            members[index].link.isPaused.toggle()
            note("\(index) is \(members[index].link.isPaused ? "cut off" : "connected")")
        case 18:
            store.fault = random.pick([.unreachable, .hangs, .readOnly])
            note("the store is \(store.fault.map { "\($0)" } ?? "well")")
        case 19, 20:
            store.fault = nil
            note("the store is well")
        case 21:
            store.erase()
            note("the store has lost its content")
        case 22:
            // Changes that it has not told yet are lost with it.
            note("\(index) is killed")
            members[index].link.isPaused = true
            members[index] = start()
        default:
            members[index].client.remove(.key("stock", id))
            note("\(index) removes \(id)")
        }
        lab.settle()
    }

    private func fetch(_ id: Int, _ index: Int, _ policy: FetchPolicy) {
        let (client, stock) = (members[index].client, stock(id))
        let name = policy == .fresh ? "fresh" : policy == .networkOnly ? "network only" : "stale, too"
        let text = "fetch of \(id) in \(index), \(name)"
        note(text)
        // A caller who accepts old values may get any if the server is down.
        let needed = policy == .fresh || policy == .networkOnly ? needed(id, in: members[index]) : 0
        fetches.append((text, needed, lab.start { try await client.fetch(stock, policy) }))
    }

    private func observe(_ id: Int, _ index: Int) {
        note("\(index) observes \(id)")
        members[index].observers.append(members[index].client.observe(stock(id)))
    }

    /// The server's stock changes, and a webhook tells a member.
    private func change(_ id: Int, _ index: Int) {
        let (client, stock, count) = (members[index].client, stock(id), shop.change(id))
        note("\(id) is \(count), \(index) is told")
        let filter = random.once(in: 4) ? KeyFilter.tag("shop") : .query(stock)
        let task = lab.start {
            await client.invalidate(filter, refetch: .none)
            return await client.flush().isEmpty
        }
        telling.append((id, count, task))
    }

    /// A member changes the server's stock, and writes what it is now.
    private func write(_ id: Int, _ index: Int) {
        let (client, count) = (members[index].client, shop.change(id))
        note("\(index) writes \(count) to \(id)")
        try? client.set(count, for: stock(id))
        telling.append((id, count, lab.start { await client.flush().isEmpty }))
    }

    private func wait(_ time: Duration) {
        note("wait")
        lab.advance(by: time)
    }

    // MARK: Checks

    /// The least count that a member may show as fresh.
    private func needed(_ id: Int, in member: Member) -> Int {
        let isWell = store.fault == nil && !member.link.isPaused && member.client.fleet?.isConnected == true
        let limit = isWell ? lab.clock.now() : lab.clock.now().advanced(by: .zero - bound)
        return told.filter { $0.id == id && $0.at <= limit }.map(\.count).max() ?? 0
    }

    func check() {
        collect()
        for (index, member) in members.enumerated() {
            for id in Self.ids {
                let snapshot = member.client.snapshot(of: stock(id))
                guard let value = snapshot.value, !snapshot.isStale else { continue }
                let needed = needed(id, in: member)
                if value < needed { found("A76: \(index) shows \(value) of \(id) as fresh, and \(needed) was told") }
            }
        }
        if !hasFaults, shop.isAskedTooSoon { found("A86: the server was asked too soon for \(Shop.spacedID)") }
        if !hasFaults, let twice = shop.twice { found("A73: the server was asked twice at a time for \(twice)") }
    }

    private func collect() {
        telling.removeAll { call in
            guard let result = call.task.result else { return false }
            if (try? result.get()) == true {
                note("\(call.count) of \(call.id) is told")
                told.append(Told(id: call.id, count: call.count, at: lab.clock.now()))
            }
            return true
        }
        fetches.removeAll { call in
            guard let result = call.task.result else { return false }
            if let value = try? result.get(), value < call.needed {
                found("A74: \(call.text) brought \(value), and \(call.needed) was told before it")
            }
            return true
        }
    }

    /// Everything works again: all that was asked for ends, and all members know the last counts.
    func finish() {
        note("all is well")
        store.fault = nil
        (shop.isDown, shop.latency) = (false, .zero)
        for member in members { member.link.isPaused = false }
        lab.advance(by: .seconds(30))
        check()
        if let late = fetches.first { found("\(late.text) has not ended") }
        if !telling.isEmpty { found("an invalidation has not ended") }
        for member in members where member.client.fleet?.isConnected != true { found("a member is not connected") }
        for id in Self.ids { change(id, random.below(members.count)) }
        lab.settle()
        collect()
        let asked = shop.requestCount
        for index in members.indices { for id in Self.ids { fetch(id, index, .fresh) } }
        lab.advance(by: .seconds(5))
        check()
        for (index, member) in members.enumerated() {
            for id in Self.ids where member.client.snapshot(of: stock(id)).value != shop.counts[id] {
                found("\(index) does not have the last count of \(id)")
            }
        }
        let requests = shop.requestCount - asked
        if requests > 2 * Self.ids.count { found("A74: \(requests) requests for \(Self.ids.count) keys") }
    }
}

/// The server of all members. What it answers is as old as the request.
private final class Shop: Sendable {
    private struct State {
        var counts: [Int: Int] = [:]
        /// Number of changes so far. Each can ask for all keys anew.
        var changes = 0
        /// For each key, the numbers of changes at which requests began that are being answered.
        var running: [Int: [Int]] = [:]
        var twice: Int?
        var spacedAt: MonotonicInstant?
        var isAskedTooSoon = false
        var requestCount = 0
        var latency = Duration.zero
        var isDown = false
    }

    private let state = Locked(State())
    private let clock: any QueryClock

    /// A key for which requests have an interval.
    static let spacedID = 1
    static let interval = Duration.milliseconds(300)

    init(clock: any QueryClock) { self.clock = clock }

    var latency: Duration {
        get { state.withLock { $0.latency } }
        set { state.withLock { $0.latency = newValue } }
    }
    var isDown: Bool {
        get { state.withLock { $0.isDown } }
        set { state.withLock { $0.isDown = newValue } }
    }
    var requestCount: Int { state.withLock { $0.requestCount } }
    /// A key that was asked for twice at a time, between two changes.
    var twice: Int? { state.withLock { $0.twice } }

    var isAskedTooSoon: Bool { state.withLock { $0.isAskedTooSoon } }
    var counts: [Int: Int] { state.withLock { $0.counts } }

    /// Changes a count, and returns it.
    func change(_ id: Int) -> Int {
        state.withLock { state in
            state.changes += 1
            state.counts[id, default: 0] += 1
            return state.counts[id] ?? 0
        }
    }

    func count(of id: Int) async throws -> Int {
        let (count, change, latency, isDown) = state.withLock { state in
            state.requestCount += 1
            if id == Self.spacedID {
                let now = clock.now()
                if let last = state.spacedAt, last.duration(to: now) < Self.interval { state.isAskedTooSoon = true }
                state.spacedAt = now
            }
            if state.running[id]?.contains(state.changes) == true { state.twice = id }
            state.running[id, default: []].append(state.changes)
            return (state.counts[id] ?? 0, state.changes, state.latency, state.isDown)
        }
        defer {
            state.withLock { state in
                if let index = state.running[id]?.firstIndex(of: change) { state.running[id]?.remove(at: index) }
            }
        }
        try await clock.sleep(for: latency)
        if isDown { throw URLError(.cannotConnectToHost) }
        return count
    }
}
