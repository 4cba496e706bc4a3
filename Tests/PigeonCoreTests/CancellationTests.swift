import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Cancellation")
struct CancellationTests {
    let desk = Desk()

    @Test("cancelling cancels the fetcher's task", .rule("T46", "A14"))
    func cancelsTask() {
        let task = desk.fetch(desk.user)
        desk.client.cancel(.all)
        desk.lab.settle()
        #expect(desk.fetcher.pendingCount == 0)
        #expect(task.error is CancellationError)
    }

    @Test("the late result of a fetcher that ignores cancellation is dropped", .rule("T46", "A14"))
    func lateResult() {
        let deaf = desk.lab.fetcher(returning: String.self, ignoringCancellation: true)
        let user = QueryDefinition("users", 1, fetch: deaf.fetch)
        let observer = desk.client.observe(user)
        desk.client.cancel(.all)
        deaf.succeed(with: "late")
        #expect(observer.snapshot.brief == "pending")
        #expect(desk.lab.log.last == "users/1 late answer dropped (superseded)")
    }

    @Test("who waits for a cancelled fetch gets what is there, or an error when nothing is", .rule("T47"))
    func outcome() {
        let first = desk.fetch(desk.user)
        desk.client.cancel(.all)
        desk.lab.settle()
        #expect(first.error is CancellationError)
        desk.receive("Ann", for: desk.user)
        let second = desk.refetch(desk.user)
        desk.client.cancel(.all)
        desk.lab.settle()
        #expect(second.value == "Ann")
    }

    @Test("a write during a fetch stays when that is cancelled", .rule("T49"))
    func writeDuringFetch() throws {
        desk.receive("Ann", for: desk.user)
        let task = desk.refetch(desk.user)
        try desk.client.set("Bea", for: desk.user)
        desk.client.cancel(.all)
        desk.lab.settle()
        #expect(task.value == "Bea")
        #expect(desk.client.value(of: desk.user) == "Bea")
    }

    @Test("cancelling what does nothing changes nothing", .rule("T51"))
    func idle() {
        desk.receive("Ann", for: desk.user)
        let before = desk.client.snapshot(of: desk.user).version
        desk.client.cancel(.all)
        #expect(desk.client.snapshot(of: desk.user).version == before)
    }

    @Test("by default a fetch that nobody is interested in ends, and is cached", .rule("A13"))
    func finish() {
        desk.client.observe(desk.user).cancel()
        #expect(desk.fetcher.pendingCount == 1)
        desk.fetcher.succeed(with: "Ann")
        #expect(desk.client.value(of: desk.user) == "Ann")
    }

    @Test("or it is cancelled, and the state is what it was before", .rule("A13"))
    func cancel() {
        desk.receive("Ann", for: desk.user)
        let before = desk.client.snapshot(of: desk.user)
        desk.client.observe(desk.user.whenAbandoned(.cancel)).cancel()
        desk.lab.settle()
        #expect(desk.fetcher.pendingCount == 0)
        let after = desk.client.snapshot(of: desk.user)
        #expect(after.value == "Ann" && after.error == nil && after.activity == .idle)
        #expect(after.valueVersion == before.valueVersion)
        #expect(desk.lab.log.last == "users/1 cancelled (abandoned)")
    }

    @Test("cancelling while a retry is awaited also brings back the state of before", .rule("A13"))
    func cancelWhileBackingOff() {
        let policy = RetryPolicy(limit: 1, delay: { _ in .seconds(1) }, hasJitter: false) { _ in true }
        let observer = desk.client.observe(desk.user.whenAbandoned(.cancel).retry(policy))
        desk.fetcher.fail(with: Trouble.first)
        observer.cancel()
        #expect(desk.client.snapshot(of: desk.user).error == nil)
    }

    @Test("A cancelled caller leaves at once; the fetch goes on for the others")
    func oneLeaves() {
        let user = desk.user.whenAbandoned(.cancel)
        let (first, second) = (desk.fetch(user), desk.fetch(user))
        first.cancel()
        #expect(first.error is CancellationError)
        #expect(second.result == nil && desk.fetcher.pendingCount == 1)
        desk.fetcher.succeed(with: "Ann")
        #expect(second.value == "Ann")
    }

    @Test("the last caller that leaves cancels the fetch, if the definition says so", .rule("A13"))
    func lastLeaves() {
        let user = desk.user.whenAbandoned(.cancel)
        let tasks = [desk.fetch(user), desk.fetch(user)]
        for task in tasks { task.cancel() }
        #expect(desk.fetcher.pendingCount == 0)
        #expect(desk.client.snapshot(of: user).activity == .idle)
    }

    @Test("A fetcher that throws a cancellation of its own leaves the entry as it was")
    func ownCancellation() {
        let task = desk.fetch(desk.user)
        desk.fetcher.fail(with: CancellationError())
        #expect(task.error is CancellationError)
        let snapshot = desk.client.snapshot(of: desk.user)
        #expect(snapshot.error == nil && snapshot.activity == .idle && snapshot.failureCount == 0)
    }

    @Test("A client that is let go cancels what it fetches")
    func clientGone() {
        let fetcher = desk.fetcher
        do {
            let client = QueryClient(environment: desk.lab.environment)
            let observer = client.observe(desk.user)
            #expect(fetcher.pendingCount == 1)
            withExtendedLifetime(observer) {}
        }
        desk.lab.settle()
        #expect(fetcher.pendingCount == 0)
    }
}
