import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("One fetch per key, and the latest asked wins")
struct DedupeTests {
    let desk = Desk()

    @Test("a second fetch joins the first", .rule("T28"))
    func joins() {
        let tasks = (0..<5).map { _ in desk.fetch(desk.user) }
        #expect(desk.fetcher.calls.count == 1)
        desk.fetcher.succeed(with: "Ann")
        #expect(tasks.map(\.value) == Array(repeating: "Ann", count: 5))
        #expect(desk.lab.log.count { $0 == "users/1 joined (requested)" } == 4)
    }

    @Test("those who joined share the failure", .rule("T28"))
    func shareFailure() {
        let tasks = (0..<3).map { _ in desk.fetch(desk.user) }
        desk.fetcher.fail(with: Trouble.first)
        #expect(tasks.allSatisfy { $0.error as? Trouble == .first })
    }

    @Test("who joins with other options gets the result, and what is ignored is said", .rule("T28", "A6"))
    func ignoredOptions() {
        let first = desk.fetch(desk.user)
        let second = desk.fetch(desk.user.retry(.standard).staleAfter(.seconds(9)))
        let observer = desk.client.observe(desk.user.networkMode(.always))
        #expect(
            desk.lab.log.filter { $0.contains("ignoring") } == [
                "users/1 joined, ignoring retry", "users/1 joined, ignoring networkMode",
            ])
        desk.lab.advance(by: .seconds(2))
        desk.fetcher.fail(with: Status(503))
        #expect((second.error as? Status)?.statusCode == 503, "not retried")
        withExtendedLifetime((first, observer)) {}
    }

    @Test(
        "who joins waits no longer than its own time limit; of a longer one is said that it is ignored",
        .rule("A77", "A6"))
    func ownTimeLimit() {
        let first = desk.fetch(desk.user.timeLimit(.seconds(10)))
        let hasty = desk.fetch(desk.user.timeLimit(.seconds(1)))
        let patient = desk.fetch(desk.user.timeLimit(.seconds(20)))
        #expect(desk.lab.log.filter { $0.contains("ignoring") } == ["users/1 joined, ignoring timeLimit"])
        desk.lab.advance(by: .milliseconds(999))
        #expect(hasty.error == nil)
        desk.lab.advance(by: .milliseconds(1))
        #expect(hasty.error as? QueryError == .timedOut(key: "users/1", limit: .seconds(1)))
        #expect(first.error == nil && desk.fetcher.pendingCount == 1)
        desk.lab.advance(by: .seconds(9))
        #expect(patient.error as? QueryError == .timedOut(key: "users/1", limit: .seconds(10)))
    }

    @Test("a refetch replaces a running one; who waits for either gets the newer outcome", .rule("T29"))
    func replaces() {
        desk.receive("Ann", for: desk.user)
        let first = desk.refetch(desk.user)
        let second = desk.refetch(desk.user)
        #expect(desk.fetcher.pending.map(\.index) == [2], "the first was cancelled")
        desk.fetcher.succeed(with: "Bea")
        #expect(first.value == "Bea" && second.value == "Bea")
    }

    @Test("a first load is never replaced by a refetch", .rule("T30"))
    func firstLoad() {
        let observer = desk.client.observe(desk.user)
        let task = desk.refetch(desk.user)
        desk.client.invalidate(.all)
        #expect(desk.fetcher.calls.count == 1)
        desk.fetcher.succeed(with: "Ann")
        #expect(task.value == "Ann" && observer.value == "Ann")
    }

    @Test("asking by name and invalidating replace; what happens by itself joins", .rule("T31"))
    func whatReplaces() {
        desk.receive("Ann", for: desk.user)
        let observer = desk.client.observe(desk.user.poll(every: .seconds(5)).refetchOnForeground(.always))
        desk.lab.setActive(false)
        desk.lab.advance(by: .seconds(20))
        desk.lab.setActive(true)
        desk.lab.setOnline(false)
        desk.lab.setOnline(true)
        desk.lab.advance(by: .seconds(20))
        #expect(desk.fetcher.calls.map(\.index) == [0, 1])
        desk.client.invalidate(.all)
        #expect(desk.fetcher.calls.count == 3)
        let task = desk.lab.start { try await observer.refetch() }
        #expect(desk.fetcher.calls.count == 4)
        task.cancel()
    }

    @Test(
        "the answer of an older fetch never lands, not even when it comes last", .rule("A7"), arguments: [true, false])
    func olderAnswer(_ olderFirst: Bool) {
        let slow = desk.lab.fetcher(returning: String.self, ignoringCancellation: true)
        let user = QueryDefinition("users", 2, fetch: slow.fetch)
        let seen = Recorder<String>()
        let observer = desk.client.observe(user) { seen.append($0.value ?? "nothing") }
        slow.succeed(with: "Ann")
        let tasks = (0..<2).map { _ in desk.refetch(user) }
        #expect(slow.pendingCount == 2)
        if olderFirst {
            slow.succeed(1, with: "older")
            slow.succeed(2, with: "newer")
        } else {
            slow.succeed(2, with: "newer")
            slow.succeed(1, with: "older")
        }
        #expect(observer.value == "newer")
        #expect(tasks.map(\.value) == ["newer", "newer"])
        #expect(!seen.all.contains("older"))
        #expect(desk.lab.log.contains("users/2 late answer dropped (superseded)"))
    }

    @Test("the failure of an older fetch does not show either", .rule("A7"))
    func olderFailure() {
        let slow = desk.lab.fetcher(returning: String.self, ignoringCancellation: true)
        let user = QueryDefinition("users", 2, fetch: slow.fetch)
        let observer = desk.client.observe(user)
        slow.succeed(with: "Ann")
        let tasks = (0..<2).map { _ in desk.refetch(user) }
        slow.succeed(2, with: "newer")
        slow.fail(1, with: Trouble.first)
        #expect(observer.snapshot.error == nil)
        #expect(tasks.allSatisfy { $0.value == "newer" })
    }

    @Test("Different keys fetch at the same time")
    func otherKeys() {
        let tasks = (1...3).map { desk.fetch(desk.query(QueryKey("users", $0))) }
        #expect(desk.fetcher.pendingCount == 3)
        for name in ["Ann", "Bea", "Cid"] { desk.fetcher.succeed(with: name) }
        #expect(tasks.map(\.value) == ["Ann", "Bea", "Cid"])
    }

    @Test(
        "cacheFirst takes what is there, however old; fetch only what is fresh; refetch nothing that is there",
        .rule("T86")
    )
    func waysOfAsking() {
        desk.receive("Ann", for: desk.user)
        desk.lab.advance(by: .seconds(100))
        let ensured = desk.lab.start { [desk] in try await desk.client.fetch(desk.user, .cacheFirst) }
        #expect(ensured.value == "Ann")
        #expect(desk.fetcher.calls.count == 1)
        #expect(desk.fetch(desk.user).result == nil)
        #expect(desk.fetcher.calls.count == 2)
    }

    @Test("Prefetching waits, and keeps its failure to the entry")
    func prefetch() {
        let task = desk.lab.start { [desk] in await desk.client.prefetch(desk.user) }
        #expect(desk.fetcher.calls.map(\.cause) == [.prefetched])
        desk.fetcher.fail(with: Trouble.first)
        #expect(task.result != nil && task.error == nil)
        #expect(desk.client.snapshot(of: desk.user).error as? Trouble == .first)
    }
}
