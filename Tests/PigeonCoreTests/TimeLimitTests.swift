import PigeonCore
import PigeonTesting
import Testing

@Suite("Time limits")
struct TimeLimitTests {
    let desk = Desk()

    @Test("A fetch that takes longer is cancelled, and fails with what was exceeded")
    func exceeded() {
        let task = desk.fetch(desk.user.timeLimit(.seconds(10)))
        desk.lab.advance(by: .milliseconds(9_999))
        #expect(task.result == nil)
        desk.lab.advance(by: .milliseconds(1))
        #expect(task.error as? QueryError == .timedOut(key: desk.user.key, limit: .seconds(10)))
        #expect(desk.fetcher.pendingCount == 0)
        #expect(desk.lab.log.contains("users/1 cancelled (time limit)"))
    }

    @Test("Retries count in, and none follows")
    func retriesCount() {
        let policy = RetryPolicy(limit: 99, delay: { _ in .seconds(4) }, hasJitter: false) { _ in true }
        let task = desk.fetch(desk.user.timeLimit(.seconds(10)).retry(policy))
        for _ in 0..<3 {
            desk.fetcher.fail(with: Trouble.first)
            desk.lab.advance(by: .seconds(4))
        }
        #expect(task.error as? QueryError == .timedOut(key: desk.user.key, limit: .seconds(10)))
        desk.lab.advance(by: .seconds(100))
        #expect(desk.fetcher.calls.count == 3)
    }

    @Test("A late result is dropped, even of a fetcher that ignores cancellation")
    func lateResult() {
        let deaf = desk.lab.fetcher(returning: String.self, ignoringCancellation: true)
        let task = desk.fetch(QueryDefinition("users", fetch: deaf.fetch).timeLimit(.seconds(1)))
        desk.lab.advance(by: .seconds(1))
        deaf.succeed(with: "late")
        #expect(task.error is QueryError)
        #expect(desk.client.value(of: "users", as: String.self) == nil)
    }

    @Test("The value that was there stays")
    func keepsValue() {
        desk.receive("Ann", for: desk.user)
        _ = desk.refetch(desk.user.timeLimit(.seconds(1)))
        desk.lab.advance(by: .seconds(1))
        let snapshot = desk.client.snapshot(of: desk.user)
        #expect(snapshot.value == "Ann" && snapshot.error is QueryError)
    }

    @Test("A fetch that ends in time leaves no timer behind")
    func inTime() {
        let desk = Desk { $0.keepFor = .forever }
        let task = desk.fetch(desk.user.timeLimit(.seconds(10)))
        desk.fetcher.succeed(with: "Ann")
        desk.lab.advance(by: .seconds(60))
        #expect(task.value == "Ann")
        #expect(desk.lab.clock.alarmCount == 0)
        #expect(desk.client.snapshot(of: desk.user).error == nil)
    }

    @Test("A limit that is not positive is none", arguments: [Duration.zero, .seconds(-1)])
    func none(_ limit: Duration) {
        let desk = Desk { $0.timeLimit = limit }
        let tasks = [desk.fetch(desk.user), desk.fetch(desk.query("own").timeLimit(limit))]
        desk.lab.advance(by: .seconds(60))
        #expect(tasks.allSatisfy { $0.result == nil })
        for task in tasks { task.cancel() }
    }
}
