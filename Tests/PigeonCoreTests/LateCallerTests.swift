import PigeonCore
import PigeonTesting
import Testing

@Suite("Callers that come after an invalidation, during an older fetch")
struct LateCallerTests {
    let desk = Desk()

    @Test(
        "A58: a caller after an invalidation waits for a newer answer than one who came before it",
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

    @Test("A58: with an invalidation during each fetch, each caller waits for at most two fetches")
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

    @Test("A58: the failure of an older fetch ends all callers, and an observer that comes late has a newer answer")
    func lateObserver() {
        let early = desk.fetch(desk.user)
        desk.client.invalidate(desk.user)
        let late = desk.fetch(desk.user)
        desk.fetcher.fail(with: Status(404))
        #expect(early.error is Status && late.error is Status && desk.fetcher.pendingCount == 0)

        let again = desk.fetch(desk.user)
        desk.client.invalidate(desk.user)
        let observer = desk.client.observe(desk.user)
        desk.fetcher.succeed(with: "Ann")
        #expect(again.value == "Ann" && observer.snapshot.brief == "Ann…")
        desk.fetcher.succeed(with: "Bea")
        #expect(observer.snapshot.value == "Bea" && !observer.snapshot.isInvalidated && desk.fetcher.pendingCount == 0)
    }
}
