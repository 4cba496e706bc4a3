import Dispatch
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

/// User code may block. It may delay itself, but neither timers nor observers that another thread notifies.
///
/// Within the blocking code, a test does what other threads would do in the meantime.
@Suite("User code that blocks", .timeLimit(.minutes(1)))
struct BlockingCodeTests {
    private let desk = Desk()
    private var client: QueryClient { desk.client }

    // MARK: Timers

    @Test("a fetcher that blocks before it first suspends is ended by its time limit", .rule("E5"))
    func timeLimit() {
        let lab = desk.lab
        let blocking = QueryDefinition<String>("blocking") { _ in
            lab.clock.advance(by: .seconds(10))
            return "late"
        }.timeLimit(.seconds(10))
        let task = desk.fetch(blocking)
        #expect(task.error as? QueryError == .timedOut(key: "blocking", limit: .seconds(10)))
    }

    @Test("while a fetcher blocks, other queries are polled", .rule("E5"))
    func poll() {
        let (lab, client, fetcher) = (desk.lab, desk.client, desk.fetcher)
        fetcher.answer { _ in "Ann" }
        let polled = desk.user.poll(every: .seconds(20))
        let held = Recorder<QueryObserver<String>>()
        let blocking = QueryDefinition<String>("blocking") { _ in
            held.append(client.observe(polled))
            lab.clock.advance(by: .seconds(60))
            return "done"
        }.timeLimit(.seconds(10))
        _ = desk.fetch(blocking)
        #expect(fetcher.calls.map(\.cause) == [.observed, .poll, .poll, .poll])
    }

    @Test("while an observer's callback blocks, the value that it is called with turns stale", .rule("E5"))
    func staleness() throws {
        let lab = desk.lab
        let definition = QueryDefinition<String>.value("names").staleAfter(.seconds(5))
        let observer = client.observe(definition) { snapshot in
            if !snapshot.isStale { lab.clock.advance(by: .seconds(5)) }
        }
        try client.set("Ann", for: definition)
        #expect(lab.log == ["names written", "names stale"])
        withExtendedLifetime(observer) {}
    }

    @Test("an alarm of the system's clock whose action blocks delays no other alarm", .rule("E5"))
    func alarms() async {
        let clock = SystemClock()
        let other = DispatchSemaphore(value: 0)
        let outcome = await withCheckedContinuation { continuation in
            _ = clock.schedule(at: clock.now()) { continuation.resume(returning: other.wait(timeout: .now() + 10)) }
            _ = clock.schedule(at: clock.now()) { other.signal() }
        }
        #expect(outcome == .success)
    }

    // MARK: Observers

    /// Each value is fresh for as many seconds as its number, so that each write can set a timer.
    private let counted = QueryDefinition<Int>.value("count").staleAfter { .seconds($0) }

    @Test("while an event listener blocks, another write of the key reaches the key's observers", .rule("E9"))
    func eventListener() throws {
        let (client, counted) = (desk.client, counted)
        let (seen, seenMeanwhile) = (Recorder<Int?>(), Recorder<[Int?]>())
        let observer = client.observe(counted) { seen.append($0.value) }
        let subscription = client.onEvent { event in
            guard event.sequence == 1 else { return }
            try? client.set(90, for: counted)
            seenMeanwhile.append(seen.all)
        }
        try client.set(100, for: counted)
        #expect(seenMeanwhile.all == [[100, 90]])
        withExtendedLifetime((observer, subscription)) {}
    }

    @Test("while one observer's callback blocks, another write of the key reaches the other observers", .rule("E9"))
    func observer() throws {
        let (client, counted) = (desk.client, counted)
        let (first, second) = (Recorder<Int?>(), Recorder<Int?>())
        let secondMeanwhile = Recorder<[Int?]>()
        let blocking = client.observe(counted) { snapshot in
            first.append(snapshot.value)
            guard snapshot.value == 100 else { return }
            try? client.set(90, for: counted)
            try? client.set(80, for: counted)
            secondMeanwhile.append(second.all)
        }
        let other = client.observe(counted) { second.append($0.value) }
        try client.set(100, for: counted)
        #expect(secondMeanwhile.all == [[90, 80]])
        #expect(first.all == [100, 80], "calls of one observer come one after the other, the newest last")
        #expect(second.all == [90, 80], "an older version never follows a newer one")
        withExtendedLifetime((blocking, other)) {}
    }

    @Test("a thread that is held up between a write and its delivery holds up no other thread's delivery", .rule("E9"))
    func preempted() throws {
        let clock = HookedClock()
        let (client, counted) = (QueryClient(environment: QueryEnvironment(clock: clock)), counted)
        let (seen, seenMeanwhile) = (Recorder<Int?>(), Recorder<[Int?]>())
        let observer = client.observe(counted) { seen.append($0.value) }
        clock.onNextAlarm {
            try? client.set(200, for: counted)
            seenMeanwhile.append(seen.all)
        }
        try client.set(100, for: counted)
        #expect(seenMeanwhile.all == [[200]])
        #expect(seen.all == [200], "what has been overtaken is not delivered any more")
        withExtendedLifetime(observer) {}
    }

    @Test("an observer of every version misses none of those that another thread delivers", .rule("E9"))
    func everyVersion() throws {
        let clock = HookedClock()
        let (client, counted) = (QueryClient(environment: QueryEnvironment(clock: clock)), counted)
        let seen = Recorder<Int?>()
        let follower = EveryVersion { seen.append(($0.payload as? PayloadOf<Int>)?.value) }
        let core = client.attach(counted, recorder: follower)
        clock.onNextAlarm { for value in [200, 300] { try? client.set(value, for: counted) } }
        try client.set(100, for: counted)
        #expect(seen.all == [100, 200, 300])
        client.detach(core)
    }

    @Test(
        "each observer of a key that many threads write is called once at a time, in order, to the last version",
        .rule("E9"))
    func threads() async {
        let client = QueryClient()
        let definition = QueryDefinition<Int>.value("count")
        let logs = (0..<3).map { _ in Watched<(versions: [UInt64], isBusy: Bool, hasMet: Bool)>(([], false, false)) }
        let observers = logs.map { log in
            client.observe(definition) { snapshot in
                log.update { log in
                    log.hasMet = log.hasMet || log.isBusy
                    log.isBusy = true
                    log.versions.append(snapshot.version)
                }
                log.update { $0.isBusy = false }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask { for count in 0..<250 { try? client.set(task * 250 + count, for: definition) } }
            }
        }
        for (log, observer) in zip(logs, observers) {
            let (versions, _, hasMet) = log.value
            #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
            #expect(versions.last == observer.snapshot.version)
            #expect(!hasMet)
        }
    }

    // MARK: Sequences

    @Test(
        "an iteration that begins with the newest snapshot gets no older one after it, nor that one again", .rule("E7"))
    func iteration() throws {
        let clock = HookedClock()
        let lab = desk.lab
        let client = QueryClient(environment: QueryEnvironment(clock: clock, launch: lab.environment.launch))
        let counted = counted
        let (isIn, mayLeave, hasLeft) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let blocking = client.observe(counted) { snapshot in
            guard snapshot.value == 200 else { return }
            isIn.signal()
            mayLeave.wait()
        }
        let observer = client.observe(counted)
        let seen = Recorder<Int?>()
        // Another thread delivers 200, and has not come to the second observer yet.
        DispatchQueue.global().async {
            try? client.set(200, for: counted)
            hasLeft.signal()
        }
        isIn.wait()
        let tasks = Recorder<LabTask<Void>>()
        clock.onNextAlarm {
            // 100 is written and not delivered: here an iteration begins, and then the other thread goes on.
            tasks.append(lab.start { for await snapshot in observer { seen.append(snapshot.value) } })
            mayLeave.signal()
            hasLeft.wait()
            lab.settle()
        }
        try client.set(100, for: counted)
        lab.settle()
        #expect(seen.all == [100])
        try client.set(300, for: counted)
        lab.settle()
        #expect(seen.all == [100, 300])
        for task in tasks.all { task.cancel() }
        withExtendedLifetime(blocking) {}
    }
}

/// A clock that stands still, and calls a closure when the client sets its next alarm.
private final class HookedClock: QueryClock {
    private let clock = ManualClock()
    private let hook = Locked<(@Sendable () -> Void)?>(nil)

    func onNextAlarm(_ action: @escaping @Sendable () -> Void) { hook.withLock { $0 = action } }

    func now() -> MonotonicInstant { clock.now() }

    func schedule(at deadline: MonotonicInstant, _ action: @escaping @Sendable () -> Void) -> AlarmHandle {
        let next = hook.withLock { hook in
            defer { hook = nil }
            return hook
        }
        next?()
        return clock.schedule(at: deadline, action)
    }
}
