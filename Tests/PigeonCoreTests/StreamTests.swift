import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Streams")
struct StreamTests {
    let desk = Desk()
    let values: AsyncThrowingStream<String, any Error>
    let source: AsyncThrowingStream<String, any Error>.Continuation

    init() {
        (values, source) = AsyncThrowingStream.makeStream()
    }

    var stream: QueryDefinition<String> {
        .stream("prices") { [values] _ in values }
    }

    private func send(_ value: String) {
        source.yield(value)
        desk.lab.settle()
    }

    private func finish(_ error: (any Error)? = nil) {
        source.finish(throwing: error)
        desk.lab.settle()
    }

    @Test("each value shows as it comes, while the fetch goes on; the last one stays", .rule("T124"))
    func shows() {
        let seen = Recorder<String>()
        let observer = desk.client.observe(stream) { seen.append($0.brief) }
        #expect(observer.snapshot.brief == "pending…")
        send("1")
        send("2")
        finish()
        #expect(seen.all == ["1…", "2…", "2 (stale)"])
        #expect(desk.client.value(of: stream) == "2")
    }

    @Test("a stream that ends without a value is a failure that says so", .rule("T124"))
    func empty() {
        let task = desk.fetch(stream)
        finish()
        #expect(task.error as? QueryError == .noValue(key: "prices"))
    }

    @Test("a stream that fails keeps what it brought", .rule("T124"))
    func fails() {
        let observer = desk.client.observe(stream)
        send("1")
        finish(Trouble.first)
        #expect(observer.snapshot.value == "1")
        #expect(observer.snapshot.error as? Trouble == .first)
        #expect(observer.snapshot.activity == .idle)
    }

    @Test("Who awaits a stream gets its last value, at its end")
    func awaited() {
        let task = desk.fetch(stream)
        send("1")
        #expect(task.result == nil)
        send("2")
        finish()
        #expect(task.value == "2")
    }

    @Test(
        "nobody left, a stream goes on, or ends if its definition says so", .rule("T124"),
        arguments: [
            (AbandonPolicy.finish, "2", true), (.cancel, "1", false),
        ])
    func abandoned(_ policy: AbandonPolicy, _ value: String, _ isFetching: Bool) {
        let observer = desk.client.observe(stream.whenAbandoned(policy))
        send("1")
        observer.cancel()
        desk.lab.settle()
        send("2")
        #expect(desk.client.value(of: stream) == value)
        #expect(desk.client.snapshot(of: stream).isFetching == isFetching)
    }

    @Test("What a fetcher yields after its cancellation is dropped")
    func yieldAfterCancel() {
        let deaf = desk.lab.fetcher(returning: String.self, ignoringCancellation: true)
        let user = QueryDefinition("users", fetch: deaf.fetch)
        let observer = desk.client.observe(user)
        deaf.yield("1")
        desk.client.cancel(.all)
        deaf.yield("2")
        deaf.succeed(with: "3")
        #expect(observer.value == "1")
    }

    @Test("what an older fetch yields does not land over a newer one", .rule("A7"))
    func yieldOfOlder() {
        let deaf = desk.lab.fetcher(returning: String.self, ignoringCancellation: true)
        let user = QueryDefinition("users", fetch: deaf.fetch)
        let observer = desk.client.observe(user)
        deaf.succeed(with: "1")
        let tasks = [desk.refetch(user), desk.refetch(user)]
        deaf.yield("older")
        #expect(observer.value == "1")
        deaf.succeed(2, with: "newer")
        #expect(tasks.map(\.value) == ["newer", "newer"])
    }

    @Test("A stream that never ends is ended by its time limit, and by its client's end")
    func neverEnds() {
        let task = desk.fetch(stream.timeLimit(.seconds(10)))
        send("1")
        desk.lab.advance(by: .seconds(10))
        #expect(task.error as? QueryError == .timedOut(key: "prices", limit: .seconds(10)))
        #expect(desk.client.value(of: stream) == "1")
    }

    @Test("A value on the way makes what was failed or invalidated right again")
    func yieldClears() {
        let observer = desk.client.observe(desk.user.staleAfter(.never))
        desk.fetcher.fail(with: Trouble.first)
        let task = desk.refetch(desk.user)
        desk.fetcher.yield("1")
        #expect(observer.snapshot.error == nil && !observer.snapshot.isInvalidated)
        task.cancel()
    }
}
