import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Signing out")
struct ClearTests {
    private let store = RecordStoreDouble()
    private let lab: QueryLab
    private var client: QueryClient { lab.client }
    private struct Refused: Error {}

    init() {
        lab = QueryLab(cache: store)
    }

    private let mine = QueryDefinition<String>.value("mine").staleAfter(.never).persisted()

    private func clear() -> LabTask<Void> {
        lab.start { [client] in try await client.clear() }
    }

    @Test("memory, disk and queues are empty, and running fetches are cancelled", .rule("A31"))
    func empties() throws {
        let fetcher = lab.fetcher(returning: String.self)
        let definition = QueryDefinition("users", fetch: fetcher.fetch).persisted()
        let observer = client.observe(definition)
        fetcher.succeed(with: "Ann")
        lab.flush()
        let task = lab.start { [client] in try await client.refetch(definition) }
        try client.set("waiting", for: mine)
        #expect(clear().value != nil)
        #expect(task.error is CancellationError)
        #expect(observer.value == nil)
        #expect(observer.snapshot.activity == .idle)
        #expect(client.entries().map(\.key) == ["users"])
        #expect(store.keys.isEmpty)
        lab.advance(by: .seconds(10))
        lab.flush()
        #expect(store.keys.isEmpty)
        #expect(fetcher.pendingCount == 0)
        #expect(lab.log.contains("client cleared"))
    }

    @Test("no answer asked before lands after, though its fetcher ignores cancellation", .rule("A31"))
    func lateAnswer() {
        let fetcher = lab.fetcher(returning: String.self, ignoringCancellation: true)
        let definition = QueryDefinition("users", fetch: fetcher.fetch).persisted()
        let observer = client.observe(definition)
        _ = clear()
        fetcher.yield("late")
        fetcher.succeed(with: "late")
        lab.flush()
        #expect(observer.value == nil)
        #expect(store.keys.isEmpty)
        let again = lab.start { try await observer.refetch() }
        fetcher.succeed(with: "new")
        #expect(again.value == "new")
        lab.flush()
        #expect(store.get(for: "users") == "new")
    }

    @Test("running mutations are cancelled and their callers end", .rule("E13", "A39"), arguments: [false, true])
    func runningMutation(ignoresCancellation: Bool) throws {
        let server = MutationServer(lab, ignoringCancellation: ignoresCancellation)
        try client.set("mine", for: mine)
        var mutation = ScriptedMutation(server)
        mutation.edits = { [mine] in $0.update(mine) { $0 = "changed" } }
        let task = lab.mutate(mutation)
        #expect(client.value(of: mine) == "changed")
        #expect(clear().value != nil)
        #expect(task.error is CancellationError)
        #expect(server.pendingCount == (ignoresCancellation ? 1 : 0))
        if ignoresCancellation { server.succeed(with: "late") }
        #expect(client.value(of: mine) == nil)
        #expect(client.inspect().mutationScopes == 0)
    }

    @Test("an entry that is observed does not go back to what its definition starts with", .rule("A31"))
    func initialValue() throws {
        let user = QueryDefinition<String>.value("user").initial("Ann")
        let observer = client.observe(user)
        #expect(observer.value == "Ann")
        #expect(clear().value != nil)
        #expect(observer.value == nil)
        #expect(client.observe(user).value == nil)
    }

    @Test("an observer says that its entry was cleared until the program writes the value", .rule("K1", "A31"))
    func saysSo() throws {
        let observer = client.observe(mine)
        try client.set("old", for: mine)
        #expect(!observer.snapshot.isCleared)
        #expect(clear().value != nil)
        #expect(observer.snapshot.isCleared)
        try client.set("new", for: mine)
        #expect(!observer.snapshot.isCleared)
    }

    @Test("a mutation whose own code signs out is cancelled", .rule("E13", "A39"))
    func signsOutItself() {
        struct SigningOut: Mutating {
            let lab: QueryLab
            let server: MutationServer

            func run(_ context: MutationContext) async throws -> String {
                _ = lab.start { [client = lab.client] in try await client.clear() }
                return try await server.run(context)
            }
        }
        let server = MutationServer(lab)
        let task = lab.start { [client, lab] in try await client.mutate(SigningOut(lab: lab, server: server)) }
        lab.settle()
        #expect(task.error is CancellationError)
        #expect(server.pendingCount == 0)
    }

    @Test("no page asked before lands after", .rule("A31"))
    func latePage() {
        let server = PageServer(lab)
        let observer = client.observe(server.list())
        server.answer("a")
        let next = lab.start { [client] in try await client.fetchNextPage(of: server.list()) }
        _ = clear()
        #expect(next.error is CancellationError)
        server.answer("b")
        #expect(observer.value == nil)
        #expect(observer.snapshot.nextPage.isFetching == false)
    }

    @Test("a write in flight leaves nothing on disk", .rule("A31"), arguments: [true, false])
    func writeInFlight(fails: Bool) throws {
        try client.set("old", for: mine)
        let clearing = Locked<LabTask<Void>?>(nil)
        store.onApply { [lab, store] changes in
            guard !changes.contains(.removeAll) else { return }
            store.onApply(nil)
            if fails { store.refuse(1) }
            clearing.withLock { $0 = lab.start { [client = lab.client] in try await client.clear() } }
        }
        lab.flush()
        lab.settle()
        #expect(clearing.withLock { $0?.result } != nil)
        #expect(store.keys.isEmpty)
        lab.advance(by: .seconds(100))
        #expect(store.keys.isEmpty)
        #expect(client.observe(mine).value == nil)
    }

    @Test("a cache that was emptied is not emptied again because what came after could not be written", .rule("A31"))
    func emptiedOnce() throws {
        try client.set("old", for: mine)
        let writes = Locked(0)
        store.onApply { [lab, store, mine] changes in
            guard !changes.contains(.removeAll) else { return }
            let write = writes.withLock { count in
                count += 1
                return count
            }
            if write == 1 {
                _ = lab.start { [client = lab.client] in try await client.clear() }
                try? lab.client.set("new", for: mine)
            } else if write == 2 {
                store.refuse(1)
            }
        }
        lab.flush()
        lab.advance(by: .seconds(100))
        #expect(store.get(for: "mine") == "new")
        #expect(writes.withLock { $0 } == 3)
        #expect(store.batches.count { $0.contains(.removeAll) } == 1)
    }

    @Test("an entry opened while the caches are emptied does not read what is about to go", .rule("A31"))
    func openedMeanwhile() throws {
        try client.set("old", for: mine)
        lab.flush()
        let seen = Locked<[String?]>([])
        store.onApply { [client, mine] changes in
            guard changes == [.removeAll] else { return }
            seen.withLock { $0.append(client.observe(mine).value) }
        }
        #expect(clear().value != nil)
        #expect(seen.withLock { $0 } == [nil])
        #expect(client.observe(mine).value == nil)
    }

    @Test("what comes after a clear is kept, though it comes while the caches are emptied", .rule("A31"))
    func newMeanwhile() throws {
        try client.set("old", for: mine)
        lab.flush()
        store.onApply { [client, mine] changes in
            if changes == [.removeAll] { try? client.set("new", for: mine) }
        }
        #expect(clear().value != nil)
        #expect(client.value(of: mine) == "new")
        lab.flush()
        #expect(store.get(for: "mine") == "new")
    }

    @Test("a cache that is written at once is emptied after the write that is under way", .rule("A31"))
    func directWriteInFlight() throws {
        let cache = PlainCache()
        let lab = QueryLab(cache: cache)
        let clearing = Locked<LabTask<Void>?>(nil)
        cache.onSave {
            cache.onSave(nil)
            clearing.withLock { $0 = lab.start { [client = lab.client] in try await client.clear() } }
        }
        try lab.client.set("old", for: mine)
        lab.settle()
        #expect(clearing.withLock { $0?.result } != nil)
        #expect(cache.keys.isEmpty)
        #expect(lab.client.observe(mine).value == nil)
    }

    @Test("a cache that cannot be emptied is said so, and the rest is empty all the same", .rule("A31"))
    func cannot() throws {
        struct Stubborn: QueryCacheType {
            func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date) {}
            func invalidate(for key: QueryKey) {}
            func isValueValid(
                forKey key: QueryKey, timestamp: Date,
                andInvalidationPolicy policy: QueryCacheConfig.InvalidationPolicy
            ) -> Bool { false }
            func get<T: Codable>(for key: QueryKey) -> T? { nil }
        }
        try client.set("old", for: mine)
        try client.set("other", for: .value("other").persisted(in: Stubborn()))
        lab.flush()
        #expect(clear().error as? QueryCacheError == .cannotRemoveAll(cache: "Stubborn"))
        #expect(store.keys.isEmpty)
        #expect(client.count == 0)
    }

    @Test("a store that fails to be emptied is said so", .rule("A31"))
    func storeFails() throws {
        try client.set("old", for: mine)
        lab.flush()
        store.refuse(1)
        #expect(clear().error is RecordStoreDouble.Refusal)
        #expect(clear().value != nil)
        #expect(store.keys.isEmpty)
    }

    @Test("Two clears at once both end")
    func twice() throws {
        try client.set("old", for: mine)
        let both = lab.start { [client] in
            async let one = client.clear()
            async let other = client.clear()
            _ = try await (one, other)
        }
        lab.settle()
        while both.result == nil { lab.settle() }
        #expect(both.value != nil)
        #expect(store.keys.isEmpty)
    }
}
