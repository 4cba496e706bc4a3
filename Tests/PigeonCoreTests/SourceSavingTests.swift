import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Saving what a fetch brings in a source of truth")
struct SourceSavingTests {
    private let desk = SourceDesk()

    @Test("An answer is saved, read back, and shown then")
    func savesFirst() {
        let observer = desk.observe()
        desk.source.takeCalls()
        desk.source.hold("save")
        desk.server.succeed(with: "Ann")
        #expect(observer.snapshot.brief == "pending…")
        desk.source.release()
        #expect(observer.snapshot.brief == "Ann")
        #expect(desk.source.calls == ["save Ann", "read"])
    }

    @Test("What is shown is what the source makes of it")
    func shownAsGivenBack() {
        let observer = desk.observe()
        desk.source.on("read") { [source = desk.source] in
            if source.content == "Ann" { source.put("Ann, aged 30") }
        }
        desk.server.succeed(with: "Ann")
        #expect(observer.snapshot.brief == "Ann, aged 30")
    }

    @Test("An answer that the source does not keep is shown as it was brought")
    func shownAsBrought() {
        desk.source.forgetWhatIsSaved()
        let observer = desk.observe()
        desk.server.succeed(with: "Ann")
        #expect(observer.snapshot.brief == "Ann")
        #expect(desk.source.content == nil)
    }

    @Test("A save that throws fails the fetch: what was shown stays, and the error is told")
    func saveFails() {
        desk.source.put("Ann")
        let observer = desk.observe()
        let task = desk.consult(.always(.requested))
        desk.source.fail("save")
        desk.server.succeed(with: "Bea")
        #expect(task.error as? Trouble == .first)
        #expect(observer.snapshot.value == "Ann")
        #expect(desk.entry?.failure?.error as? Trouble == .first)
        #expect(desk.source.content == "Ann")
    }

    @Test("A save that throws halfway leaves what is there, and that is shown")
    func saveFailsHalfway() {
        desk.source.put("Ann")
        let observer = desk.observe()
        let task = desk.consult(.always(.requested))
        desk.source.on("save") { [source = desk.source] in source.put("Bea and half of") }
        desk.source.fail("save")
        desk.server.succeed(with: "Bea and half of Cid")
        #expect(task.error as? Trouble == .first)
        #expect(observer.snapshot.value == "Bea and half of")
    }

    @Test("A save that throws is retried with its fetch")
    func saveIsRetried() {
        let definition = desk.user.retry(RetryPolicy(limit: 1, delay: { _ in .seconds(1) }, shouldRetry: { _ in true }))
        let task = desk.lab.start { [client = desk.client] in
            try await client.consult(definition, .ifStale(.requested))
        }
        desk.source.fail("save")
        desk.server.succeed(with: "Ann")
        #expect(task.result == nil)
        desk.lab.advance(by: .seconds(1))
        desk.server.succeed(with: "Bea")
        #expect(task.value == "Bea")
        #expect(desk.source.content == "Bea")
    }

    @Test("What was fetched and saved is shown although it cannot be read back")
    func readBackFails() {
        let task = desk.consult(.ifStale(.requested))
        desk.source.fail("read")
        desk.server.succeed(with: "Ann")
        #expect(task.value == "Ann")
        #expect(desk.source.content == "Ann")
        #expect(desk.shown == "Ann", "what was saved is shown all the same")
    }

    @Test("A failure takes nothing away, neither from what is shown nor from the source")
    func failure() {
        desk.source.put("Ann")
        desk.source.markStaleNow()
        let observer = desk.observe()
        desk.source.takeCalls()
        desk.server.fail(with: Trouble.first)
        #expect(observer.snapshot.value == "Ann")
        #expect(desk.source.content == "Ann")
        #expect(desk.source.calls == [])
    }

    @Test("A cancellation takes nothing away, and its answer is not saved")
    func cancellation() {
        let desk = SourceDesk("Ann", ignoringCancellation: true)
        desk.source.markStaleNow()
        let observer = desk.observe()
        desk.client.cancel(.key("users"))
        #expect(observer.snapshot.brief == "Ann")
        desk.source.takeCalls()
        desk.server.succeed(with: "Late")
        #expect(desk.source.calls == [])
        #expect(desk.source.content == "Ann")
        #expect(observer.snapshot.brief == "Ann")
    }

    @Test("An answer that was overtaken while it waited for its turn is not saved")
    func overtaken() {
        let desk = SourceDesk("Ann", ignoringCancellation: true)
        let observer = desk.observe()
        _ = desk.consult(.always(.requested))
        desk.source.hold("read")
        _ = desk.consult(.nothing)
        desk.server.succeed(0, with: "Old")
        desk.client.invalidate(.key("users"))
        desk.source.release()
        #expect(!desk.source.calls.contains("save Old"))
        desk.server.succeed(with: "New")
        #expect(observer.snapshot.brief == "New")
        #expect(desk.source.content == "New")
    }

    @Test("An answer that is being saved when its fetch is cancelled is shown as what the source holds")
    func cancelledWhileSaving() {
        let observer = desk.observe()
        desk.source.hold("save")
        desk.server.succeed(with: "Ann")
        desk.client.cancel(.key("users"))
        #expect(observer.snapshot.brief == "pending")
        desk.source.release()
        #expect(desk.source.content == "Ann")
        #expect(observer.snapshot.brief == "Ann")
    }

    @Test("The fetch that replaces one whose answer is being saved is saved after it")
    func replacedWhileSaving() {
        let desk = SourceDesk("Ann", ignoringCancellation: true)
        let observer = desk.observe()
        _ = desk.consult(.always(.requested))
        desk.source.hold("save")
        desk.server.succeed(with: "Old")
        desk.client.invalidate(.key("users"))
        desk.server.succeed(with: "New")
        desk.source.release()
        #expect(desk.source.content == "New")
        #expect(observer.snapshot.brief == "New")
        #expect(desk.source.mostAtOnce == 1)
    }

    @Test("Values that a fetcher yields are saved in order, each shown as the source gives it back")
    func yields() {
        let seen = Recorder<String>()
        let observer = desk.client.observe(desk.user) { seen.append($0.brief) }
        seen.clear()
        desk.server.yield("Ann")
        desk.server.yield("Bea")
        desk.server.succeed(with: "Cid")
        #expect(seen.all == ["Ann…", "Bea…", "Cid"])
        #expect(desk.source.calls == ["read", "save Ann", "read", "save Bea", "read", "save Cid", "read"])
        withExtendedLifetime(observer) {}
    }

    @Test("A fetch that fails after a value does so once that is saved")
    func failsAfterYield() {
        let task = desk.consult(.ifStale(.requested))
        desk.source.hold("save")
        desk.server.yield("Ann")
        desk.server.fail(with: Trouble.first)
        #expect(task.result == nil)
        desk.source.release()
        #expect(task.error as? Trouble == .first)
        #expect(desk.shown == "Ann")
    }

    @Test("A refetch, whatever is cached, is saved too")
    func refetches() {
        desk.source.put("Ann")
        let observer = desk.observe()
        let task = desk.lab.start { [client = desk.client] in
            await client.refetch(.key("users"))
            return true
        }
        #expect(observer.snapshot.brief == "Ann…")
        desk.server.succeed(with: "Bea")
        #expect(task.value == true)
        #expect(desk.source.content == "Bea")
    }

    @Test("A value in between that cannot be saved fails the fetch, and stops its fetcher")
    func yieldFails() {
        let definition = desk.user.retry(RetryPolicy(limit: 3, delay: { _ in .zero }, shouldRetry: { _ in true }))
        let task = desk.lab.start { [client = desk.client] in
            try await client.consult(definition, .ifStale(.requested))
        }
        desk.server.yield("Ann")
        desk.source.fail("save")
        desk.server.yield("Bea")
        desk.lab.advance(by: .seconds(1))
        #expect(task.error as? Trouble == .first)
        #expect(desk.server.pendingCount == 0)
        #expect(desk.server.calls.count == 1)
        #expect(desk.shown == "Ann")
    }

    @Test("An answer that nothing has changed leaves what came into the source meanwhile")
    func notModified() {
        desk.source.put("Ann")
        let observer = desk.observe()
        let task = desk.consult(.always(.requested))
        desk.source.changeOutside("Bea")
        desk.server.notModified()
        #expect(task.value == "Bea")
        #expect(desk.source.content == "Bea")
        #expect(observer.snapshot.brief == "Bea")
    }
}
