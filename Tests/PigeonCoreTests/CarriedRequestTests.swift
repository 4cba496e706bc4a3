import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Requests that fetches carry", .rule("A95"))
struct CarriedRequestTests {
    let desk = Desk {
        $0.retry = RetryPolicy(limit: 1, delay: { _ in .seconds(1) }, hasJitter: false) { _ in true }
    }
    let request = CarriedRequest()

    @Test("a fetcher finds the request, which hears of the end once, after observers")
    func answered() throws {
        let found = Locked<(any FetchRequest)?>(nil)
        let heard = Locked<[String]>([])
        let definition = QueryDefinition<String>(
            key: "users",
            fetcher: AnyFetcher { run in
                found.withLock { $0 = run.request }
                return .value(PayloadOf("Ann"))
            })
        let client = desk.client
        let core = client.attach(definition.enabled(false)) { entryState, _ in
            heard.withLock { $0.append("\(entryState.activity) \(request.ends)") }
        }
        try client.beginFetch(definition, .requested, carrying: request)
        desk.lab.settle()
        #expect(found.withLock { $0 } === request)
        #expect(request.ends == ["answered"])
        #expect(heard.withLock { $0 }.last == "idle []")
        client.detach(core)
    }

    @Test("a fetch that waits for its retry carries none, and takes the next caller's, who joins it")
    func retried() throws {
        let observer = desk.client.observe(desk.user.enabled(false))
        let waiting = desk.fetch(desk.user)
        desk.fetcher.fail(with: ServerFailure())
        try desk.client.beginFetch(desk.user, .requested, .join, carrying: request)
        #expect(desk.client.requestBeingFetched(for: desk.user.key) as? CarriedRequest === request)
        let late = CarriedRequest()
        #expect(try desk.client.beginFetch(desk.user, .requested, .join, carrying: late) === request)
        desk.lab.advance(by: .seconds(1))
        #expect(request.ends.isEmpty && desk.fetcher.pendingCount == 1)
        desk.fetcher.succeed(with: "Ann")
        #expect(waiting.value == "Ann")
        #expect(request.ends == ["answered"])
        #expect(late.ends.isEmpty, "no fetch has carried it")
        withExtendedLifetime(observer) {}
    }

    @Test("the request of an attempt that failed hears of it, although the fetch goes on")
    func failed() throws {
        let observer = desk.client.observe(desk.user.enabled(false))
        _ = desk.fetch(desk.user)
        desk.fetcher.fail(with: ServerFailure())
        try desk.client.beginFetch(desk.user, .requested, .join, carrying: request)
        desk.lab.advance(by: .seconds(1))
        desk.fetcher.fail(with: ServerFailure())
        #expect(request.ends == ["ServerFailure()"])
        withExtendedLifetime(observer) {}
    }

    @Test(
        "a request hears of a fetch that ends before it runs, and whether a newer one took its place",
        arguments: ["cancelled", "superseded", "removed"])
    func paused(how: String) throws {
        desk.lab.setOnline(false)
        try desk.client.beginFetch(desk.user, .requested, carrying: request)
        #expect(request.ends.isEmpty)
        switch how {
        case "cancelled": desk.client.cancel(desk.user)
        case "superseded": try desk.client.beginFetch(desk.user, .requested, carrying: CarriedRequest())
        default: desk.client.remove(.key(desk.user.key))
        }
        #expect(request.ends == [how == "superseded" ? "superseded" : "cancelled"])
    }

    @Test("a fetcher that makes the request hands it to its fetch, unless that has one by then, or has been stopped")
    func made() throws {
        let run = Locked<FetchRun?>(nil)
        let definition = QueryDefinition<String>(
            key: "users", fetcher: AnyFetcher { begun, _ in run.withLock { $0 = begun } })
        let client = desk.client
        try client.beginFetch(definition, .requested)
        let begun = try #require(run.withLock { $0 })
        #expect(begun.request == nil)
        #expect(begun.carry(request) === request && begun.request === request)
        #expect(client.requestBeingFetched(for: "users") as? CarriedRequest === request)
        client.cancelFetch(carrying: request, of: "users")
        #expect(request.ends == ["cancelled"])
        let late = CarriedRequest()
        #expect(begun.carry(late) == nil && begun.request == nil)
        #expect(late.ends.isEmpty)

        try client.beginFetch(definition, .requested)
        let next = try #require(run.withLock { $0 })
        let joining = CarriedRequest()
        #expect(try client.beginFetch(definition, .requested, .join, carrying: joining) === joining)
        #expect(next.carry(late) === joining, "who joined in the meantime has brought one")
        next.end(with: .value(PayloadOf("Ann")))
        #expect(joining.ends == ["answered"] && late.ends.isEmpty)
        run.withLock { $0 = nil }
    }

    @Test("a client that is released ends the fetches, and their requests hear of it")
    func released() throws {
        do {
            let lab = QueryLab()
            let definition = QueryDefinition<String>(key: "users", fetcher: AnyFetcher { _, _ in })
            try lab.client.beginFetch(definition, .requested, carrying: request)
        }
        #expect(request.ends == ["cancelled"])
    }
}

private struct ServerFailure: Error {}
