import Foundation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("invalidation", .rule("B7"))
struct InvalidationTests {
    let lab = QueryLab()
    let cache = InMemoryQueryCache()
    let server: Server<Int, User>

    init() {
        server = Server(lab)
    }

    private var invalidator: QueryInvalidator { QueryInvalidator(client: lab.client) }

    @Test func `a path refetches what is observed below it, each with its last request`() {
        let (one, two) = (lab.user(server, cache: cache), lab.user(server, cache: cache))
        one.refetch(request: 1)
        server.succeed(with: ann)
        two.refetch(request: 2)
        server.succeed(with: bob)
        invalidator.invalidateQuery(for: "user", with: .lastData)
        #expect(server.requests == [1, 2, 1, 2] || server.requests == [1, 2, 2, 1])
        #expect(one.state.isLoading)
    }

    @Test func `one key below a path leaves the others alone`() {
        let (one, two) = (lab.user(server), lab.user(server))
        one.refetch(request: 1)
        server.succeed(with: ann)
        two.refetch(request: 2)
        server.succeed(with: bob)
        invalidator.invalidateQuery(for: QueryKey("user", 2), with: .lastData)
        #expect(server.requests == [1, 2, 2])
        #expect(one.state.value == ann)
    }

    @Test func `the log says why`() {
        let user = lab.user(server)
        user.refetch(request: 1)
        server.succeed(with: ann)
        lab.clearLog()
        invalidator.invalidateQuery(for: "user", with: .lastData)
        #expect(lab.log == ["user/1 invalidated (requested)", "user/1 fetching (invalidated by requested)"])
        server.succeed(with: ann)
        lab.clearLog()
        invalidator.invalidateQuery(for: "user", with: .newData(2))
        #expect(lab.log == ["user/1 invalidated (requested)", "user/2 fetching (invalidated by requested)"])
    }

    @Test func `what is cached is stale too, also what is not in memory`() {
        cache.save(ann, for: QueryKey("user", 1), andTimestamp: lab.date)
        let user = lab.user(server, config: .using(.useInsteadOfFetching), cache: cache)
        user.refetch(request: 2)
        server.succeed(with: bob)
        invalidator.invalidateQuery(for: "user", with: .lastData)
        #expect(cache.isMarkedStale(QueryKey("user", 1)))
        user.refetch(request: 1)
        #expect(server.requests == [2, 2, 1])
    }

    @Test func `a query that was never asked is not asked`() {
        let user = lab.user(server)
        invalidator.invalidateQuery(for: "user", with: .lastData)
        #expect(server.callCount == 0)
        #expect("\(user.state)" == "idle")
    }

    @Test func `a new request becomes the last one`() {
        let user = lab.user(server)
        user.refetch(request: 1)
        invalidator.invalidateQuery(for: "user", with: .newData(2))
        #expect(user.lastRequest == 2)
        server.succeed(with: bob)
        invalidator.invalidateQuery(for: "user", with: .lastData)
        #expect(server.requests == [1, 2, 2])
    }

    @Test func `a new request reaches a query that was never asked`() {
        let user = lab.user(server)
        invalidator.invalidateQuery(for: "user", with: QueryInvalidator.TypedParameters.newData(7))
        #expect(server.requests == [7])
        #expect(user.lastRequest == 7)
    }

    @Test func `a new request by the key that the query watches reaches it, one by another key does not`() {
        let user = lab.user(server)
        user.refetch(request: 1)
        invalidator.invalidateQuery(for: QueryKey("user", 2), with: .newData(5))
        #expect(server.requests == [1])
        invalidator.invalidateQuery(for: QueryKey("user", 1), with: .newData(5))
        #expect(server.requests == [1, 5])
        invalidator.invalidateQuery(for: QueryKey("user", 1), with: .newData(6))
        #expect(server.requests == [1, 5])
    }

    @Test func `a key that the adapter makes elsewhere hears of the given key's new requests`() {
        let user = UserByID(
            key: "user", keyAdapter: { _, id in QueryKey("people", id) }, cache: cache, client: lab.client,
            fetcher: server.fetch)
        user.refetch(request: 1)
        invalidator.invalidateQuery(for: "user", with: .newData(2))
        #expect(server.requests == [1, 2])
    }

    @Test func `a key that the adapter makes elsewhere is refetched when the given key is invalidated, once`() {
        let user = UserByID(
            key: "user", keyAdapter: { _, id in QueryKey("people", id) }, cache: cache, client: lab.client,
            fetcher: server.fetch)
        user.refetch(request: 1)
        server.succeed(with: ann)
        invalidator.invalidateQuery(for: "user", with: .lastData)
        #expect(server.requests == [1, 1])
        server.succeed(with: ann)
        invalidator.invalidateQuery(for: QueryKey("people", 1), with: .lastData)
        #expect(server.requests == [1, 1, 1])
        server.succeed(with: ann)
        let below = UserByID(
            key: "all/user", keyAdapter: { _, id in QueryKey("all", "people", id) }, cache: cache, client: lab.client,
            fetcher: server.fetch)
        below.refetch(request: 2)
        server.succeed(with: bob)
        invalidator.invalidateQuery(for: "all", with: .lastData)
        #expect(server.requests == [1, 1, 1, 2, 2])
    }

    @Test func `a new request by a path above the given key and the observed one is fetched once`() {
        let user = UserByID(
            key: "all/user", keyAdapter: { _, id in QueryKey("all", "people", id) }, cache: cache, client: lab.client,
            fetcher: server.fetch)
        user.refetch(request: 2)
        server.succeed(with: bob)
        invalidator.invalidateQuery(for: "all", with: .newData(2))
        #expect(server.requests == [2, 2])
        #expect(server.cancelled.isEmpty)
    }

    @Test func `a new request of another type is an event, and changes nothing`() {
        let user = lab.user(server)
        user.refetch(request: 1)
        server.succeed(with: ann)
        Misuse.$isExpected.withValue(true) {
            invalidator.invalidateQuery(for: "user", with: .newData("two"))
        }
        #expect(server.requests == [1])
        #expect(user.lastRequest == 1)
        #expect(
            lab.log.contains(
                "user misuse: invalidated with a String as its new request, but it is asked with Int"))
    }

    @Test func `under useInsteadOfFetching an invalidation fetches`() {
        let user = lab.user(server, config: .using(.useInsteadOfFetching))
        user.refetch(request: 1)
        server.succeed(with: ann)
        user.refetch(request: 1)
        #expect(server.callCount == 1)
        invalidator.invalidateQuery(for: "user", with: .lastData)
        #expect(server.callCount == 2)
        #expect(user.state.isLoading)
        server.succeed(with: bob)
        #expect(user.state.value == bob)
    }

    @Test func `a listener of one's own hears of new requests of its type`() {
        struct Listener: QueryInvalidationListener { typealias Request = Int }
        var heard: [Int] = []
        let subscription = Listener().listenQueryInvalidation(for: "user", client: lab.client).sink {
            if case .newData(let request) = $0 { heard.append(request) }
        }
        invalidator.invalidateQuery(for: "user", with: .newData(1))
        invalidator.invalidateQuery(for: "user", with: .newData("x"))
        subscription.cancel()
        invalidator.invalidateQuery(for: "user", with: .newData(2))
        #expect(heard == [1])
    }

    @Test func `a listener hears of invalidations without a new request, by a subscription of its own`() {
        struct Listener: QueryInvalidationListener { typealias Request = Int }
        var heard: [String] = []
        let invalidations = Listener().listenQueryInvalidation(for: "user", client: lab.client)
        let first = invalidations.sink { if case .lastData = $0 { heard.append("first") } }
        let second = invalidations.sink { if case .lastData = $0 { heard.append("second") } }
        invalidator.invalidateQuery(for: "user", with: .lastData)
        invalidator.invalidateQuery(for: QueryKey("user", 1), with: .lastData)
        first.cancel()
        invalidator.invalidateQuery(for: "user", with: .lastData)
        second.cancel()
        #expect(heard == ["first", "second", "second"])
    }
}
