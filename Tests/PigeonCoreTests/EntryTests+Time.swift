import PigeonCore
import TestSupport
import Testing

@Suite("The entry: time and surroundings")
struct EntryTime {
    @Test("A retry is due at its time, and runs as the next attempt of the same fetch")
    func retryIsDue() {
        var machine = Situation.backingOff.machine()
        #expect(machine.due == 5)
        #expect(machine.pass(4).isEmpty)
        #expect(
            machine.pass(1) == [
                "fetching again (retry 1 after Trouble, observed)", "start 1 again (retry 1 after Trouble, observed)",
                "notify",
            ])
    }

    @Test(
        "a retry waits for network and foreground", .rule("T36", "T37"),
        arguments: [
            (NetworkMode.online, false, true, true), (.offlineFirst, false, true, true), (.always, false, true, false),
            (.online, true, false, true), (.always, true, false, true), (.online, true, true, false),
        ])
    func retryWaits(_ mode: NetworkMode, _ isOnline: Bool, _ isActive: Bool, _ waits: Bool) {
        var machine = Situation.backingOff.machine { $0.networkMode = mode }
        machine.isOnline = isOnline
        machine.isActive = isActive
        machine.pass(5)
        #expect(machine.entry.activity == (waits ? .paused : .fetching))
        machine.isOnline = true
        machine.isActive = true
        machine.receive(.surroundings(.conditions))
        #expect(machine.entry.activity == .fetching)
        #expect(machine.entry.flight?.isRunning == true)
    }

    @Test(
        "a fetch that waits goes on only online and in the foreground", .rule("T43"),
        arguments: [
            (false, false), (true, false), (false, true),
        ])
    func staysPaused(_ isOnline: Bool, _ isActive: Bool) {
        var machine = Situation.loadingOffline.machine()
        machine.isOnline = isOnline
        machine.isActive = isActive
        #expect(machine.receive(.surroundings(.conditions)).isEmpty)
        #expect(machine.state == "nothing, paused 1")
    }

    @Test("a fetch that waits goes on when the network is back, whatever is to be refetched", .rule("T39"))
    func resumes() {
        var machine = Situation.loadingOffline.machine { $0.refetchOnReconnect = .never }
        machine.isOnline = true
        #expect(
            machine.receive(.surroundings(.reconnected)) == [
                "resumed (observed)", "fetching (observed)", "start 1 (observed)", "notify",
            ])
    }

    @Test(
        "what the network's return refetches", .rule("T41", "T73"),
        arguments: [
            (Situation.content, NetworkMode.online, RefetchTrigger?.none, true), (.fresh, .online, nil, false),
            (.fresh, .online, .always, true), (.content, .online, .never, false), (.content, .always, nil, false),
            (.content, .always, .ifStale, true), (.unused, .online, .always, false),
            (.disabled, .online, .always, false),
            (.refetching, .online, .always, false), (.written, .online, .always, false),
        ])
    func reconnects(_ situation: Situation, _ mode: NetworkMode, _ trigger: RefetchTrigger?, _ fetches: Bool) {
        var machine = situation.machine {
            $0.networkMode = mode
            $0.refetchOnReconnect = trigger
        }
        let effects = machine.receive(.surroundings(.reconnected))
        #expect(effects == (fetches ? ["fetching (reconnect)", "start 2 (reconnect)", "notify"] : []))
    }

    @Test(
        "what coming back to the foreground refetches", .rule("T74"),
        arguments: [
            (Situation.content, RefetchTrigger.ifStale, true), (.fresh, .ifStale, false), (.fresh, .always, true),
            (.content, .never, false), (.unused, .always, false), (.refetching, .always, false),
        ])
    func returns(_ situation: Situation, _ trigger: RefetchTrigger, _ fetches: Bool) {
        var machine = situation.machine { $0.refetchOnForeground = trigger }
        let effects = machine.receive(.surroundings(.returned))
        #expect(effects == (fetches ? ["fetching (foreground)", "start 2 (foreground)", "notify"] : []))
    }

    @Test("what is wanted fixed is refetched by no event", .rule("T22"))
    func fixed() {
        var machine = Situation.content.machine {
            $0.staleAfter = .immutable
            $0.refetchOnForeground = .always
            $0.refetchOnReconnect = .always
        }
        #expect(machine.receive(.surroundings(.returned)).isEmpty)
        #expect(machine.receive(.surroundings(.reconnected)).isEmpty)
    }

    @Test("a value that turns stale is told once, and not fetched", .rule("T17"))
    func turnsStale() {
        var machine = Situation.fresh.machine()
        #expect(machine.due == 50)
        #expect(machine.pass(50) == ["stale (aged)", "notify"])
        #expect(machine.due == nil)
    }

    @Test("each observer's time is told", .rule("T15"))
    func eachObserversTime() {
        var machine = Situation.fresh.machine()
        machine.receive(.observe(2) { $0.staleAfter = .seconds(20) })
        #expect(machine.due == 10)
        machine.pass(10)
        #expect(machine.due == 40)
        #expect(machine.pass(40) == ["stale (aged)", "notify"])
    }

    @Test("a value that turned stale is told also when an observer leaves before the alarm", .rule("T17"))
    func staleBeforeDetach() {
        var machine = Situation.fresh.machine()
        machine.receive(.observe(2) { $0.staleAfter = .seconds(60) })
        machine.seconds += 51
        machine.receive(.detach(observer: 2))
        #expect(machine.pass(0) == ["stale (aged)", "notify"])
    }

    @Test("nothing is told for a disabled observer", .rule("T16"))
    func disabledIsNeverStale() {
        var machine = Situation.fresh.machine()
        machine.receive(.renew(.observer(1, isEnabled: false) { $0.staleAfter = .seconds(60) }))
        #expect(machine.due == nil)
    }

    @Test("polling counts from the newest fetch; a tick joins one that runs", .rule("T70"))
    func polls() {
        var machine = Machine()
        machine.receive(.observe { $0.pollEvery = .seconds(10) })
        machine.pass(4)
        machine.receive(.value("Ann", of: 1))
        #expect(machine.due == 6)
        #expect(machine.pass(6).prefix(2) == ["fetching (poll)", "start 2 (poll)"])
        #expect(machine.pass(10) == ["joined (poll)"])
        machine.receive(.refetchNow)
        #expect(machine.due == 10)
    }

    @Test(
        "what polling needs", .rule("T69", "T71"),
        arguments: [
            (true, true, true, true), (false, true, true, false), (true, false, true, false),
            (true, false, false, true),
        ])
    func pollingNeeds(_ isEnabled: Bool, _ isActive: Bool, _ foregroundOnly: Bool, _ polls: Bool) {
        var machine = Machine()
        machine.receive(
            .attach(
                .observer(1, isEnabled: isEnabled) {
                    $0.pollEvery = .seconds(10)
                    $0.pollsInBackground = !foregroundOnly
                }))
        machine.receive(.value("Ann", of: 1))
        machine.isActive = isActive
        #expect(machine.pass(10).contains("fetching (poll)") == polls)
    }

    @Test("The shortest interval polls, and only while its observer is there")
    func shortestInterval() {
        var machine = Machine()
        machine.receive(.observe(1) { $0.pollEvery = .seconds(30) })
        machine.receive(.value("Ann", of: 1))
        machine.receive(
            .observe(2) {
                $0.pollEvery = .seconds(10)
                $0.refetchOnAttach = .never
            })
        #expect(machine.due == 10)
        machine.receive(.detach(observer: 2))
        machine.receive(.detach(observer: 1))
        #expect(machine.due == 300, "only its collection is left")
    }

    @Test(
        "an interval goes on while the observers that are left do not poll, and its poll waits for one that does",
        .rule("A64"))
    func pausedPolling() {
        var machine = Machine()
        machine.receive(.observe(1) { $0.pollEvery = .seconds(10) })
        machine.receive(.value("Ann", of: 1))
        machine.pass(4)
        machine.receive(.renew(.observer(1)))
        #expect(machine.due == nil, "nobody polls")
        machine.pass(2)
        machine.receive(.renew(.observer(1) { $0.pollEvery = .seconds(10) }))
        #expect(machine.due == 4)
        machine.receive(.renew(.observer(1)))
        #expect(machine.pass(100) == [])
        machine.receive(.renew(.observer(1) { $0.pollEvery = .seconds(10) }))
        #expect(machine.due == -96)
        #expect(machine.pass(0).prefix(2) == ["fetching (poll)", "start 2 (poll)"])
    }

    @Test("a poll that waits for an observer does not run when something else is due", .rule("A64"))
    func pausedPollingAtOtherTimes() {
        var machine = Machine()
        machine.receive(.observe(1) { $0.pollEvery = .seconds(10) })
        machine.receive(.value("Ann", of: 1))
        machine.receive(.renew(.observer(1) { $0.staleAfter = .seconds(30) }))
        #expect(machine.due == 30)
        #expect(machine.pass(30) == ["stale (aged)", "notify"])
    }

    @Test("the interval still starts at the newest fetch, and not before the first observer that polls", .rule("A64"))
    func pausedPollingAfterFetch() {
        var machine = Machine()
        machine.receive(.observe(1) { $0.pollEvery = .seconds(10) })
        machine.receive(.value("Ann", of: 1))
        machine.receive(.renew(.observer(1)))
        machine.pass(30)
        machine.receive(.refetchNow)
        machine.receive(.value("Bea", of: 2))
        machine.pass(4)
        machine.receive(.renew(.observer(1) { $0.pollEvery = .seconds(10) }))
        #expect(machine.due == 6)
        machine.receive(.detach(observer: 1))
        machine.pass(100)
        machine.receive(
            .observe(2) {
                $0.pollEvery = .seconds(10)
                $0.refetchOnAttach = .never
            })
        #expect(machine.due == 10, "all observers were gone")
    }

    @Test("a longer interval counts from where the shorter one began", .rule("E13"))
    func longerInterval() {
        var machine = Machine()
        machine.receive(.observe(1) { $0.pollEvery = .seconds(10) })
        machine.receive(.value("Ann", of: 1))
        machine.pass(4)
        machine.receive(.renew(.observer(1) { $0.pollEvery = .seconds(60) }))
        #expect(machine.due == 56)
        machine.receive(.renew(.observer(1) { $0.pollEvery = .seconds(20) }))
        #expect(machine.due == 20, "a shorter one counts from now")
        machine.receive(.observe(2) { $0.pollEvery = .seconds(5) })
        machine.receive(.detach(observer: 2))
        #expect(machine.due == 20)
    }

    @Test("An interval that is not positive polls never", arguments: [Duration.zero, .seconds(-10)])
    func noInterval(_ interval: Duration) {
        var machine = Machine()
        machine.receive(.observe { $0.pollEvery = interval })
        machine.receive(.value("Ann", of: 1))
        #expect(machine.due == nil)
    }

    @Test("an entry is collected when it was idle and unused for its time", .rule("T53", "T54"))
    func collects() {
        var machine = Situation.content.machine { $0.keepFor = .seconds(60) }
        #expect(machine.due == nil)
        machine.receive(.detach(observer: 1))
        #expect(machine.due == 60)
        machine.pass(59)
        machine.receive(.fetchNow)
        #expect(machine.due == nil, "a fetch calls it off")
        machine.receive(.value("Bea", of: 2))
        #expect(machine.pass(60) == ["removed (unused)", "collect"])
    }

    @Test(
        "the longest time asked for counts, also once the entry is unused", .rule("T52"),
        arguments: [
            (600.0, 590.0), (60, 290),
        ])
    func longestKeepFor(_ asked: Double, _ due: Double) {
        var machine = Situation.unused.machine()
        machine.pass(10)
        machine.receive(
            .observe(2) {
                $0.keepFor = .seconds(asked); $0.refetchOnAttach = .never
            })
        machine.receive(.detach(observer: 2))
        #expect(machine.due == max(asked, 300))
        var unused = Situation.unused.machine()
        unused.pass(10)
        unused.adopt(keepFor: asked)
        unused.receive(.leave())
        #expect(unused.due == due)
    }

    @Test("what is kept for ever is never collected, also once the entry is unused", .rule("T52"))
    func keptForEver() {
        var machine = Situation.unused.machine()
        machine.adopt(keepFor: nil)
        #expect(machine.pass(1_000_000).isEmpty)
        #expect(machine.due == nil)
    }
}

extension Machine {
    /// Applies a definition with a `keepFor` time to the entry without attaching an observer, as the client does.
    mutating func adopt(keepFor seconds: Double?) {
        use(.with { $0.keepFor = seconds.map { .seconds($0) } ?? .forever })
    }
}
