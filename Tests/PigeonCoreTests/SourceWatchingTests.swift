import PigeonCore
import PigeonTesting
import Testing

@Suite("What has a source of truth read again")
struct SourceWatchingTests {
    private let desk = SourceDesk("Ann")

    @Test("A source that tells of changes is read again while somebody observes")
    func watches() {
        let observer = desk.observe()
        desk.source.changeOutside("Bea")
        #expect(observer.snapshot.brief == "Bea")
        desk.source.markStaleNow()
        desk.source.changeOutside("Cid")
        #expect(observer.snapshot.brief == "Cid")
        #expect(desk.server.calls.isEmpty)
    }

    @Test("Watching begins with the first observer, and ends with the last")
    func watchingEnds() {
        _ = desk.consult(.nothing)
        #expect(desk.source.watcherCount == 0)
        let first = desk.observe()
        let second = desk.observe()
        #expect(desk.source.watcherCount == 1 && desk.source.watchCount == 1)
        first.cancel()
        #expect(desk.source.watcherCount == 1)
        second.cancel()
        #expect(desk.source.watcherCount == 0)
        desk.source.takeCalls()
        desk.source.changeOutside("Bea")
        #expect(desk.source.calls == [])
        let third = desk.observe()
        #expect(desk.source.watcherCount == 1)
        #expect(third.snapshot.brief == "Bea")
    }

    @Test("An observer that moves to another key takes its watching along")
    func moves() {
        let other = ScriptedSource("Bea")
        let observer = desk.observe()
        observer.observe(SourceDesk.definition("others", other, desk.server, desk.pages))
        desk.lab.settle()
        #expect(desk.source.watcherCount == 0 && other.watcherCount == 1)
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("A change that is told while the source is read is read after")
    func changedWhileReading() {
        desk.source.hold("read")
        let observer = desk.observe()
        desk.source.changeOutside("Bea")
        desk.source.release()
        #expect(observer.snapshot.brief == "Bea")
        #expect(desk.source.calls == ["read", "read"])
    }

    @Test("A change that is told during a fetch is shown, and the fetch goes on")
    func changedWhileFetching() {
        desk.source.markStaleNow()
        let observer = desk.observe()
        desk.source.changeOutside("Bea")
        #expect(observer.snapshot.brief == "Bea…")
        desk.server.succeed(with: "Cid")
        #expect(observer.snapshot.brief == "Cid")
    }

    // MARK: Surroundings

    @Test("A return to the foreground consults the source, and fetches only what is stale")
    func foreground() {
        let observer = desk.observe()
        for isStale in [false, true] {
            if isStale { desk.source.markStaleNow() }
            desk.source.takeCalls()
            desk.lab.setActive(false)
            desk.lab.advance(by: .seconds(10))
            desk.lab.setActive(true)
            #expect(desk.source.calls == ["read"])
            #expect(desk.server.pendingCount == (isStale ? 1 : 0))
        }
        withExtendedLifetime(observer) {}
    }

    @Test("A network that comes back has the source consulted, and fetches only what is stale")
    func reconnect() {
        let observer = desk.observe()
        for isStale in [false, true] {
            if isStale { desk.source.markStaleNow() }
            desk.source.takeCalls()
            desk.lab.setOnline(false)
            desk.lab.setOnline(true)
            #expect(desk.source.calls == ["read"])
            #expect(desk.server.pendingCount == (isStale ? 1 : 0))
        }
        withExtendedLifetime(observer) {}
    }

    @Test("Offline the source is read all the same, and the fetch waits for the network")
    func offline() {
        desk.source.markStaleNow()
        desk.lab.setOnline(false)
        let observer = desk.observe()
        #expect(observer.snapshot.value == "Ann")
        #expect(desk.entry?.activity == .paused)
        desk.lab.setOnline(true)
        desk.server.succeed(with: "Bea")
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("What nobody observes is not consulted")
    func unobserved() {
        _ = desk.consult(.nothing)
        desk.source.takeCalls()
        desk.lab.setOnline(false)
        desk.lab.setOnline(true)
        #expect(desk.source.calls == [])
    }

    // MARK: Invalidation

    @Test("An invalidation marks the source, and fetches what is observed")
    func invalidates() {
        let observer = desk.observe()
        desk.client.invalidate(.key("users"))
        #expect(desk.source.calls == ["read", "mark stale"])
        #expect(desk.source.isStale)
        desk.server.succeed(with: "Bea")
        #expect(!desk.source.isStale)
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("What is invalidated unobserved is fetched when it is needed")
    func invalidatesUnobserved() {
        _ = desk.consult(.nothing)
        desk.client.invalidate(.key("users"))
        #expect(desk.source.isStale)
        #expect(desk.server.calls.isEmpty)
        let observer = desk.observe()
        #expect(observer.snapshot.brief == "Ann…")
    }

    @Test("A mark of before an answer is not written after it")
    func markIsInOrder() {
        let observer = desk.observe()
        desk.source.hold("mark stale")
        desk.client.invalidate(.key("users"))
        desk.server.succeed(with: "Bea")
        desk.source.release()
        #expect(!desk.source.isStale)
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("A source that cannot be marked is reported, and fetched for all the same")
    func markFails() {
        let observer = desk.observe()
        desk.source.fail("mark stale")
        desk.client.invalidate(.key("users"))
        #expect(desk.lab.log.contains { $0.contains("the source could not be marked stale: Trouble") })
        desk.server.succeed(with: "Bea")
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("What is invalidated while it is read, or after a failed fetch, is marked too")
    func invalidatesUnknown() {
        desk.source.hold("read")
        let observer = desk.observe()
        desk.client.invalidate(.key("users"), refetch: .none)
        desk.source.release()
        #expect(desk.source.isStale)
        desk.server.fail(with: Trouble.first)
        desk.source.takeCalls()
        desk.client.invalidate(.key("users"), refetch: .none)
        #expect(desk.source.calls == ["mark stale"])
        withExtendedLifetime(observer) {}
    }

    @Test("A change that comes before watching has begun is seen")
    func changedBeforeWatching() {
        desk.source.on("onChange") { [source = desk.source] in source.put("Bea") }
        let observer = desk.observe()
        #expect(observer.snapshot.brief == "Bea")
    }
}
