import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Retrying")
struct RetryTests {
    let desk = Desk()
    let everySecond = RetryPolicy(limit: 2, delay: { _ in .seconds(1) }, hasJitter: false) { _ in true }

    @Test("by default nothing is retried", .rule("A8", "T33"))
    func never() {
        let task = desk.fetch(desk.user)
        desk.fetcher.fail(with: Status(503))
        #expect(task.error is Status)
        desk.lab.advance(by: .seconds(3600))
        #expect(desk.fetcher.calls.count == 1)
    }

    @Test(
        "one word turns retry on for a client, a prefix or a definition", .rule("A8"),
        arguments: ["client", "prefix", "own"])
    func oneWord(_ layer: String) {
        let desk = Desk { $0.retry = layer == "client" ? .standard : .never }
        if layer == "prefix" { desk.client.setDefaults(for: "users") { $0.retry = .standard } }
        let task = desk.fetch(layer == "own" ? desk.user.retry(.standard) : desk.user)
        desk.fetcher.fail(with: Status(503))
        desk.lab.advance(by: .seconds(30))
        desk.fetcher.succeed(with: "Ann")
        #expect(task.value == "Ann")
    }

    @Test("what a failed attempt said of \"not modified\" does not count for its retry", .rule("A5"))
    func notModifiedOnce() {
        desk.receive("Ann", for: desk.user)
        let user = QueryDefinition<String>(desk.user.key) { context in
            guard context.attempt == 1 else { return "Bea" }
            _ = try context.notModified()
            throw Trouble.first
        }
        let task = desk.refetch(user.retry(everySecond))
        desk.lab.advance(by: .seconds(1))
        #expect(task.value == "Bea")
    }

    @Test("an attempt that is retried changes neither value nor error, and its waiters wait", .rule("T35"))
    func keepsState() {
        desk.receive("Ann", for: desk.user)
        let task = desk.refetch(desk.user.retry(everySecond))
        desk.fetcher.fail(with: Trouble.first)
        let snapshot = desk.client.snapshot(of: desk.user)
        #expect(snapshot.value == "Ann" && snapshot.error == nil && snapshot.isFetching)
        #expect(snapshot.failedAttempts == 1 && task.result == nil)
        desk.lab.advance(by: .seconds(1))
        desk.fetcher.succeed(with: "Bea")
        #expect(task.value == "Bea")
    }

    @Test("Attempts and causes are told to the fetcher and to the event stream")
    func story() {
        let observer = desk.client.observe(desk.user.retry(everySecond))
        desk.fetcher.fail(with: Status(503))
        desk.lab.advance(by: .seconds(1))
        desk.fetcher.fail(with: Trouble.first)
        desk.lab.advance(by: .seconds(1))
        desk.fetcher.succeed(with: "Ann")
        #expect(
            desk.lab.log == [
                "users/1 fetching (observed)", "users/1 retrying in 1.0 s after 503",
                "users/1 fetching again (retry 1 after 503, observed)", "users/1 retrying in 1.0 s after Trouble",
                "users/1 fetching again (retry 2 after Trouble, observed)", "users/1 fresh",
            ])
        #expect(desk.fetcher.calls.map(\.attempt) == [1, 2, 3])
        #expect(desk.fetcher.calls.map(\.cause.origin) == [.observed, .observed, .observed])
        withExtendedLifetime(observer) {}
    }

    @Test("nothing happens before the delay has passed", .rule("T34"))
    func waits() {
        let observer = desk.client.observe(desk.user.retry(everySecond))
        desk.fetcher.fail(with: Trouble.first)
        desk.lab.advance(by: .milliseconds(999))
        #expect(desk.fetcher.calls.count == 1)
        desk.lab.advance(by: .milliseconds(1))
        #expect(desk.fetcher.calls.count == 2)
        withExtendedLifetime(observer) {}
    }

    @Test("the jitter is the client's random source's: one seed, one delay", .rule("A8"))
    func seededJitter() {
        func delays(seed: UInt64) -> [String] {
            let desk = Desk(seed: seed)
            let observer = desk.client.observe(desk.user.retry(.standard))
            for _ in 0..<3 {
                desk.fetcher.fail(with: Status(503))
                desk.lab.advance(by: .seconds(30))
            }
            withExtendedLifetime(observer) {}
            return desk.lab.log.filter { $0.contains("retrying") }
        }
        #expect(delays(seed: 1).count == 3)
        #expect(delays(seed: 1) == delays(seed: 1))
        #expect(delays(seed: 1) != delays(seed: 2))
    }

    @Test("Retry-After is obeyed; one that is too long for a person is a failure", .rule("A8", "K30"))
    func retryAfter() {
        let observer = desk.client.observe(desk.user.retry(.standard))
        desk.fetcher.fail(with: Status(429, retryAfter: .seconds(29)))
        desk.lab.advance(by: .seconds(28))
        #expect(desk.fetcher.calls.count == 1)
        desk.lab.advance(by: .seconds(1))
        #expect(desk.fetcher.calls.count == 2)
        desk.fetcher.fail(with: Status(429, retryAfter: .seconds(90)))
        #expect((observer.snapshot.error as? Status)?.retryAfter == .seconds(90))
        desk.lab.advance(by: .seconds(3600))
        #expect(desk.fetcher.calls.count == 2)
        withExtendedLifetime(observer) {}
    }

    @Test("the policy's predicate decides per error", .rule("T33"))
    func predicate() {
        let policy = RetryPolicy(limit: 5, delay: { _ in .zero }, hasJitter: false) { $0 as? Trouble == .first }
        let task = desk.fetch(desk.user.retry(policy))
        desk.fetcher.fail(with: Trouble.first)
        desk.lab.advance(by: .zero)
        desk.fetcher.fail(with: Trouble.second)
        #expect(task.error as? Trouble == .second)
        #expect(desk.fetcher.calls.count == 2)
    }

    @Test(
        "a cancelled fetch is not retried, neither while it runs nor while it backs off", .rule("A9"),
        arguments: [true, false])
    func cancelled(_ whileBackingOff: Bool) {
        let task = desk.fetch(desk.user.retry(everySecond))
        if whileBackingOff { desk.fetcher.fail(with: Trouble.first) }
        desk.client.cancel(.all)
        desk.lab.advance(by: .seconds(60))
        #expect(task.error is CancellationError)
        #expect(desk.fetcher.calls.count == 1)
        #expect(desk.client.snapshot(of: desk.user).error == nil)
    }

    @Test("when nobody is interested any more the attempt ends, is cached, and is not retried", .rule("T38"))
    func abandoned() {
        var observer: QueryObserver<String>? = desk.client.observe(desk.user.retry(everySecond))
        observer = nil
        #expect(desk.fetcher.pendingCount == 1)
        desk.fetcher.fail(with: Trouble.first)
        desk.lab.advance(by: .seconds(60))
        #expect(desk.fetcher.calls.count == 1)
        observer = desk.client.observe(desk.user)
        observer = nil
        desk.fetcher.succeed(with: "Ann")
        #expect(desk.client.value(of: desk.user) == "Ann")
        #expect(observer == nil)
    }

    @Test("who comes before the attempt ends turns retries on again", .rule("T38"))
    func returned() {
        var observer: QueryObserver<String>? = desk.client.observe(desk.user.retry(everySecond))
        observer = nil
        observer = desk.client.observe(desk.user.retry(everySecond))
        desk.fetcher.fail(with: Trouble.first)
        desk.lab.advance(by: .seconds(1))
        #expect(desk.fetcher.calls.count == 2)
        #expect(observer?.snapshot.failedAttempts == 1)
    }

    @Test("A waiter is interest enough for a retry")
    func waiter() {
        let task = desk.fetch(desk.user.retry(everySecond))
        desk.fetcher.fail(with: Trouble.first)
        desk.lab.advance(by: .seconds(1))
        desk.fetcher.succeed(with: "Ann")
        #expect(task.value == "Ann")
    }
}
