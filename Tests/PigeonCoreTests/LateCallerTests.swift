import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Callers that come after an invalidation, during an older fetch")
struct LateCallerTests {
    let desk = Desk()

    @Test(
        "a caller after an invalidation waits for a newer answer than one who came before it", .rule("A58"),
        arguments: [true, false])
    func lateCaller(isFirstLoad: Bool) {
        if !isFirstLoad { desk.receive("old", for: desk.user) }
        let early = desk.fetch(desk.user)
        desk.client.invalidate(desk.user)
        let late = [desk.fetch(desk.user), desk.fetch(desk.user)]
        let leaving = desk.fetch(desk.user)
        leaving.cancel()
        #expect(desk.fetcher.pendingCount == 1)
        desk.fetcher.succeed(with: "Ann")
        #expect(early.value == "Ann")
        #expect(late.allSatisfy { $0.value == nil } && leaving.error is CancellationError)
        #expect(desk.fetcher.pendingCount == 1)
        desk.fetcher.succeed(with: "Bea")
        #expect(late.map(\.value) == ["Bea", "Bea"])
        #expect(!desk.client.snapshot(of: desk.user).isInvalidated)
        #expect(desk.fetcher.calls.count == (isFirstLoad ? 2 : 3))
    }

    @Test("with an invalidation during each fetch, each caller waits for at most two fetches", .rule("A58"))
    func manyLateCallers() {
        var waiting = [desk.fetch(desk.user)]
        for round in 0..<5 {
            desk.client.invalidate(desk.user)
            waiting.append(desk.fetch(desk.user))
            desk.fetcher.succeed(with: "\(round)")
            #expect(waiting.map(\.value) == (0...round).map { "\($0)" } + [nil])
        }
        desk.fetcher.succeed(with: "5")
        #expect(waiting.last?.value == "5" && desk.fetcher.pendingCount == 0)
    }

    @Test("an observer that comes late has a newer answer", .rule("A58"), arguments: [true, false])
    func lateObserver(isAttached: Bool) {
        let early = desk.client.observe(desk.user.enabled(false))
        let task = desk.fetch(desk.user)
        desk.client.invalidate(desk.user)
        if !isAttached { early.setEnabled(true) }
        let observer = isAttached ? desk.client.observe(desk.user) : early
        desk.fetcher.succeed(with: "Ann")
        #expect(task.value == "Ann" && observer.snapshot.brief == "Ann…")
        desk.fetcher.succeed(with: "Bea")
        #expect(observer.snapshot.value == "Bea" && !observer.snapshot.isInvalidated && desk.fetcher.pendingCount == 0)
    }

    @Test("an older 404 is not for late callers, who share a transient failure", .rule("A58"), arguments: [404, 503])
    func failures(status: Int) {
        let early = desk.fetch(desk.user)
        desk.client.invalidate(desk.user)
        let late = desk.fetch(desk.user)
        desk.fetcher.fail(with: Status(status))
        #expect(early.error is Status)
        #expect((late.result == nil) == (status == 404))
        desk.fetcher.succeed(with: "Ann")
        #expect((late.value == "Ann") == (status == 404))
    }

    @Test("after a write by the program, a late caller takes the older answer", .rule("A58"))
    func written() throws {
        _ = desk.fetch(desk.user)
        desk.client.invalidate(desk.user)
        let late = desk.fetch(desk.user)
        try desk.client.set("Bea", for: desk.user)
        desk.fetcher.succeed(with: "Ann")
        #expect(late.value != nil && desk.fetcher.pendingCount == 0)
    }

    @Test("who waits only for the end of a fetch does not wait for the next one, which is paused", .rule("A58"))
    func waiting() {
        let observer = desk.client.observe(desk.user)
        let task = desk.lab.start { [client = desk.client, user = desk.user] in await client.invalidate(user) }
        desk.lab.setOnline(false)
        desk.fetcher.succeed(with: "Ann")
        #expect(observer.snapshot.isPaused && task.result != nil)
    }

    @Test(
        "reading a source waits for an older fetch, and starts none; an observer of it has a newer answer", .rule("A58")
    )
    func source() {
        let desk = SourceDesk("Ann")
        let older = desk.consult(.always(.requested))
        desk.client.invalidate(desk.user)
        let look = desk.look()
        desk.server.succeed(with: "Bea")
        #expect(older.value == "Bea" && look.value?.hasPrefix("Bea") == true && desk.server.pendingCount == 0)

        let again = desk.consult(.always(.requested))
        desk.client.invalidate(desk.user)
        let observer = desk.observe()
        desk.server.succeed(with: "Cleo")
        #expect(again.value == "Cleo" && desk.server.pendingCount == 1)
        desk.server.succeed(with: "Dora")
        #expect(observer.snapshot.value == "Dora" && !observer.snapshot.isInvalidated)
    }

    @Test("a fetch that continues beside a cancelled one is followed for those who joined that one", .rule("A58"))
    func overtaken() throws {
        try desk.client.beginFetch(desk.user, .requested)
        let newest = CarriedRequest()
        try desk.client.beginFetch(desk.user, .requested, carrying: newest)
        desk.client.invalidate(desk.user, refetch: .none)
        let observer = desk.client.observe(desk.user)
        desk.client.cancelFetch(carrying: newest, of: desk.user.key)
        desk.fetcher.succeed(0, with: "Ann")
        #expect(desk.fetcher.pendingCount == 1)
        desk.fetcher.succeed(with: "Bea")
        #expect(observer.snapshot.value == "Bea")
    }
}
