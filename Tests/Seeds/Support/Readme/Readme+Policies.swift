import Foundation
package import Pigeon
import TestSupport
import Testing

extension Readme {
    /// Checks which values a query with a cached value shows, and how often it fetches, if the server has another value
    /// and if the fetch fails.
    package func uses(_ policy: QueryCacheConfig.UsagePolicy, answered: [String], failed: [String], fetches: Int) async
    {
        struct Failed: Error {}
        for (result, expected) in [(Result<String, any Error>.success("new"), answered), (.failure(Failed()), failed)] {
            let cache = InMemoryQueryCache()
            cache.save("old", for: "name", andTimestamp: Date())
            let asked = Journal()
            let query = Query<Void, String>(
                key: "name", cache: cache,
                cacheConfig: QueryCacheConfig(invalidationPolicy: .notExpires, usagePolicy: policy),
                client: QueryClient(),
                fetcher: {
                    asked.add("asked")
                    return result.publisher.eraseToAnyPublisher()
                })
            let shown = Journal()
            let subscription = query.valuePublisher.sink { shown.add($0) }
            query.refetch(request: ())
            await until { shown.lines == expected && asked.lines.count == fetches }
            #expect(shown.lines == expected && asked.lines.count == fetches)
            subscription.cancel()
        }
    }
}
