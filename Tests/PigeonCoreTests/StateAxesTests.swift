import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Data and activity are separate axes")
struct StateAxesTests {
    let desk = Desk()

    @Test("a new entry is pending and idle; one with an initial value has it, and is idle", .rule("T2"))
    func newEntry() {
        let empty = desk.client.observe(desk.user.enabled(false)).snapshot
        #expect(empty.brief == "pending")
        #expect(empty.activity == .idle)
        let initial = desk.client.observe(desk.query("other").initial("Ann").enabled(false)).snapshot
        #expect(initial.value == "Ann")
        #expect(initial.activity == .idle)
    }

    @Test("a refetch, running or waiting, never hides the value", .rule("A1", "T1"))
    func refetchKeepsValue() {
        desk.receive("Ann", for: desk.user)
        let observer = desk.client.observe(desk.user)
        #expect(observer.snapshot.brief == "Ann…")
        #expect(observer.snapshot.isRefetching && !observer.snapshot.isLoading)
        desk.client.cancel(.all)
        desk.lab.setOnline(false)
        let task = desk.refetch(desk.user)
        #expect(observer.snapshot.value == "Ann")
        #expect(observer.snapshot.isPaused)
        task.cancel()
    }

    @Test("a first load that waits for the network is pending and paused, not loading", .rule("T1", "T8"))
    func pendingPaused() {
        desk.lab.setOnline(false)
        let snapshot = desk.client.observe(desk.user).snapshot
        #expect(snapshot.brief == "pending")
        #expect(snapshot.isPaused && !snapshot.isLoading && !snapshot.isFetching)
    }

    @Test("repeating a failed first load is pending again; repeating a failed refetch keeps the error", .rule("T4"))
    func startKeepsOrClearsError() {
        let observer = desk.client.observe(desk.user)
        desk.fetcher.fail(with: Trouble.first)
        #expect(observer.snapshot.error as? Trouble == .first)
        var task = desk.refetch(desk.user)
        #expect(observer.snapshot.error == nil)
        #expect(observer.snapshot.brief == "pending…")
        desk.fetcher.succeed(with: "Ann")
        #expect(task.value == "Ann")
        task = desk.refetch(desk.user)
        desk.fetcher.fail(with: Trouble.second)
        task = desk.refetch(desk.user)
        #expect(observer.snapshot.error as? Trouble == .second)
        #expect(observer.snapshot.brief == "Ann…")
        task.cancel()
    }

    @Test(
        "a first load that repeats itself leaves the error visible; one that somebody asks for does not",
        .rule("K17", "T4"))
    func pollLeavesError() {
        let phases = Recorder<String>()
        let observer = desk.client.observe(
            desk.user.placeholder("someone").poll(every: .seconds(10)).retry(RetryPolicy(limit: 1))
        ) { phases.append($0.brief) }
        for number in 0..<3 {
            if number > 0 { desk.lab.advance(by: .seconds(10)) }
            desk.fetcher.fail(with: Status(503))
            desk.lab.advance(by: .seconds(3))
            desk.fetcher.fail(with: Trouble.first)
            #expect(observer.snapshot.error as? Trouble == .first)
        }
        #expect(Set(phases.all.drop { !$0.hasPrefix("failure") }) == ["failure", "failure…"])
        desk.lab.setOnline(false)
        desk.lab.setOnline(true)
        #expect(observer.snapshot.brief == "failure…")
        desk.fetcher.fail(with: Trouble.second)
        let task = desk.refetch(desk.user)
        #expect(observer.snapshot.brief == "someone…" && observer.snapshot.error == nil)
        task.cancel()
    }

    @Test(
        "an invalidation by the program hides the error of a first load; one by a mutation leaves it",
        .rule("K17", "T4"))
    func invalidationAndError() async throws {
        struct Touch: Mutating {
            func run(_ context: MutationContext) async throws -> Int { 1 }
            func invalidates(_ output: Int) -> [KeyFilter] { [.all] }
        }
        let observer = desk.client.observe(desk.user)
        desk.fetcher.fail(with: Trouble.first)
        let touched = desk.lab.start { [client = desk.client] in try await client.mutate(Touch()) }
        #expect(touched.value == 1)
        #expect(observer.snapshot.brief == "failure…")
        desk.fetcher.fail(with: Trouble.second)
        desk.client.invalidateWithoutWaiting(desk.user)
        #expect(observer.snapshot.brief == "pending…")
    }

    @Test("a success ends error and invalidation, counts, and has its time", .rule("T5"))
    func success() {
        let observer = desk.client.observe(desk.user)
        desk.fetcher.fail(with: Trouble.first)
        desk.lab.advance(by: .seconds(3))
        desk.receive("Ann", for: desk.user)
        let snapshot = observer.snapshot
        #expect(snapshot.error == nil)
        #expect(!snapshot.isInvalidated)
        #expect(snapshot.valueCount == 1)
        #expect(snapshot.updatedAt?.timeIntervalSinceReferenceDate == 3)
        #expect(snapshot.activity == .idle)
    }

    @Test("a failed refetch keeps the value, has its error and time, and makes the value stale", .rule("A2", "T6"))
    func failedRefetch() {
        let observer = desk.client.observe(desk.user.staleAfter(.never))
        desk.fetcher.succeed(with: "Ann")
        #expect(!observer.snapshot.isStale)
        desk.lab.advance(by: .seconds(5))
        let task = desk.refetch(desk.user)
        desk.fetcher.fail(with: Trouble.first)
        #expect(task.error as? Trouble == .first)
        let snapshot = observer.snapshot
        #expect(snapshot.brief == "Ann (stale)")
        #expect(snapshot.error as? Trouble == .first)
        #expect(snapshot.failureCount == 1)
        #expect(snapshot.failedAt?.timeIntervalSinceReferenceDate == 5)
        #expect(snapshot.updatedAt?.timeIntervalSinceReferenceDate == 0)
    }

    @Test("a cancelled refetch changes nothing but the activity", .rule("A2"))
    func cancelledRefetch() {
        let observer = desk.client.observe(desk.user.staleAfter(.never))
        desk.fetcher.succeed(with: "Ann")
        let before = observer.snapshot
        let task = desk.refetch(desk.user)
        desk.client.cancel(.all)
        desk.lab.settle()
        let after = observer.snapshot
        #expect(task.value == "Ann", "who waits gets what is there")
        #expect(after.value == before.value && after.error == nil && !after.isStale)
        #expect(after.failureCount == 0 && after.updatedAt == before.updatedAt)
        #expect(after.activity == .idle)
    }

    @Test(
        "a fetcher that always fails runs once more than it is retried; each failed attempt shows", .rule("T7", "T35"))
    func failedAttempts() {
        let policy = RetryPolicy(limit: 3, delay: { _ in .seconds(1) }, hasJitter: false) { _ in true }
        let observer = desk.client.observe(desk.user.retry(policy))
        for attempt in 1...3 {
            desk.fetcher.fail(with: Trouble.first)
            let snapshot = observer.snapshot
            #expect(snapshot.brief == "pending…")
            #expect(snapshot.failedAttempts == attempt)
            #expect(snapshot.lastAttemptError as? Trouble == .first)
            desk.lab.advance(by: .seconds(1))
        }
        desk.fetcher.fail(with: Trouble.second)
        #expect(desk.fetcher.calls.map(\.attempt) == [1, 2, 3, 4])
        #expect(observer.snapshot.brief == "failure")
        #expect(observer.snapshot.failedAttempts == 0, "none runs any more")
        #expect(observer.snapshot.failureCount == 1)
        #expect(observer.snapshot.error as? Trouble == .second)
    }

    @Test("a fetch or a write that ended counts as fetched; an initial value does not", .rule("T9"))
    func isFetched() throws {
        let initial = desk.query("initial").initial("Ann").enabled(false)
        #expect(!desk.client.observe(initial).snapshot.isFetched)
        try desk.client.set("Bea", for: initial)
        #expect(desk.client.snapshot(of: initial).isFetched)
        let observer = desk.client.observe(desk.user)
        #expect(!observer.snapshot.isFetched)
        desk.fetcher.fail(with: Trouble.first)
        #expect(observer.snapshot.isFetched)
    }

    @Test("a value that is nil is a value, not the lack of one", .rule("T11"))
    func optionalValue() throws {
        let key = QueryDefinition<String?>.value("maybe")
        #expect(desk.client.value(of: key) == nil)
        try desk.client.set(nil, for: key)
        let snapshot = desk.client.snapshot(of: key)
        #expect(snapshot.value == .some(nil))
        guard case .content(nil) = snapshot.phase else {
            Issue.record("\(snapshot.phase)")
            return
        }
    }

    @Test("All fields of a snapshot are from one moment, and its version only grows")
    func versions() {
        let seen = Recorder<Snapshot<String>>()
        let observer = desk.client.observe(desk.user) { seen.append($0) }
        desk.fetcher.succeed(with: "Ann")
        desk.client.cancel(.all)
        let task = desk.refetch(desk.user)
        desk.fetcher.succeed(with: "Bea")
        #expect(task.value == "Bea")
        #expect(seen.all.map(\.brief) == ["Ann (stale)", "Ann…", "Bea (stale)"])
        let versions = seen.all.map(\.version)
        #expect(versions == versions.sorted() && Set(versions).count == versions.count)
        #expect(observer.snapshot.version == versions.last)
    }
}
