import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

/// Promises of the documentation that the code did not keep.
@Suite("Promises of a client")
struct PromiseTests {
    private let desk = Desk()

    @Test("flush waits for a cache that is written at once, on whatever thread", .rule("A28"))
    func flushOfDirectCache() async throws {
        let gate = DispatchSemaphore(value: 0)
        let cache = SavingCache { number in if number == 1 { gate.wait() } }
        let client = QueryClient(cache: cache)
        Thread.detachNewThread { try? client.set(1, for: .value("n").persisted()) }
        await until { cache.isSaving }
        let second = Task { try client.set(2, for: .value("m").persisted()) }
        try await second.value
        let flushed = Locked(false)
        let flush = Task {
            await client.flush()
            flushed.withLock { $0 = true }
        }
        try await Task.sleep(for: .milliseconds(50))
        #expect(flushed.withLock { $0 } == false)
        gate.signal()
        await flush.value
        #expect(cache.saved == 2)
    }

    @Test(
        "flush waits for what there is, and not for what is written without end", .rule("A28"), .timeLimit(.minutes(1)))
    func flushOfBusyCache() async throws {
        let write = Locked<(@Sendable (Int) -> Void)?>(nil)
        // Each save is followed by the next one.
        let cache = SavingCache { number in
            Thread.sleep(forTimeInterval: 0.001)
            write.withLock { $0 }?(number)
        }
        let client = QueryClient(cache: cache)
        write.withLock { $0 = { try? client.set($0, for: .value("n").persisted()) } }
        Thread.detachNewThread { write.withLock { $0 }?(0) }
        await until { cache.saved > 2 }
        await client.flush()
        write.withLock { $0 = nil }
    }

    @Test("flush does not become the one who writes without end", .rule("A28"), .timeLimit(.minutes(1)))
    func flushBetweenWrites() async throws {
        let write = Locked<(@Sendable (Int) -> Void)?>(nil)
        let cache = SavingCache(hasProblems: true) { number in
            Thread.sleep(forTimeInterval: 0.001)
            write.withLock { $0 }?(number)
        }
        let client = QueryClient(cache: cache)
        write.withLock { $0 = { try? client.set($0, for: .value("n").persisted()) } }
        // After the first write, when the next one waits, its thread is held up by who hears of a problem.
        let isBetween = Locked(false)
        let gate = DispatchSemaphore(value: 0)
        let events = client.onEvent { event in
            guard case .cacheProblem = event.kind, !isBetween.withLock({ $0 }) else { return }
            isBetween.withLock { $0 = true }
            gate.wait()
        }
        Thread.detachNewThread { write.withLock { $0 }?(0) }
        await until { isBetween.withLock { $0 } }
        await client.flush()
        #expect(cache.saved > 1)
        write.withLock { $0 = nil }
        gate.signal()
        events.cancel()
    }

    @Test("what is set while a cache is emptied at the second try is written", .rule("A28"))
    func setDuringRecovery() throws {
        let removals = Locked<[@Sendable () throws -> Void]>([])
        let cache = SavingCache(onRemoval: { try removals.withLock { $0.isEmpty ? nil : $0.removeFirst() }?() }) { _ in
        }
        let lab = QueryLab(cache: cache)
        removals.withLock { removals in
            removals = [
                { throw QueryCacheError.storage(cache: "cache", reason: "busy") },
                { [client = lab.client] in try client.set(1, for: .value("n").persisted()) },
            ]
        }
        _ = lab.start { [client = lab.client] in try await client.clear() }
        lab.advance(by: .seconds(10))
        #expect(removals.withLock { $0.isEmpty })
        #expect(cache.saved == 1)
    }

    @Test("a sign-out does not become the one who writes without end", .rule("A31"), .timeLimit(.minutes(1)))
    func recoveryOfBusyCache() async throws {
        let write = Locked<(@Sendable (Int) -> Void)?>(nil)
        let removals = Locked(0)
        // The second attempt to empty the cache succeeds, and begins saves of which each is followed by the next one.
        let cache = SavingCache(onRemoval: {
            let number = removals.withLock { count in
                count += 1
                return count
            }
            guard number > 1 else { throw QueryCacheError.storage(cache: "cache", reason: "busy") }
            write.withLock { $0 }?(0)
        }) { number in
            Thread.sleep(forTimeInterval: 0.001)
            write.withLock { $0 }?(number)
        }
        let client = QueryClient(cache: cache)
        write.withLock { $0 = { try? client.set($0, for: .value("n").persisted()) } }
        await #expect(throws: QueryCacheError.self) { try await client.clear() }
        await until { cache.saved > 2 }
        await client.flush()
        write.withLock { $0 = nil }
    }

    @Test("a late observer of another type ends too", .rule("A79"))
    func lateMismatch() {
        try? desk.client.set("Ann", for: desk.user)
        _ = desk.lab.start { [client = desk.client] in await client.close() }
        desk.lab.settle()
        let other = QueryDefinition<Int>("users", 1) { _ in 1 }
        let reading = desk.lab.start { [client = desk.client] in for await _ in client.observe(other) {} }
        desk.lab.settle()
        #expect(reading.result != nil)
    }

    @Test("a caller who is cancelled while an invalidation waits leaves nobody behind", .rule("A13"))
    func cancelledInvalidation() {
        let user = desk.user.whenAbandoned(.cancel)
        let observer = desk.client.observe(user)
        desk.fetcher.succeed(with: "Ann")
        let task = desk.lab.start { [client = desk.client] in await client.invalidate(.key("users/1")) }
        task.cancel()
        observer.cancel()
        desk.lab.settle()
        #expect(desk.fetcher.pendingCount == 0)
    }

    @Test("the interval outlives the entry, and counts from the request itself", .rule("A86"))
    func interval() {
        let user = desk.user.staleAfter(.never).fetchAtMostEvery(.seconds(600))
        desk.receive("Ann", for: user)
        desk.lab.advance(by: .seconds(360))
        #expect(desk.client.value(of: user) == nil)
        _ = desk.fetch(user)
        #expect(desk.fetcher.pendingCount == 0)
        desk.lab.advance(by: .seconds(241))
        #expect(desk.fetcher.pendingCount == 1)
    }

    @Test("the interval counts from the time at which a fetch has its place at the upstream", .rule("A86"))
    func intervalAtUpstream() {
        let catalog = Upstream("catalog", limit: 1)
        let user = desk.user.staleAfter(.never).upstream(catalog).fetchAtMostEvery(.seconds(10))
        _ = desk.fetch(desk.query("other").upstream(catalog))
        _ = desk.fetch(user)
        desk.lab.advance(by: .seconds(9))
        desk.fetcher.succeed(with: "x")
        desk.fetcher.succeed(with: "Ann")
        _ = desk.refetch(user)
        desk.lab.advance(by: .seconds(9))
        #expect(desk.fetcher.pendingCount == 0)
        desk.lab.advance(by: .seconds(1))
        #expect(desk.fetcher.pendingCount == 1)
    }

    @Test("an initial value is as old after a reset as it was at first", .rule("T82"))
    func resetToAgedValue() {
        let user = desk.user.initial("Ann", age: .seconds(60)).staleAfter(.seconds(30))
        desk.receive("Bea", for: user)
        desk.client.reset(user)
        let task = desk.fetch(user)
        #expect(desk.fetcher.pendingCount == 1 && task.value == nil)
        #expect(desk.client.value(of: user) == "Ann")
    }

    @Test("after a reset, an initial value becomes stale in its time", .rule("T82"))
    func resetToYoungValue() {
        let user = desk.user.initial("Ann", age: .seconds(20)).staleAfter(.seconds(30))
        desk.receive("Bea", for: user)
        desk.client.reset(user)
        desk.lab.advance(by: .seconds(9))
        #expect(!desk.client.snapshot(of: user).isStale)
        desk.lab.advance(by: .seconds(1))
        #expect(desk.client.snapshot(of: user).isStale)
    }

    @Test("an observer that begins after the client is closed ends at once, and fetches nothing", .rule("A79"))
    func observerAfterClose() {
        let early = desk.client.observe(desk.query("users/2").enabled(false))
        let closing = desk.lab.start { [client = desk.client] in await client.close() }
        desk.lab.settle()
        let observer = desk.client.observe(desk.user)
        let reading = desk.lab.start { for await _ in observer {} }
        desk.lab.settle()
        #expect(closing.value != nil && reading.result != nil)
        early.observe(desk.query("users/2"))
        observer.observe(desk.query("users/3"))
        observer.setEnabled(true)
        desk.lab.settle()
        #expect(desk.fetcher.calls.isEmpty)
        #expect(!early.snapshot.isFetching && !observer.snapshot.isFetching)
    }

    @Test("at the end of the list, the next page is answered offline, and by a closed client", .rule("T103"))
    func pageAtTheEnd() {
        let lab = QueryLab()
        let server = PageServer(lab)
        func next() -> LabTask<PageServer.List> {
            let task = lab.start { [client = lab.client] in try await client.fetchNextPage(of: server.list()) }
            lab.settle()
            return task
        }
        _ = next()
        server.answer("a")
        _ = next()
        server.answer()
        lab.setOnline(false)
        #expect(next().value?.ids == [10, 11])
        #expect(!lab.client.snapshot(of: server.list()).nextPage.isFetching)
        _ = lab.start { [client = lab.client] in await client.close() }
        lab.settle()
        #expect(next().value?.ids == [10, 11])
    }
}

/// A cache that does something in each save.
private final class SavingCache: QueryCacheType {
    private let state = Locked((began: 0, ended: 0))
    private let onSave: @Sendable (_ number: Int) -> Void

    private let onRemoval: @Sendable () throws -> Void
    private let hasProblems: Bool

    init(
        hasProblems: Bool = false, onRemoval: @escaping @Sendable () throws -> Void = {},
        onSave: @escaping @Sendable (_ number: Int) -> Void
    ) {
        (self.hasProblems, self.onRemoval, self.onSave) = (hasProblems, onRemoval, onSave)
    }

    func removeAll() throws { try onRemoval() }

    func takeProblems() -> [QueryCacheProblem] { hasProblems ? [QueryCacheProblem(description: "slow")] : [] }

    var isSaving: Bool { state.withLock { $0.began > 0 } }
    var saved: Int { state.withLock { $0.ended } }

    func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date) {
        let number = state.withLock { state in
            state.began += 1
            return state.began
        }
        onSave(number)
        state.withLock { $0.ended += 1 }
    }
    func invalidate(for key: QueryKey) {}
    func get<T: Codable>(for key: QueryKey) -> T? { nil }
    func isValueValid(
        forKey key: QueryKey, timestamp: Date, andInvalidationPolicy policy: QueryCacheConfig.InvalidationPolicy
    ) -> Bool { false }
}
