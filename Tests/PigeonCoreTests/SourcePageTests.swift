import PigeonCore
import PigeonTesting
import Testing

@Suite("Pages of a source of truth")
struct SourcePageTests {
    private let desk = SourceDesk("Ann")

    @Test("A page is added to what the source holds, and shown as it gives it back", arguments: PageDirection.allCases)
    func adds(_ direction: PageDirection) {
        let observer = desk.observe()
        desk.source.takeCalls()
        let task = desk.page(direction)
        #expect(task.result == nil)
        desk.pages.succeed(with: "Bea")
        #expect(task.value == "loaded")
        #expect(observer.snapshot.brief == (direction == .next ? "Ann Bea" : "Bea Ann"))
        #expect(desk.source.content == observer.snapshot.value)
        #expect(desk.source.calls == ["add Bea", "read"])
    }

    @Test("Pages of both directions are loaded at the same time")
    func bothWays() {
        let observer = desk.observe()
        let tasks = [desk.page(.next), desk.page(.previous)]
        #expect(desk.pages.pendingCount == 2)
        desk.pages.succeed(1, with: "Abe")
        desk.pages.succeed(0, with: "Bea")
        #expect(tasks.map(\.value) == ["loaded", "loaded"])
        #expect(observer.snapshot.brief == "Abe Ann Bea")
    }

    @Test("A load that is running is joined")
    func joins() {
        let observer = desk.observe()
        let tasks = [desk.page(), desk.page(), desk.page()]
        #expect(desk.pages.calls.count == 1)
        desk.pages.succeed(with: "Bea")
        #expect(tasks.map(\.value) == ["loaded", "loaded", "loaded"])
        #expect(observer.snapshot.brief == "Ann Bea")
    }

    // MARK: Refusals

    @Test("There is no page of what is not there")
    func nothingThere() {
        desk.source.put(nil)
        #expect(desk.page().value == "nothing there")
        #expect(desk.page(.previous).value == "nothing there")
        #expect(desk.pages.calls.isEmpty && desk.server.calls.isEmpty)
    }

    @Test("There is no page while the whole is being loaded")
    func loading() {
        desk.source.markStaleNow()
        _ = desk.consult(.ifStale(.requested))
        #expect(desk.page().value == "loading")
        #expect(desk.pages.calls.isEmpty)
    }

    @Test("There is no page of what could not be loaded")
    func failed() {
        desk.source.markStaleNow()
        _ = desk.consult(.ifStale(.requested))
        desk.server.fail(with: Trouble.first)
        #expect(desk.page().value == "failed: first")
        #expect(desk.page(.previous).value == "failed: first")
    }

    @Test("At the end there is no page")
    func end() {
        desk.source.put("Ann.")
        #expect(desk.page().value == "the end")
        #expect(desk.pages.calls.isEmpty)
    }

    @Test("A page that could not be loaded is tried again, if that is asked for", arguments: PageDirection.allCases)
    func failedBefore(_ direction: PageDirection) {
        let observer = desk.observe()
        let first = desk.page(direction)
        desk.pages.fail(with: Trouble.second)
        #expect(first.error as? Trouble == .second)
        #expect(observer.snapshot.brief == "Ann")
        #expect(desk.page(direction, repeatsFailed: false).value == "failed before: second")
        let third = desk.page(direction)
        desk.pages.succeed(with: "Bea")
        #expect(third.value == "loaded")
        #expect(desk.page(direction, repeatsFailed: false).result == nil)
    }

    @Test("A page that failed in one direction says nothing about the other")
    func otherDirection() {
        let observer = desk.observe()
        _ = desk.page(.next)
        desk.pages.fail(with: Trouble.second)
        let task = desk.page(.previous, repeatsFailed: false)
        desk.pages.succeed(with: "Abe")
        #expect(task.value == "loaded")
        #expect(observer.snapshot.brief == "Abe Ann")
    }

    // MARK: Reading before a page load

    @Test("A page of what was never read waits for the reading")
    func readsFirst() {
        desk.source.hold("read")
        let task = desk.page()
        #expect(desk.pages.calls.isEmpty)
        desk.source.release()
        desk.pages.succeed(with: "Bea")
        #expect(task.value == "loaded")
        #expect(desk.source.content == "Ann Bea")
    }

    @Test("A page of what nobody observes follows what the source holds by now")
    func readsAgain() {
        _ = desk.consult(.nothing)
        desk.source.put("Cid")
        _ = desk.page()
        desk.pages.succeed(with: "Dan")
        #expect(desk.source.content == "Cid Dan")
    }

    @Test("Whoever is cancelled while the source is read ends, and the others get their page")
    func cancelledWhileReading() {
        desk.source.hold("read")
        let (leaving, staying) = (desk.page(), desk.page())
        leaving.cancel()
        #expect(leaving.error is CancellationError)
        desk.source.release()
        desk.pages.succeed(with: "Bea")
        #expect(staying.value == "loaded")
    }

    @Test("Whoever is cancelled while the page is loaded ends, and the load goes on")
    func cancelledWhileLoading() {
        let observer = desk.observe()
        let task = desk.page()
        task.cancel()
        #expect(task.error is CancellationError)
        desk.pages.succeed(with: "Bea")
        #expect(observer.snapshot.brief == "Ann Bea")
    }

    // MARK: Saving

    @Test("A page that cannot be added fails; all that was there still is")
    func addFails() {
        let observer = desk.observe()
        let task = desk.page()
        desk.source.fail("add")
        desk.pages.succeed(with: "Bea")
        #expect(task.error as? Trouble == .first)
        #expect(observer.snapshot.brief == "Ann")
        #expect(desk.source.content == "Ann")
        #expect(desk.page(repeatsFailed: false).value == "failed before: first")
    }

    @Test("A page that was overtaken by a refresh is not added")
    func overtaken() {
        let desk = SourceDesk("Ann", ignoringCancellation: true)
        let observer = desk.observe()
        _ = desk.page()
        _ = desk.consult(.always(.requested))
        desk.pages.succeed(with: "Late")
        desk.server.succeed(with: "Bea")
        #expect(desk.source.content == "Bea")
        #expect(observer.snapshot.brief == "Bea")
        #expect(!desk.source.calls.contains("add Late"))
    }

    @Test("A page that a refresh overtakes while it is added is replaced by the refresh")
    func overtakenWhileAdding() {
        let observer = desk.observe()
        let page = desk.page()
        desk.source.hold("add")
        desk.pages.succeed(with: "Bea")
        desk.client.invalidate(.key("users"))
        desk.source.release()
        #expect(desk.source.content == "Ann Bea")
        #expect(observer.snapshot.brief == "Ann Bea…")
        desk.server.succeed(with: "Cid")
        #expect(desk.source.content == "Cid")
        #expect(observer.snapshot.brief == "Cid")
        desk.pages.succeed(with: "Dan")
        #expect(page.value == "loaded", "asked for again, from what is there then")
        #expect(observer.snapshot.brief == "Cid Dan")
    }

    @Test("A change by the program keeps a page load, whose page is added if it still follows")
    func changedMeanwhile() {
        let observer = desk.observe()
        _ = desk.page()
        _ = desk.change(to: "Abe Ann")
        desk.pages.succeed(with: "Bea")
        #expect(observer.snapshot.brief == "Abe Ann Bea")
    }

    @Test("A page that does not follow any more is not added, and is asked for again from what is there")
    func followsNoMore() {
        let observer = desk.observe()
        let task = desk.page()
        _ = desk.change(to: "Cid")
        desk.pages.succeed(with: "Bea")
        #expect(task.result == nil)
        #expect(observer.snapshot.brief == "Cid")
        #expect(desk.source.content == "Cid")
        desk.pages.succeed(with: "Dan")
        #expect(task.value == "loaded")
        #expect(observer.snapshot.brief == "Cid Dan")
        #expect(desk.entry?.side?.next.error == nil)
    }

    @Test("Offline, a page waits for the network")
    func offline() {
        let observer = desk.observe()
        desk.lab.setOnline(false)
        let task = desk.page()
        #expect(desk.pages.calls.isEmpty)
        desk.lab.setOnline(true)
        desk.pages.succeed(with: "Bea")
        #expect(task.value == "loaded")
        #expect(observer.snapshot.brief == "Ann Bea")
    }

    @Test("A page that does not follow what the source holds by now has that shown, and the next one follows it")
    func changedUnseen() {
        let observer = desk.observe()
        _ = desk.page()
        desk.source.put("Cid")
        desk.pages.succeed(with: "Bea")
        #expect(desk.source.content == "Cid")
        #expect(observer.snapshot.brief == "Cid")
        _ = desk.page()
        desk.pages.succeed(with: "Dan")
        #expect(observer.snapshot.brief == "Cid Dan")
    }

    @Test("A page of a source that was emptied unseen has that shown")
    func emptiedUnseen() {
        let observer = desk.observe()
        _ = desk.page()
        desk.source.put(nil)
        desk.pages.succeed(with: "Bea")
        #expect(observer.snapshot.brief == "pending")
    }

    @Test("A key whose source is read is not given to another type: who waits for the reading is answered")
    func notTakenOver() {
        desk.source.hold("read")
        let task = desk.page()
        #expect(throws: QueryError.self) { try desk.client.set(1, for: QueryKey("users")) }
        desk.source.release()
        desk.pages.succeed(with: "Bea")
        #expect(task.value == "loaded")
    }

    @Test("A page that was added before its source failed is shown")
    func halfAdded() {
        let observer = desk.observe()
        let task = desk.page()
        desk.source.fail("read")
        desk.pages.succeed(with: "Bea")
        #expect(task.error as? Trouble == .first)
        #expect(observer.snapshot.brief == "Ann Bea")
    }
}
