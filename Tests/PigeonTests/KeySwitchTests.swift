import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("switching the request of a keyed query", .rule("B9"))
struct KeySwitchTests {
    let lab = QueryLab()
    let server: Server<Int, User>

    init() {
        server = Server(lab)
    }

    @Test func `the new key shows its own state, never the old key's value`() {
        let user = lab.user(server, config: .using(.useAndThenFetch))
        let log = StateLog(user)
        user.refetch(request: 1)
        server.succeed(with: ann)
        user.refetch(request: 2)
        #expect(user.state.isLoading)
        #expect(user.value == nil)
        server.succeed(with: bob)
        #expect(log.states == ["idle", "loading", "succeed(Ann)", "loading", "succeed(Bob)"])
    }

    @Test func `going back shows what is known at once`() {
        let user = lab.user(server, config: .using(.useInsteadOfFetching))
        user.refetch(request: 1)
        server.succeed(with: ann)
        user.refetch(request: 2)
        server.succeed(with: bob)
        let log = StateLog(user)
        user.refetch(request: 1)
        #expect(log.states == ["succeed(Bob)", "succeed(Ann)"])
        #expect(server.requests == [1, 2])
    }

    @Test func `a late answer for the old key does not show`() {
        let user = lab.user(server)
        user.refetch(request: 1)
        user.refetch(request: 2)
        server.succeed(with: bob, at: 1)
        server.succeed(with: ann, at: 0)
        #expect(user.state.value == bob)
        #expect(lab.client.value(of: QueryKey("user", 1), as: User.self) == ann)
    }

    @Test func `a placeholder says that it is one`() {
        let user = lab.user(server, placeholder: .previousValue)
        let log = StateLog(user)
        user.refetch(request: 1)
        #expect(user.state.isLoading)
        server.succeed(with: ann)
        #expect(!user.snapshot.isPlaceholder)
        user.refetch(request: 2)
        #expect(user.state.value == ann)
        #expect(user.snapshot.isPlaceholder)
        server.succeed(with: bob)
        #expect(user.state.value == bob)
        #expect(!user.snapshot.isPlaceholder)
        #expect(log.states == ["idle", "loading", "succeed(Ann)", "succeed(Ann)", "succeed(Bob)"])
    }

    @Test func `a placeholder is not cached, and goes when the load fails`() {
        let cache = InMemoryQueryCache()
        let user = lab.user(server, cache: cache, placeholder: .previousValue)
        user.refetch(request: 1)
        server.succeed(with: ann)
        user.refetch(request: 2)
        server.fail()
        #expect(user.state.error is Broken)
        let cached: User? = cache.get(for: QueryKey("user", 2))
        #expect(cached == nil)
    }

    @Test func `switching at once leaves the first load to end for its key`() {
        let user = lab.user(server)
        user.refetch(request: 1)
        user.refetch(request: 2)
        #expect(server.cancelled.isEmpty)
        #expect(server.requests == [1, 2])
    }
}
