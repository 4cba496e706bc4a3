import Pigeon
import TestSupport
import Testing

extension SeedSuite {
    @MainActor
    struct Globals {
        @Test(.rule("B12")) func `the global cache and configuration are read when a query is made`() async {
            begin()
            let (one, two) = (InMemoryQueryCache(), InMemoryQueryCache())
            func make(_ key: QueryKey) -> Query<Void, Int> {
                Query<Void, Int>(key: key) { Just(1).setFailureType(to: (any Error).self).eraseToAnyPublisher() }
            }
            QueryCache.setGlobal(QueryCache(wrappedCache: one))
            let early = make("early")
            QueryCache.setGlobal(two)
            QueryCacheConfig.setGlobal(QueryCacheConfig(usagePolicy: .useInsteadOfFetching))
            let late = make("late")
            early.refetch(request: ())
            late.refetch(request: ())
            #expect(one.count == 1 && two.count == 1)
            let counts = (early.snapshot.valueCount, late.snapshot.valueCount)
            early.refetch(request: ())
            late.refetch(request: ())
            #expect(early.snapshot.valueCount == counts.0 + 1)
            #expect(late.snapshot.valueCount == counts.1)
            QueryCache.setGlobal(.userDefaults)
            #expect(QueryCache.global is UserDefaultsQueryCache)
            QueryCache.setGlobal(QueryCache.inMemory)
            #expect(QueryCache.global as? InMemoryQueryCache === InMemoryQueryCache.shared)
        }
    }
}
