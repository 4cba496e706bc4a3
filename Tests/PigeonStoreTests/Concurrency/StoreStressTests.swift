import Foundation
import PigeonStore
import PigeonTesting
import TestSupport
import Testing

/// Many tasks on few keys, with real threads. No test waits for time to pass: each wait is for a condition that must
/// become true.
@Suite("Many tasks at once on stores", .serialized, .timeLimit(.minutes(2)))
struct StoreStressTests {
    /// Number of seeds with which each program runs. `PIGEON_SEEDS` sets another number.
    private static let seeds = seedCount(default: 4)
    private static let keys = 3

    private func run(
        _ seed: Int, tasks: Int = 6, rounds: Int = 40, _ body: @escaping @Sendable (SeededRandom) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    let random = SeededRandom(seed: UInt64(seed * 100 + task))
                    for _ in 0..<rounds { await body(random) }
                }
            }
        }
    }

    @Test("however many ask at once, a key has one fetch at a time, and all are answered", arguments: 0..<seeds)
    func singleFlight(_ seed: Int) async throws {
        let world = TextWorld(isReliable: true)
        let failures = Locked(0)
        await run(seed) { random in
            let store = world.store(random.below(Self.keys))
            switch random.below(5) {
            case 0: await store.validate()
            case 1: await store.refresh()
            case 2: for await state in store.publish(forceRefresh: true) where !state.isLoading { break }
            case 3: StoreLog(store, forceRefresh: random.once(in: 2)).cancel()
            default:
                do { _ = try await store.requireData(from: random.once(in: 2) ? .both : .origin) } catch {
                    failures.withLock { $0 += 1 }
                }
            }
        }
        await world.settle(Self.keys)
        #expect(world.mostAtOnce == 1)
        #expect(failures.withLock { $0 } == 0)
        await until { world.isQuiet }  // another thread may be the last to release an observer
    }

    @Test("whatever is done at once, every call returns, and all see what the cache holds", arguments: 0..<seeds)
    func everything(_ seed: Int) async throws {
        let world = TextWorld(isReliable: false)
        let logs = (0..<Self.keys).map { key in (0..<2).map { _ in StoreLog(world.store(key)) } }
        let readings = Locked<[Task<Void, Never>]>([])
        await run(seed) { random in
            let key = random.below(Self.keys)
            await Self.act(on: world, world.store(key), random, readings)
        }
        for reading in readings.withLock({ $0 }) {
            reading.cancel()
            await reading.value
        }
        world.becomeReliable()
        await world.settle(Self.keys)
        for key in 0..<Self.keys {
            for log in logs[key] {
                try await until { try await log.last == world.cached(key) }
                #expect(log.words.allSatisfy { !$0.contains("CancellationError") })
                log.cancel()
            }
        }
        await until { world.isQuiet }  // another thread may be the last to release an observer
    }

    private static func act(
        on world: TextWorld, _ store: AnyStoreFlowable<Int, String>, _ random: SeededRandom,
        _ readings: borrowing Locked<[Task<Void, Never>]>
    ) async {
        switch random.below(16) {
        case 0: await store.validate()
        case 1: await store.refresh()
        case 2: _ = try? await store.requireData()
        case 3: _ = try? await store.requireData(from: .origin)
        case 4: _ = try? await store.requireData(from: .cache)
        case 5: await store.update(newData: "mine \(random.next())")
        case 6: await store.clear()
        case 7: await world.client.invalidate(.key(store.queryKey))
        case 8: await world.client.invalidate(.path(world.cacher.queryKey), refetch: .all)
        case 9 where random.once(in: 3): world.client.cancel(.key(store.queryKey))
        case 10 where random.once(in: 4): world.client.remove(.key(store.queryKey))
        case 11 where random.once(in: 8): world.client.reset(.key(store.queryKey))
        case 12:
            let log = StoreLog(store, forceRefresh: random.once(in: 2))
            await Task.yield()
            log.cancel()
        case 13:
            for await state in store.publish(forceRefresh: random.once(in: 2)) where !state.isLoading { break }
        case 14:
            let task = Task {
                if random.once(in: 2) { await store.refresh() } else { await store.update(newData: "cancelled") }
            }
            if random.once(in: 2) { await Task.yield() }
            task.cancel()
            await task.value
        default:
            let task = Task { for await _ in store.publish() where Task.isCancelled { return } }
            readings.withLock { $0.append(task) }
        }
    }

    @Test("an update that succeeded is what is cached: no fetch asked before takes its place", arguments: 0..<seeds)
    func updates(_ seed: Int) async throws {
        let world = TextWorld(isReliable: true)
        let store = world.store(0)
        await store.validate()
        let log = StoreLog(store)
        let isOver = Watched(false)
        let lost = Watched<[String]>([])
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<3 {
                group.addTask {
                    let random = SeededRandom(seed: UInt64(seed * 100 + task))
                    // None of these calls fetches, because the cached data is valid.
                    while !isOver.value {
                        await Task.yield()
                        switch random.below(4) {
                        case 0: await store.validate()
                        case 1: _ = try? await store.requireData(from: .cache)
                        case 2: StoreLog(store).cancel()
                        default: await world.client.invalidate(.path("other"))
                        }
                    }
                }
            }
            for number in 0..<40 {
                let before = world.fetches
                let refresh = Task { await store.refresh() }
                await until { world.fetches > before }
                await store.update(newData: "mine \(number)")
                let cached = try? await world.cached(0)
                if cached != "mine \(number)" { lost.update { $0.append("\(number): \(cached ?? "nothing")") } }
                await refresh.value
            }
            isOver.update { $0 = true }
        }
        #expect(lost.value == [])
        await until { log.last == "mine 39" }
        log.cancel()
    }

    @Test("nothing that was asked before a clear is cached after it", arguments: 0..<seeds)
    func clears(_ seed: Int) async throws {
        let world = TextWorld(isReliable: true)
        let log = StoreLog(world.store(0))
        let isOver = Watched(false)
        let wrong = Watched<[String]>([])
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<3 {
                group.addTask {
                    let random = SeededRandom(seed: UInt64(seed * 100 + task))
                    while !isOver.value {
                        await Task.yield()
                        switch random.below(3) {
                        case 0: await world.store(0).refresh()
                        case 1: await world.store(0).validate()
                        default: StoreLog(world.store(0)).cancel()
                        }
                    }
                }
            }
            for _ in 0..<20 {
                let user = world.changeUser()
                if seed.isMultiple(of: 2) { await world.store(0).clear() } else { _ = try? await world.client.clear() }
                for _ in 0..<10 {
                    let cached = try? await world.cached(0)
                    if let cached, TextWorld.user(of: cached) < user { wrong.update { $0.append(cached) } }
                    await Task.yield()
                }
            }
            isOver.update { $0 = true }
        }
        #expect(wrong.value == [])
        log.cancel()
    }

    @Test("pages of two generations are never mixed, and none is missing or comes twice", arguments: 0..<seeds)
    func lists(_ seed: Int) async throws {
        let world = ListWorld()
        let logs = (0..<3).map { _ in StoreLog(world.list()) { world.check($0.content) } }
        await run(seed) { random in
            await Self.act(on: world, random)
            world.check(try? await world.cacher.loadData(param: 0))
        }
        world.becomeReliable()
        await until { world.client.entries().allSatisfy { $0.activity == .idle } }
        await world.list().validate()
        await until { world.client.entries().allSatisfy { $0.activity == .idle } }
        _ = await world.list().getData(from: .cache)
        #expect(world.broken == [])
        for log in logs {
            try await until { try await log.last?.hasPrefix("\(world.cacher.loadData(param: 0) ?? [])") == true }
            log.cancel()
        }
        #expect(
            world.client.inspect().entries.values.allSatisfy { $0.entry.callers.allSatisfy { $0.target == .whole } })
    }

    private static func act(on world: ListWorld, _ random: SeededRandom) async {
        let list = world.list()
        switch random.below(14) {
        case 0...3: await list.requestNextData(continueWhenError: random.once(in: 2))
        case 4...6: await list.requestPrevData()
        case 7: await list.refresh()
        case 8: await list.validate()
        case 9: await world.client.invalidate(.all)
        case 10:
            let task = Task { _ = await list.requestNextData() }
            if random.once(in: 2) { await Task.yield() }
            task.cancel()
            await task.value
        case 11 where random.once(in: 4): world.client.cancel(.all)
        case 12 where random.once(in: 6): await list.clear()
        default:
            for await state in list.publish() {
                world.check(state.content)
                if !state.isLoading { break }
            }
        }
    }
}
