import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

/// Many tasks on few keys, with real threads and a real clock. No test waits for time to pass: each wait is for a
/// condition that must become true.
@Suite("Many tasks at once", .serialized, .timeLimit(.minutes(5)))
struct StressTests {
    /// A value that many tasks share.
    private final class Shared<Value: Sendable>: Sendable {
        private let state: Locked<Value>
        init(_ value: Value) { state = Locked(value) }
        func withLock<Result>(_ body: (inout Value) -> Result) -> Result { state.withLock(body) }
    }

    /// Checks that the versions that an observer receives never decrease.
    private final class Witness: Sendable {
        private let state = Shared((last: UInt64(0), count: 0, wentBack: false))

        func see(_ version: UInt64) {
            state.withLock { state in
                if version <= state.last { state.wentBack = true }
                state.last = max(state.last, version)
                state.count += 1
            }
        }

        var last: UInt64 { state.withLock { $0.last } }
        var wentBack: Bool { state.withLock { $0.wentBack } }
    }

    private final class Weak<Object: AnyObject & Sendable>: @unchecked Sendable {  // set once; weak loads are atomic
        weak var object: Object?
        init(_ object: Object) { self.object = object }
    }

    @Test("however many ask at once, a key has one fetch, and all get its answer", .rule("T28"))
    func singleFlight() async throws { try await Self.singleFlight(.onThreads()) }

    static func singleFlight(_ crowd: Crowd) async throws {
        let client = QueryClient(environment: crowd.environment)
        let running = Shared([Int](repeating: 0, count: 4))
        let most = Shared(0)
        let total = Shared(0)
        let definitions = (0..<4).map { index in
            QueryDefinition("users", index) { _ -> Int in
                let now = running.withLock { running in
                    running[index] += 1
                    return running[index]
                }
                most.withLock { $0 = max($0, now) }
                for _ in 0..<3 { await Task.yield() }
                running.withLock { $0[index] -= 1 }
                return total.withLock { total in
                    total += 1
                    return total
                }
            }
        }
        let failures = Shared(0)
        await crowd.act { random in
            let definition = definitions[random.below(4)]
            do { _ = try await client.fetch(definition) } catch { failures.withLock { $0 += 1 } }
        }
        #expect(most.withLock { $0 } == 1, "\(crowd)")
        #expect(failures.withLock { $0 } == 0, "\(crowd)")
        #expect(total.withLock { $0 } <= crowd.tasks * crowd.rounds, "\(crowd)")
        #expect(client.inspect().entries.values.allSatisfy { $0.entry.callers.isEmpty && !$0.isRunning }, "\(crowd)")
    }

    @Test("No caller waits for ever, and no observer goes back or misses the last version, whatever is done at once")
    func everything() async throws { try await Self.everything(.onThreads()) }

    static func everything(
        _ crowd: Crowd, hear: @escaping @Sendable (QueryEvent) -> Void = { _ in }
    ) async throws {
        let freed = Weak(try await everythingAtOnce(crowd, hear))
        await crowd.until { freed.object == nil }
    }

    private static func everythingAtOnce(
        _ crowd: Crowd, _ hear: @escaping @Sendable (QueryEvent) -> Void
    ) async throws -> QueryClient {
        let store = RecordStoreDouble()
        let environment = crowd.environment
        let client = QueryClient(cache: store, budget: 100_000, environment: environment)
        let server = Server()
        let witnesses = (0..<4).map { _ in Witness() }
        let observers = witnesses.enumerated().map { index, witness in
            client.observe(server.value(index)) { witness.see($0.version) }
        }
        let events = Witness()
        let subscription = client.onEvent { event in
            events.see(event.sequence)
            hear(event)
        }
        let iterations = Shared<[Task<Void, Never>]>([])
        await crowd.act { random in await act(on: client, server, environment, random, iterations) }
        environment.connectivity.set(true)
        environment.activity.set(true)
        for iteration in iterations.withLock({ $0 }) {
            iteration.cancel()
            await iteration.value
        }
        await crowd.until { client.inspect().entries.values.allSatisfy { $0.entry.activity == .idle && !$0.isRunning } }
        #expect(client.inspect().entries.values.allSatisfy { $0.entry.layers.allSatisfy(\.isConfirmed) }, "\(crowd)")
        // One of the tasks may have cancelled the fetch that follows a confirmation.
        await client.invalidate("values")
        await client.flush()
        await crowd.until { client.inspect().entries.values.allSatisfy { $0.entry.activity == .idle && !$0.isRunning } }

        let inspection = client.inspect()
        #expect(inspection.pausedMutations == 0, "\(crowd)")
        #expect(inspection.mutationScopes == 0, "\(crowd)")
        for place in inspection.entries.values {
            #expect(place.entry.callers.isEmpty, "\(crowd)")
            // A confirmed change stays in its layer until the answer to a later request has landed.
            let mayBeLeft = place.entry.failure != nil
            #expect(place.entry.layers.allSatisfy { $0.isConfirmed && mayBeLeft }, "\(crowd)")
        }
        for (witness, observer) in zip(witnesses, observers) {
            await crowd.until { witness.last == observer.snapshot.version }
            #expect(!witness.wentBack, "\(crowd)")
        }
        #expect(!events.wentBack, "\(crowd)")
        subscription.cancel()
        for observer in observers { observer.cancel() }
        try await client.clear()
        #expect(store.keys.isEmpty, "\(crowd)")
        return client
    }

    /// A server with a few values and a list, which sometimes fails.
    private final class Server: Sendable {
        struct Busy: TransientErrorType { var statusCode: Int? { 503 } }
        private let count = Shared(0)

        private func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }

        func value(_ index: Int) -> QueryDefinition<Int> {
            QueryDefinition(QueryKey("values", index).tagged("all")) { [self] context in
                let number = next()
                if number.isMultiple(of: 3) { await Task.yield() }
                if number.isMultiple(of: 17) { context.yield(number) }
                if number.isMultiple(of: 11) { throw Busy() }
                return number / 2
            }
            .retry(RetryPolicy(limit: 1, delay: { _ in .zero }))
            .persisted()
        }

        func list() -> QueryDefinition<Pages<Int, Int>> {
            QueryDefinition<Pages<Int, Int>>.pages("list", first: 0, maxPages: 5) { [self] id, _ in
                await Task.yield()
                if next().isMultiple(of: 13) { throw Busy() }
                return id
            } next: { _, id in
                id < 20 ? id + 1 : nil
            } previous: { _, id in
                id > -20 ? id - 1 : nil
            }
            .persisted()
        }

        func mutation(_ index: Int, scope: String?) -> MutationPlan<Int> {
            MutationPlan(
                name: "Bump", scope: scope, retry: RetryPolicy(limit: 2, delay: { _ in .zero }), isIdempotent: true,
                networkMode: .always,
                run: { [self] _ in
                    await Task.yield()
                    if next().isMultiple(of: 5) { throw Busy() }
                    return index
                },
                optimistic: { [self] edits in edits.update(value(index)) { $0 += 1 } },
                succeeded: { [self] _, writes in writes.update(value(index)) { $0 += 1 } },
                invalidates: { _ in [.key("values", index)] })
        }
    }

    private static func act(
        on client: QueryClient, _ server: Server, _ environment: QueryEnvironment, _ random: SeededRandom,
        _ iterations: Shared<[Task<Void, Never>]>
    ) async {
        let index = random.below(4)
        let definition = server.value(index)
        switch random.below(22) {
        case 0: _ = try? await client.fetch(definition)
        case 1: _ = try? await client.refetch(definition)
        case 2: _ = try? await client.fetch(definition, .cacheFirst)
        case 3: try? client.set(random.below(100), for: definition, during: random.once(in: 2) ? .keep : .fetchWins)
        case 4: client.update(definition) { $0 += 1 }
        case 5: await client.invalidate(.tag("all"))
        case 6: await client.invalidate(.path("values").and(.where { !$0.key.components.isEmpty }), refetch: .none)
        case 7: client.cancel(.key("values", index))
        case 8: client.remove(.key("values", index))
        case 9: client.reset(random.once(in: 2) ? .key("values", index) : .key("list"))
        case 10:
            let witness = Witness()
            let observer = client.observe(definition) { witness.see($0.version) }
            await Task.yield()
            observer.observe(server.value(random.below(4)))
            _ = observer.snapshot
            observer.setEnabled(random.once(in: 2))
            observer.cancel()
        case 11: _ = try? await client.mutate(server.mutation(index, scope: nil)) { _ in }
        case 12: _ = try? await client.mutate(server.mutation(index, scope: "s\(index % 2)")) { _ in }
        case 13: _ = try? await client.fetchNextPage(of: server.list())
        case 14: _ = try? await client.fetchPreviousPage(of: server.list())
        case 15 where random.once(in: 3): _ = try? await client.restart(server.list())
        case 16: _ = try? await client.refetch(server.list())
        case 17: await client.flush()
        case 18:
            let task = environment.launch { _ = try? await client.refetch(definition) }
            if random.once(in: 2) { await Task.yield() }
            task.cancel()
            await task.value
        case 19 where random.once(in: 10): _ = try? await client.clear()
        case 20 where random.once(in: 10):
            let task = environment.launch {
                for await _ in client.observe(definition) where Task.isCancelled { return }
            }
            iterations.withLock { $0.append(task) }
        case 21:
            let signal = random.once(in: 2) ? environment.connectivity : environment.activity
            signal.set(false)
            client.dropUnobserved()
            signal.set(true)
        default: _ = client.entries().count + (client.value(of: definition) ?? 0)
        }
    }

    @Test("of many mutations at once on one value none is lost and none counts twice", .rule("A22"))
    func mutations() async throws { try await Self.mutations(.onThreads()) }

    static func mutations(_ crowd: Crowd) async throws {
        let client = QueryClient(environment: crowd.environment)
        let truth = Shared(0)
        let counter = QueryDefinition("counter") { _ in truth.withLock { $0 } }.staleAfter(.never)
        let observer = client.observe(counter)
        _ = try await client.fetch(counter)
        await crowd.act { random in
            let fails = random.once(in: 3)
            let plan = MutationPlan<Void>(
                name: "Increment", scope: nil, retry: .never, isIdempotent: false, networkMode: .always,
                run: { _ in
                    await Task.yield()
                    if fails { throw CancellationError() }
                    truth.withLock { $0 += 1 }
                },
                optimistic: { edits in edits.update(counter) { $0 += 1 } })
            try? await client.mutate(plan) { _ in }
        }
        #expect(observer.value == truth.withLock { $0 }, "\(crowd)")
        #expect(!observer.snapshot.isOptimistic, "\(crowd)")
    }

    @Test("whatever runs, nothing asked or changed before a clear is there after it", .rule("A31", "E16"))
    func clears() async throws { try await Self.clears(.onThreads(), clears: 50) }

    static func clears(_ crowd: Crowd, clears: Int) async throws {
        let store = RecordStoreDouble()
        let client = QueryClient(cache: store, environment: crowd.environment)
        let user = Shared(0)
        let definition = QueryDefinition("user") { _ -> Int in
            let mine = user.withLock { $0 }
            await Task.yield()
            return mine
        }
        .persisted()
        let change = MutationPlan<Int>(
            name: "Change", scope: nil, retry: .never, isIdempotent: false, networkMode: .always,
            run: { _ in
                let mine = user.withLock { $0 }
                await Task.yield()
                return mine
            },
            optimistic: { $0.set(user.withLock { $0 }, for: definition) },
            succeeded: { mine, writes in writes.set(mine, for: definition) })
        let observer = client.observe(definition)
        let wrong = Shared(0)
        let isOver = Shared(false)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<crowd.tasks {
                group.addTask {
                    let random = SeededRandom(seed: crowd.seed &* 100 &+ UInt64(task))
                    while !isOver.withLock({ $0 }) {
                        switch random.below(5) {
                        case 0: _ = try? await client.refetch(definition)
                        case 1: await client.flush()
                        case 2: client.dropUnobserved()
                        case 3: _ = try? await client.mutate(change) { _ in }
                        default: _ = client.observe(definition).value
                        }
                    }
                }
            }
            for _ in 0..<clears {
                // The number of the user distinguishes the new user's answers from the previous user's.
                let next = user.withLock { user in
                    user += 1
                    return user
                }
                _ = try? await client.clear()
                for _ in 0..<20 {
                    let values = [client.value(of: definition), store.get(for: "user")]
                    for value in values.compactMap({ $0 }) where value < next { wrong.withLock { $0 += 1 } }
                    await Task.yield()
                }
            }
            isOver.withLock { $0 = true }
        }
        #expect(wrong.withLock { $0 } == 0, "\(crowd)")
        observer.cancel()
    }
}
