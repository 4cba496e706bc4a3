import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Requests for a key at intervals")
struct FetchIntervalTests {
    let desk = Desk()

    private var user: QueryDefinition<String> { desk.user.staleAfter(.never).fetchAtMostEvery(.seconds(1)) }

    @Test("however often a key is invalidated, it is asked for at most once in an interval", .rule("A86"))
    func invalidations() {
        let observer = desk.client.observe(user)
        desk.fetcher.succeed(with: "Ann")
        for _ in 0..<3 {
            desk.lab.advance(by: .milliseconds(200))
            desk.client.invalidateWithoutWaiting(.key("users/1"))
            #expect(desk.fetcher.pendingCount == 0 && observer.snapshot.isFetching)
        }
        desk.lab.advance(by: .milliseconds(399))
        #expect(desk.fetcher.calls.count == 1)
        desk.lab.advance(by: .milliseconds(1))
        #expect(desk.fetcher.calls.count == 2)
        desk.fetcher.succeed(with: "Bea")
        #expect(observer.snapshot.brief == "Bea")
        // One that comes later begins at once.
        desk.lab.advance(by: .seconds(1))
        desk.client.invalidateWithoutWaiting(.key("users/1"))
        #expect(desk.fetcher.pendingCount == 1)
    }

    @Test("refetches and retries keep to the interval, and other keys have their own", .rule("A86"))
    func refetches() {
        let first = desk.fetch(user.retry(RetryPolicy(limit: 1) { _ in .milliseconds(100) }))
        desk.fetcher.fail(with: Status(503))
        desk.lab.advance(by: .milliseconds(999))
        #expect(desk.fetcher.calls.count == 1)
        desk.lab.advance(by: .milliseconds(1))
        desk.fetcher.succeed(with: "Ann")
        #expect(first.value == "Ann" && desk.fetcher.calls.count == 2)
        let refetches = (0..<3).map { _ in desk.refetch(user) }
        _ = desk.fetch(desk.query("users/2").fetchAtMostEvery(.seconds(1)))
        #expect(desk.fetcher.pending.map(\.key) == ["users/2"])
        desk.lab.advance(by: .seconds(1))
        #expect(desk.fetcher.pending.map(\.key) == ["users/2", "users/1"])
        desk.fetcher.succeed(3, with: "Bea")
        #expect(refetches.map(\.value) == ["Bea", "Bea", "Bea"])
    }

    @Test("a fetch that waits for its time ends when it is cancelled, or when its time is over", .rule("A86"))
    func ends() {
        desk.receive("Ann", for: user)
        let cancelled = desk.refetch(user.whenAbandoned(.cancel))
        cancelled.cancel()
        #expect(cancelled.error is CancellationError && desk.client.snapshot(of: user).isFetching == false)
        let late = desk.refetch(user.timeLimit(.milliseconds(500)))
        desk.lab.advance(by: .milliseconds(500))
        #expect(late.error as? QueryError == .timedOut(key: "users/1", limit: .milliseconds(500)))
        desk.lab.advance(by: .seconds(2))
        #expect(desk.fetcher.calls.count == 1)
    }
}
