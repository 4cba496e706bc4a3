import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("The foreground, and polling")
struct ForegroundTests {
    let desk = Desk()

    private func leave(for duration: Duration) {
        desk.lab.setActive(false)
        desk.lab.advance(by: duration)
        desk.lab.setActive(true)
    }

    @Test(
        "coming back refetches what is stale after 5 s away, not before", .rule("A11"),
        arguments: [
            (Duration.milliseconds(4_999), 0), (.seconds(5), 1), (.seconds(3600), 1),
        ])
    func minimumAway(_ away: Duration, _ refetches: Int) {
        let observer = desk.client.observe(desk.user)
        desk.fetcher.succeed(with: "Ann")
        leave(for: away)
        #expect(desk.fetcher.calls.dropFirst().map(\.cause) == Array(repeating: .foreground, count: refetches))
        withExtendedLifetime(observer) {}
    }

    @Test("a client that is made in the background has been away since", .rule("A11"))
    func madeInBackground() {
        desk.lab.setActive(false)
        let client = QueryClient(environment: desk.lab.environment)
        let observer = client.observe(desk.user)
        desk.fetcher.succeed(with: "Ann")
        desk.lab.advance(by: .seconds(5))
        desk.lab.setActive(true)
        #expect(observer.snapshot.cause == .foreground)
    }

    @Test(
        "the minimum time away is the client's", .rule("A11"),
        arguments: [
            (Duration.zero, true), (.seconds(-1), true), (.seconds(60), false),
        ])
    func ownMinimum(_ minimum: Duration, _ refetches: Bool) {
        let client = QueryClient(minimumAway: minimum, environment: desk.lab.environment)
        let observer = client.observe(desk.user)
        desk.fetcher.succeed(with: "Ann")
        leave(for: .seconds(10))
        #expect(observer.snapshot.isFetching == refetches)
    }

    @Test(
        "what coming back refetches", .rule("T73", "T74"),
        arguments: [
            (RefetchTrigger.ifStale, StaleTime.zero, true), (.ifStale, .seconds(600), false),
            (.always, .seconds(600), true),
            (.never, .zero, false),
        ])
    func triggers(_ trigger: RefetchTrigger, _ time: StaleTime, _ refetches: Bool) {
        let observer = desk.client.observe(desk.user.refetchOnForeground(trigger).staleAfter(time))
        desk.fetcher.succeed(with: "Ann")
        leave(for: .seconds(10))
        #expect(observer.snapshot.isFetching == refetches)
    }

    @Test("many observers of an entry cause one fetch, and one that runs is not replaced", .rule("T74"))
    func oneFetch() {
        let observers = (0..<3).map { _ in desk.client.observe(desk.user.refetchOnForeground(.always)) }
        desk.fetcher.succeed(with: "Ann")
        leave(for: .seconds(10))
        leave(for: .seconds(10))
        #expect(desk.fetcher.calls.count == 2)
        withExtendedLifetime(observers) {}
    }

    @Test("a short absence still lets go on what waited for the foreground", .rule("T74"))
    func resumesAfterShortAbsence() {
        let policy = RetryPolicy(limit: 1, delay: { _ in .seconds(1) }, hasJitter: false) { _ in true }
        let observer = desk.client.observe(desk.user.retry(policy))
        desk.fetcher.fail(with: Trouble.first)
        leave(for: .seconds(2))
        #expect(desk.fetcher.calls.map(\.attempt) == [1, 2])
        withExtendedLifetime(observer) {}
    }

    @Test("a client that is gone listens to nothing", .rule("T75"))
    func goneClient() {
        let seen = Recorder<Int>()
        do {
            let client = QueryClient(environment: desk.lab.environment)
            let observer = client.observe(desk.user)
            desk.fetcher.succeed(with: "Ann")
            seen.append(desk.fetcher.calls.count)
            withExtendedLifetime(observer) {}
        }
        leave(for: .seconds(10))
        desk.lab.setOnline(false)
        desk.lab.setOnline(true)
        #expect(seen.all == [1] && desk.fetcher.calls.count == 1)
    }

    @Test("polling fetches at its interval from the newest fetch, while somebody observes", .rule("T69", "T70"))
    func polls() {
        desk.fetcher.answer { _ in "Ann" }
        var observer: QueryObserver<String>? = desk.client.observe(desk.user.poll(every: .seconds(10)))
        desk.lab.advance(by: .seconds(25))
        #expect(desk.fetcher.calls.count == 3)
        #expect(desk.refetch(desk.user).value == "Ann")
        desk.lab.advance(by: .seconds(9))
        #expect(desk.fetcher.calls.count == 4, "the interval began anew")
        desk.lab.advance(by: .seconds(1))
        #expect(desk.fetcher.calls.last?.cause == .poll)
        observer = nil
        desk.lab.advance(by: .seconds(100))
        #expect(desk.fetcher.calls.count == 5)
        #expect(observer == nil)
    }

    @Test("a tick joins a fetch that runs; a failure does not end polling", .rule("T71"))
    func tickDuringFetch() {
        let observer = desk.client.observe(desk.user.poll(every: .seconds(10)))
        desk.lab.advance(by: .seconds(35))
        #expect(desk.fetcher.calls.count == 1)
        desk.fetcher.fail(with: Trouble.first)
        desk.lab.advance(by: .seconds(10))
        #expect(desk.fetcher.calls.count == 2)
        withExtendedLifetime(observer) {}
    }

    @Test(
        "in the background ticks are skipped, unless asked for, and do not pile up", .rule("T71"),
        arguments: [
            (false, 1, 2), (true, 4, 5),
        ])
    func inBackground(_ asked: Bool, _ away: Int, _ back: Int) {
        desk.fetcher.answer { _ in "Ann" }
        let observer = desk.client.observe(
            desk.user.poll(every: .seconds(10), inBackground: asked).refetchOnForeground(.never))
        desk.lab.setActive(false)
        desk.lab.advance(by: .seconds(35))
        #expect(desk.fetcher.calls.count == away)
        desk.lab.setActive(true)
        desk.lab.advance(by: .seconds(5))
        #expect(desk.fetcher.calls.count == back)
        withExtendedLifetime(observer) {}
    }

    @Test(
        "a failed poll is retried in the background, and polling goes on there", .rule("K15", "T37", "T71"),
        arguments: [NetworkMode.online, .offlineFirst, .always])
    func retriesInBackground(_ mode: NetworkMode) {
        let user = desk.user.retry(.standard).networkMode(mode).refetchOnForeground(.never)
        let observer = desk.client.observe(user.poll(every: .seconds(60), inBackground: true))
        desk.fetcher.succeed(with: "Ann")
        desk.lab.setActive(false)
        desk.lab.advance(by: .seconds(60))
        desk.fetcher.fail(with: Status(503))
        #expect(observer.snapshot.activity == .fetching)
        desk.fetcher.answer { _ in "Ann" }
        desk.lab.advance(by: .seconds(60 * 60))
        #expect(desk.fetcher.calls.count == 63, "the first load, a poll in each of 61 minutes, and one retry")
    }

    @Test(
        "without a poller in the background, retries wait for the foreground, and one that comes resumes them",
        .rule("K15", "T37")
    )
    func pollerArrivesInBackground() {
        let user = desk.user.retry(.standard).refetchOnForeground(.never)
        // An interval alone, without a poll, does not count.
        let observer = desk.client.observe(user.options { $0.pollsInBackground = true })
        desk.lab.setActive(false)
        desk.fetcher.fail(with: Status(503))
        desk.lab.advance(by: .seconds(300))
        #expect(observer.snapshot.activity == .paused && desk.fetcher.calls.count == 1)
        let poller = desk.client.observe(user.poll(every: .seconds(10), inBackground: true))
        desk.lab.advance(by: .seconds(10))
        #expect(desk.fetcher.calls.count == 2)
        desk.fetcher.succeed(with: "Ann")
        #expect(poller.value == "Ann")
    }

    @Test("an observer that polls again polls at once, if a poll has become due in the meantime", .rule("A64"))
    func pause() {
        desk.fetcher.answer { _ in "Ann" }
        let polling = desk.user.poll(every: .seconds(10))
        let observer = desk.client.observe(polling)
        observer.observe(desk.user)
        desk.lab.advance(by: .seconds(25))
        #expect(desk.fetcher.calls.count == 1)
        observer.observe(polling)
        desk.lab.advance(by: .zero)
        #expect(desk.fetcher.calls.map(\.cause) == [.observed, .poll])
        desk.lab.advance(by: .seconds(10))
        #expect(desk.fetcher.calls.count == 3)
    }

    @Test("polling is off for an interval that is not positive, and for a disabled observer", .rule("T69"))
    func off() {
        let observers = [
            desk.client.observe(desk.user.poll(every: .zero)), desk.client.observe(desk.user.poll(every: .seconds(-1))),
            desk.client.observe(desk.user.poll(every: .seconds(1)).enabled(false)),
        ]
        desk.fetcher.succeed(with: "Ann")
        desk.lab.advance(by: .seconds(100))
        #expect(desk.fetcher.calls.count == 1)
        withExtendedLifetime(observers) {}
    }
}
