import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("When an observer fetches")
struct AttachingTests {
    let desk = Desk()

    @Test(
        "an observer fetches what is missing, whatever its trigger", .rule("T20"),
        arguments: [
            RefetchTrigger.never, .ifStale, .always,
        ])
    func missing(_ trigger: RefetchTrigger) {
        let observer = desk.client.observe(desk.user.refetchOnAttach(trigger))
        #expect(observer.snapshot.isLoading)
        #expect(desk.fetcher.calls.map(\.cause) == [.observed])
    }

    @Test("a first load that failed is repeated by a new observer, unless told not to", .rule("T20"))
    func failed() {
        let first = desk.client.observe(desk.user)
        desk.fetcher.fail(with: Trouble.first)
        let shy = desk.client.observe(desk.user.retriesOnAttach(false))
        #expect(desk.fetcher.calls.count == 1)
        #expect(shy.snapshot.error as? Trouble == .first)
        let second = desk.client.observe(desk.user)
        #expect(desk.fetcher.calls.count == 2)
        withExtendedLifetime((first, second)) {}
    }

    @Test(
        "an observer refetches what is there as its trigger says", .rule("T21"),
        arguments: [
            (RefetchTrigger.never, StaleTime.zero, false), (.ifStale, .zero, true), (.ifStale, .seconds(60), false),
            (.always, .seconds(60), true),
        ])
    func present(_ trigger: RefetchTrigger, _ time: StaleTime, _ fetches: Bool) {
        desk.receive("Ann", for: desk.user)
        let observer = desk.client.observe(desk.user.refetchOnAttach(trigger).staleAfter(time))
        #expect(observer.snapshot.isFetching == fetches)
        #expect(observer.snapshot.value == "Ann")
    }

    @Test("what is wanted fixed is loaded once, refetched by no event, and refetched when asked for", .rule("T22"))
    func fixed() {
        let observer = desk.client.observe(
            desk.user.staleAfter(.immutable).refetchOnAttach(.always).refetchOnForeground(.always)
                .refetchOnReconnect(.always))
        desk.fetcher.succeed(with: "Ann")
        let second = desk.client.observe(desk.user.staleAfter(.immutable).refetchOnAttach(.always))
        desk.lab.setOnline(false)
        desk.lab.setOnline(true)
        desk.lab.setActive(false)
        desk.lab.advance(by: .seconds(60))
        desk.lab.setActive(true)
        #expect(desk.fetcher.calls.count == 1)
        let task = desk.lab.start { try await observer.refetch() }
        desk.fetcher.succeed(with: "Bea")
        #expect(task.value == "Bea")
        withExtendedLifetime(second) {}
    }

    @Test("enabling fetches what is stale; other new terms fetch nothing", .rule("T23"))
    func enabling() {
        desk.receive("Ann", for: desk.user)
        let observer = desk.client.observe(desk.user.enabled(false))
        #expect(desk.fetcher.calls.count == 1)
        observer.setEnabled(true)
        #expect(desk.fetcher.calls.count == 2)
        desk.fetcher.succeed(with: "Bea")
        observer.observe(desk.user.refetchOnAttach(.always))
        #expect(desk.fetcher.calls.count == 2)
    }

    @Test("enabling does not fetch what is fresh", .rule("T23"))
    func enablingFresh() {
        desk.receive("Ann", for: desk.user)
        let observer = desk.client.observe(
            desk.user.staleAfter(.seconds(60)).refetchOnAttach(.always).enabled(false))
        observer.setEnabled(true)
        #expect(desk.fetcher.calls.count == 1)
    }

    @Test("an observer that comes during a fetch joins it", .rule("T24"))
    func joins() {
        let first = desk.client.observe(desk.user)
        let second = desk.client.observe(desk.user.refetchOnAttach(.always))
        #expect(desk.fetcher.calls.count == 1)
        desk.fetcher.succeed(with: "Ann")
        #expect(first.value == "Ann" && second.value == "Ann")
        #expect(desk.fetcher.calls.count == 1)
    }

    @Test("a disabled observer fetches when asked, and its error is thrown", .rule("T25"))
    func refetchDisabled() {
        let observer = desk.client.observe(desk.user.enabled(false))
        var task = desk.lab.start { try await observer.refetch() }
        desk.fetcher.succeed(with: "Ann")
        #expect(task.value == "Ann" && observer.value == "Ann")
        task = desk.lab.start { try await observer.refetch() }
        desk.fetcher.fail(with: Trouble.first)
        #expect(task.error as? Trouble == .first)
    }

    @Test("more listeners of one observer cause no fetch", .rule("T26"))
    func listeners() {
        let observer = desk.client.observe(desk.user)
        desk.fetcher.succeed(with: "Ann")
        let subscriptions = (0..<3).map { _ in observer.onChange { _ in } }
        let task = desk.lab.start { for await _ in observer {} }
        #expect(desk.fetcher.calls.count == 1)
        task.cancel()
        withExtendedLifetime(subscriptions) {}
    }

    @Test("a key without a fetcher is never fetched by observers; asking for it is an error that says so", .rule("T27"))
    func noFetcher() {
        let observer = desk.client.observe(QueryDefinition<String>.value("note"))
        #expect(observer.snapshot.activity == .idle)
        let task = desk.lab.start { try await observer.refetch() }
        #expect(task.error as? QueryError == .noFetcher(key: "note"))
    }

    @Test("an observer without a fetcher uses that of the definition that has one", .rule("T32"))
    func borrowedFetcher() {
        let reader = desk.client.observe(QueryDefinition<String>.value(desk.user.key))
        desk.receive("Ann", for: desk.user)
        #expect(reader.value == "Ann")
        let task = desk.lab.start { try await reader.refetch() }
        desk.fetcher.succeed(with: "Bea")
        #expect(task.value == "Bea")
    }
}
