import Pigeon
import PigeonTesting
import Testing

@MainActor
@Suite("Refreshing, and waiting for it")
struct RefreshTests {
    let lab = QueryLab()
    let asked = Asked()

    /// Counts, and answers at once.
    final class Asked: Sendable {
        private let state = Locked(0)

        var count: Int { state.withLock { $0 } }

        func next() -> Int {
            state.withLock { state in
                state += 1
                return state
            }
        }
    }

    private func query(_ behavior: Query<Void, Int>.FetchingBehavior) -> Query<Void, Int> {
        let asked = asked
        return Query(
            key: "count", behavior: behavior, cache: InMemoryQueryCache(),
            cacheConfig: QueryCacheConfig(invalidationPolicy: .notExpires, usagePolicy: .useInsteadOfFetching),
            client: lab.client
        ) { asked.next() }
    }

    /// Carries a refresh through, in the lab's world.
    private func refresh(_ refresh: @escaping @MainActor () async -> Void) async {
        let done = Locked(false)
        let task = Task { @MainActor in
            await refresh()
            done.withLock { $0 = true }
        }
        for _ in 1...10_000 where !done.withLock({ $0 }) {
            lab.settle()
            await Task.yield()
        }
        await task.value
    }

    @Test func `a query is fetched again although what is cached is valid, and its value is there when that returns`()
        async
    {
        let query = query(.startImmediately(()))
        lab.settle()
        #expect(query.value == 1)
        query.refetch(request: ())
        lab.settle()
        #expect(query.value == 1, "the policy says so")
        await refresh { await query.refresh() }
        #expect(query.value == 2 && asked.count == 2)
    }

    @Test func `one that was never asked is asked once`() async {
        let query = query(.startWhenRequested)
        await refresh { await query.refresh() }
        #expect(query.value == 1 && asked.count == 1)
    }

    @Test func `one that needs a request does nothing without any`() async {
        let asked = asked
        let query = Query<Int, Int>(key: "count", cache: InMemoryQueryCache(), client: lab.client) { _ in asked.next() }
        await refresh { await query.refresh() }
        #expect(asked.count == 0 && query.state.value == nil)
    }

    @Test func `a consumer has its query's fetch made again`() async {
        let query = query(.startImmediately(()))
        lab.settle()
        let consumer = Query<Void, Int>.Consumer(key: "count", client: lab.client)
        await refresh { await consumer.refresh() }
        #expect(consumer.value == 2)
        withExtendedLifetime(query) {}
    }

    @Test func `a list fetches again the pages that are there`() async {
        let asked = asked
        let list = PaginatedQuery<Void, NumericPaginatedQueryKey, [Int]>(
            key: "list", firstPage: NumericPaginatedQueryKey(current: 0), cache: InMemoryQueryCache(),
            client: lab.client
        ) { _, _ in [asked.next()] }
        await refresh { await list.refresh() }
        list.fetchNextPage()
        lab.settle()
        await refresh { await list.refresh() }
        #expect(list.items == [3, 4])
    }
}
