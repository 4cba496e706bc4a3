import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("The network")
struct NetworkTests {
    let desk = Desk()
    let everySecond = RetryPolicy(limit: 3, delay: { _ in .seconds(1) }, hasJitter: false) { _ in true }

    @Test("offline, a fetch waits without calling the fetcher, and goes on when the network is back", .rule("T39"))
    func online() {
        desk.lab.setOnline(false)
        let task = desk.fetch(desk.user.refetchOnReconnect(.never))
        #expect(desk.fetcher.calls.isEmpty && task.result == nil)
        #expect(desk.client.snapshot(of: desk.user).isPaused)
        desk.lab.setOnline(true)
        desk.fetcher.succeed(with: "Ann")
        #expect(task.value == "Ann")
        #expect(
            desk.lab.log == [
                "users/1 paused (requested)", "users/1 resumed", "users/1 fetching (requested)", "users/1 fresh",
            ])
    }

    @Test("offline-first, the first attempt runs offline, and retries wait", .rule("T40"))
    func offlineFirst() {
        desk.lab.setOnline(false)
        let observer = desk.client.observe(desk.user.networkMode(.offlineFirst).retry(everySecond))
        desk.fetcher.fail(with: Trouble.first)
        desk.lab.advance(by: .seconds(10))
        #expect(desk.fetcher.calls.count == 1)
        #expect(observer.snapshot.isPaused)
        desk.lab.setOnline(true)
        #expect(desk.fetcher.calls.map(\.attempt) == [1, 2])
    }

    @Test("a fetch that never asks for the network is not stopped by it, nor refetched for it", .rule("T41"))
    func always() {
        desk.lab.setOnline(false)
        let observer = desk.client.observe(desk.user.networkMode(.always).retry(everySecond))
        desk.fetcher.fail(with: Trouble.first)
        desk.lab.advance(by: .seconds(1))
        desk.fetcher.succeed(with: "Ann")
        #expect(observer.value == "Ann")
        desk.lab.setOnline(true)
        #expect(desk.fetcher.calls.count == 2)
    }

    @Test(
        "in the background retries wait, whatever the network mode", .rule("T37"),
        arguments: [NetworkMode.online, .always])
    func background(_ mode: NetworkMode) {
        let observer = desk.client.observe(desk.user.networkMode(mode).retry(everySecond))
        desk.fetcher.fail(with: Trouble.first)
        desk.lab.setActive(false)
        desk.lab.advance(by: .seconds(10))
        #expect(observer.snapshot.isPaused)
        #expect(desk.fetcher.calls.count == 1)
        desk.lab.setActive(true)
        #expect(desk.fetcher.calls.count == 2)
    }

    @Test("a retry that waited runs at once when it may", .rule("T36"))
    func retryResumes() {
        let observer = desk.client.observe(desk.user.retry(everySecond))
        desk.fetcher.fail(with: Trouble.first)
        desk.lab.setOnline(false)
        desk.lab.advance(by: .seconds(10))
        desk.lab.setOnline(true)
        #expect(desk.fetcher.calls.map(\.attempt) == [1, 2])
        desk.fetcher.succeed(with: "Ann")
        #expect(observer.value == "Ann")
    }

    @Test("the network's return does not cut a delay short", .rule("T36"))
    func delayStays() {
        let observer = desk.client.observe(desk.user.retry(everySecond))
        desk.fetcher.fail(with: Trouble.first)
        desk.lab.setOnline(false)
        desk.lab.setOnline(true)
        #expect(desk.fetcher.calls.count == 1)
        desk.lab.advance(by: .seconds(1))
        #expect(desk.fetcher.calls.count == 2)
        withExtendedLifetime(observer) {}
    }

    @Test("a fetch that waits needs network and foreground to go on", .rule("T43"))
    func needsBoth() {
        desk.lab.setOnline(false)
        desk.lab.setActive(false)
        let observer = desk.client.observe(desk.user)
        desk.lab.setOnline(true)
        #expect(observer.snapshot.isPaused && desk.fetcher.calls.isEmpty)
        desk.lab.setActive(true)
        #expect(observer.snapshot.isFetching && desk.fetcher.calls.count == 1)
    }

    @Test("a first load that waits is called off when nobody is interested any more", .rule("T44"))
    func firstLoadCalledOff() {
        desk.lab.setOnline(false)
        let observer = desk.client.observe(desk.user)
        let task = desk.fetch(desk.user)
        observer.cancel()
        #expect(desk.client.snapshot(of: desk.user).isPaused, "one still waits")
        task.cancel()
        #expect(task.error is CancellationError)
        #expect(desk.client.snapshot(of: desk.user).activity == .idle)
        desk.lab.setOnline(true)
        #expect(desk.fetcher.calls.isEmpty)
    }

    @Test("invalidating and refetching do not wait for what waits for the network", .rule("T45"))
    func doesNotWaitForPaused() {
        desk.receive("Ann", for: desk.user)
        let observer = desk.client.observe(desk.user.enabled(false))
        desk.lab.setOnline(false)
        observer.setEnabled(true)
        let tasks = [
            desk.lab.start { [desk] in await desk.client.invalidate(.all) },
            desk.lab.start { [desk] in await desk.client.refetch(.all) },
        ]
        #expect(tasks.allSatisfy { $0.result != nil })
        #expect(observer.snapshot.isPaused)
    }

    @Test("a program starts online and in the foreground; setting the same again tells nobody", .rule("T72", "A12"))
    func signals() {
        let environment = QueryEnvironment()
        #expect(environment.connectivity.isOn && environment.activity.isOn && !environment.memoryPressure.isOn)
        let seen = Recorder<Bool>()
        let subscription = environment.connectivity.onChange { seen.append($0) }
        for isOn in [true, false, false, true, true] { environment.connectivity.set(isOn) }
        #expect(seen.all == [false, true])
        subscription.cancel()
        environment.connectivity.set(false)
        #expect(seen.all == [false, true])
    }

    @Test("two clients with two environments know nothing of each other", .rule("A10"))
    func perClient() {
        let other = Desk()
        desk.lab.setOnline(false)
        let (here, there) = (desk.client.observe(desk.user), other.client.observe(other.user))
        #expect(here.snapshot.isPaused)
        #expect(there.snapshot.isFetching)
    }

    @Test("the network's return refetches what is stale and observed; its loss does nothing", .rule("T73", "T41"))
    func reconnect() {
        let stale = desk.client.observe(desk.user)
        desk.fetcher.succeed(with: "Ann")
        let fresh = desk.client.observe(desk.query("fresh").staleAfter(.seconds(60)))
        desk.fetcher.succeed(with: "Bea")
        let deaf = desk.client.observe(desk.query("deaf").refetchOnReconnect(.never))
        desk.fetcher.succeed(with: "Cid")
        desk.receive("Dan", for: desk.query("unused"))
        desk.lab.setOnline(false)
        #expect(desk.fetcher.pendingCount == 0)
        desk.lab.setOnline(true)
        #expect(desk.fetcher.pending.map(\.key) == [desk.user.key])
        #expect(desk.fetcher.pending.map(\.cause) == [.reconnect])
        withExtendedLifetime((stale, fresh, deaf)) {}
    }

    @Test("who follows a signal hears the present value first, and a newer one after it", .rule("E13"))
    func following() {
        let signal = EnvironmentSignal(true)
        let heard = Recorder<Bool>()
        let follower = Locked<QuerySubscription?>(nil)
        let first = signal.onChange { isOn in
            guard !isOn else { return }
            // While one is being told, another begins to follow, and the value changes again.
            let made = signal.follow { heard.append($0) }
            follower.withLock { $0 = made }
            signal.set(true)
        }
        signal.set(false)
        #expect(heard.all == [false, true])
        withExtendedLifetime(first) {}
    }
}
