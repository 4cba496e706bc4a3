import Foundation
import Pigeon
import TestSupport
import Testing

@MainActor
@Suite("where queries keep their values that name no cache", .rule("H14"))
struct ClientCacheTests {
    private struct Offline: Error {}

    private let usingFailed = QueryCacheConfig(
        invalidationPolicy: .expiresAfter(1000), usagePolicy: .useIfFetchFails)

    private func query(_ client: QueryClient, _ fetch: @escaping @Sendable () throws -> String) -> Query<Void, String> {
        Query(key: "name", cacheConfig: usingFailed, client: client) { _ in try fetch() }
    }

    private func list(_ client: QueryClient, _ fetch: @escaping @Sendable () throws -> [String]) -> PaginatedQuery<
        Void, NumericPaginatedQueryKey, [String]
    > {
        PaginatedQuery(
            key: "names", firstPage: NumericPaginatedQueryKey(current: 1), cacheConfig: usingFailed, client: client
        ) { (_: Void, _: NumericPaginatedQueryKey) async throws -> [String] in try fetch() }
    }

    @Test func `what one client fetched is not shown by another, neither before it asks nor after it failed`() async {
        let (ada, bob) = (QueryClient(), QueryClient())
        let (name, names) = (query(ada) { "Ada" }, list(ada) { ["Ada"] })
        await name.refresh()
        await names.refresh()
        #expect(name.value == "Ada" && names.value == ["Ada"])
        await ada.flush()
        let (other, others) = (query(bob) { throw Offline() }, list(bob) { throw Offline() })
        #expect(other.value == nil && others.value == nil)
        await other.refresh()
        await others.refresh()
        #expect(other.value == nil && others.value == nil)
        #expect(other.snapshot.error is Offline && others.snapshot.error is Offline)
    }

    @Test(.rule("A38")) func `what a client without a cache fetched is there for its next query`() async {
        let client = QueryClient()
        await query(client) { "Ada" }.refresh()
        client.remove(.all)
        await client.flush()
        let again = query(client) { throw Offline() }
        #expect(again.value == nil)
        await query(client) { "Bob" }.refresh()
        #expect(query(client) { throw Offline() }.value == "Bob")
    }

    @Test(.rule("A38")) func `a client's own cache keeps them, so that they are there after a restart`() async throws {
        let cache = InMemoryQueryCache()
        let first = QueryClient(cache: cache)
        await query(first) { "Ada" }.refresh()
        await list(first) { ["Ada"] }.refresh()
        await first.flush()
        #expect(cache.count > 1)
        let second = QueryClient(cache: cache)
        #expect(query(second) { throw Offline() }.snapshot.value == "Ada")
        #expect(list(second) { throw Offline() }.value == ["Ada"])
        try await second.clear()
        #expect(cache.count == 0)
    }

    @Test func `a cache that is named is used, whatever the client has`() async {
        let (own, named) = (InMemoryQueryCache(), InMemoryQueryCache())
        let client = QueryClient(cache: own)
        let name = Query<Void, String>(key: "name", cache: named, client: client) { _ in "Ada" }
        await name.refresh()
        await client.flush()
        #expect(own.count == 0 && named.count == 1)
    }
}
