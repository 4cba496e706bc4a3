import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("The face of a definition")
struct QueryFaceTests {
    let desk = Desk()

    @Test("A fetch that its observers and callers start names it, and a poll does not", .rule("A57"))
    func named() {
        let user = desk.user.poll(every: .seconds(60)).face(Signals())
        let observer = desk.client.observe(user)
        desk.fetcher.succeed(with: "Ann")
        desk.lab.advance(by: .seconds(1))
        _ = desk.fetch(user)
        desk.fetcher.succeed(with: "Bea")
        desk.lab.advance(by: .seconds(1))
        _ = desk.lab.start { [desk] in await desk.client.prefetch(user) }
        desk.fetcher.succeed(with: "Cid")
        _ = desk.lab.start { try await observer.refetch() }
        desk.fetcher.succeed(with: "Dan")
        desk.lab.advance(by: .seconds(60))
        #expect(
            desk.fetcher.calls.map(\.cause.description) == [
                "observed by signal", "requested by signal", "prefetched by signal", "requested by signal", "poll",
            ])
        #expect(
            desk.fetcher.calls.map(\.cause.origin) == [.observed, .requested, .prefetched, .requested, .poll])
        #expect(desk.lab.log.first == "users/1 fetching (observed by signal)")
    }

    @Test("A retry keeps the name, and a debounced fetch waits as it does without one", .rule("A57"))
    func retries() {
        let observer = desk.client.observe(desk.user.debounced(by: .milliseconds(300)).retry(1).face(Signals()))
        desk.lab.settle()
        #expect(desk.fetcher.calls.isEmpty)
        desk.lab.advance(by: .milliseconds(300))
        desk.fetcher.fail(with: Status(503))
        desk.lab.advance(by: .seconds(60))
        let retry = desk.fetcher.calls.last?.cause
        #expect(desk.fetcher.calls.count == 2)
        #expect(retry?.description.hasSuffix("observed by signal") == true)
        #expect(retry?.origin == .observed)
        #expect(desk.lab.log.contains { $0.contains("(retry 1 after") && $0.hasSuffix("observed by signal)") })
        observer.cancel()
    }

    @Test("A snapshot has the face of the definition that its entry is fetched with", .rule("A57"))
    func snapshots() {
        let watcher = desk.client.observe(QueryDefinition<String>.value(desk.user.key))
        #expect(watcher.snapshot.face as? Signals == nil)
        let observer = desk.client.observe(desk.user.face(Signals(step: 7)))
        #expect((watcher.snapshot.face as? Signals) == Signals(step: 7))
        #expect((observer.snapshot.face as? Signals)?.step == 7)
    }

    @Test("Options with equal faces are equal")
    func equality() {
        func options(_ face: some QueryFace) -> QueryOptions {
            var options = QueryOptions()
            options.face = face
            return options
        }
        #expect(options(Signals()) == options(Signals()))
        #expect(options(Signals()) != options(Signals(step: 1)))
        #expect(options(Signals()) != options(Others()))
        #expect(options(Signals()) != QueryOptions())
    }
}

private struct Signals: QueryFace {
    var name: String? = "signal"
    var step = 0
}

private struct Others: QueryFace {
    var name: String? { nil }
}
