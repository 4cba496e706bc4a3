import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Fetchers that answer by a call", .rule("A95"))
struct FetchCallTests {
    let lab = QueryLab()
    let calls = Recorder<FetchCall<String>>()

    private var user: QueryDefinition<String> {
        .calling("users") { [calls] call in calls.append(call) }
    }

    private func call(_ index: Int) -> FetchCall<String> { calls.all[index] }

    @Test("the answer is stored on the thread of the call, and observers know of it when the call returns")
    func answer() throws {
        let observer = lab.client.observe(user)
        #expect(observer.snapshot.isLoading)
        call(0).end(with: .success("Ann"))
        #expect(observer.snapshot.value == "Ann" && !observer.snapshot.isFetching)
        call(0).end(with: .success("late"))
        #expect(observer.snapshot.value == "Ann", "an attempt ends once")
    }

    @Test("a failure is retried by the policy of the definition, and a call of the attempt before counts no more")
    func retries() throws {
        let policy = RetryPolicy(limit: 1, delay: { _ in .seconds(1) }, hasJitter: false) { _ in true }
        let observer = lab.client.observe(user.retry(policy))
        call(0).end(with: .failure(ServerFailure()))
        lab.advance(by: .seconds(1))
        call(0).end(with: .success("late"))
        #expect(observer.snapshot.isFetching && observer.snapshot.value == nil)
        #expect(call(1).context.attempt == 2)
        call(1).end(with: .success("Ann"))
        #expect(observer.snapshot.value == "Ann")
    }

    @Test("the fetcher can confirm the value that is there")
    func notModified() throws {
        let observer = lab.client.observe(user)
        call(0).context.validators.eTag = "1"
        call(0).end(with: .success("Ann"))
        _ = lab.start { [client = lab.client, user] in try await client.refetch(user) }
        #expect(call(1).context.validators.eTag == "1")
        let same = try call(1).context.notModified()
        call(1).end(with: .success(same))
        #expect(observer.snapshot.value == "Ann" && !observer.snapshot.isFetching)
    }

    @Test("a client that is closed lets a call fail, and calls no fetcher")
    func closed() throws {
        let client = lab.client
        let closing = lab.start { await client.close() }
        let late = lab.start { [user] in try await client.fetch(user) }
        #expect(closing.value != nil)
        #expect(late.error as? QueryError == .closed(name: "users"))
        #expect(calls.all.isEmpty)
    }

    @Test("a request hears of its attempt's failure at once, and the retry carries none")
    func retriedRequest() throws {
        let policy = RetryPolicy(limit: 1, delay: { _ in .seconds(1) }, hasJitter: false) { _ in true }
        let observer = lab.client.observe(user.retry(policy).options { $0.fetchesOnAttach = false })
        let request = CarriedRequest()
        try lab.client.beginFetch(user.retry(policy), carrying: request)
        #expect(call(0).request === request)
        call(0).end(with: .failure(ServerFailure()))
        #expect(request.ends.count == 1)
        lab.advance(by: .seconds(1))
        #expect(call(1).request == nil)
        call(1).end(with: .success("Ann"))
        #expect(observer.snapshot.value == "Ann" && request.ends.count == 1)
    }

    @Test("nothing carries a request for a key that nobody can fetch")
    func noFetcher() {
        let request = CarriedRequest()
        #expect(throws: QueryError.noFetcher(key: "users")) {
            try lab.client.beginFetch(QueryDefinition<String>.value("users"), carrying: request)
        }
        #expect(request.ends.isEmpty)
    }

    @Test("loads that are objects: each carried by its fetch, cancelled with it, and it with each")
    func requests() throws {
        let (first, second) = (CarriedRequest(), CarriedRequest())
        let client = lab.client
        try client.beginFetch(user, carrying: first)
        #expect(call(0).request === first)
        #expect(try client.beginFetch(user, carrying: CarriedRequest(), joining: true) === first)
        try client.beginFetch(user, carrying: second)
        client.cancelFetch(carrying: second, of: "users")
        #expect(second.ends == ["cancelled"] && first.ends.isEmpty)
        call(0).end(with: .success("Ann"))
        #expect(client.value(of: user) == "Ann" && first.ends == ["answered"])
        #expect(
            lab.log == [
                "users fetching (requested)", "users joined (requested)", "users fetching (requested)",
                "users cancelled (requested)", "users fresh",
            ])
    }
}

private struct ServerFailure: Error {}
