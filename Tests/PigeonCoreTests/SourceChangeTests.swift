import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Changes of a source of truth by the program")
struct SourceChangeTests {
    private let desk = SourceDesk("Ann")

    @Test("A change is shown as the source gives it back")
    func changes() {
        let observer = desk.observe()
        desk.source.on("read") { [source = desk.source] in
            if source.content == "Bea" { source.put("Bea, aged 30") }
        }
        #expect(desk.change(to: "Bea").value == true)
        #expect(observer.snapshot.brief == "Bea, aged 30")
    }

    @Test("A change of what nobody has looked at is known")
    func unread() {
        #expect(desk.change(to: "Bea").value == true)
        #expect(desk.shown == "Bea")
    }

    @Test("A change ends an error state")
    func endsError() {
        desk.source.put(nil)
        let observer = desk.observe()
        desk.server.fail(with: Trouble.first)
        _ = desk.change(to: "Bea")
        #expect(observer.snapshot.brief == "Bea")
        #expect(desk.entry?.failure == nil)
    }

    @Test("A change cancels a fetch that was asked before it; whoever waits for that gets the change")
    func cancelsFetch() {
        let desk = SourceDesk(ignoringCancellation: true)
        let fetch = desk.consult(.ifStale(.requested))
        _ = desk.change(to: "Bea")
        #expect(fetch.value == "Bea")
        desk.server.succeed(with: "Late")
        #expect(desk.source.content == "Bea")
        #expect(desk.shown == "Bea")
    }

    @Test("A fetch that several asked for was asked when the last of them did")
    func sharedReading() {
        desk.source.hold("read")
        _ = desk.consult(.nothing)
        let first = desk.consult(.always(.requested))
        desk.client.invalidate(.key("users"), refetch: .none)
        let second = desk.consult(.always(.requested))
        desk.source.release()
        desk.server.succeed(with: "Bea")
        #expect(first.value == "Bea")
        #expect(second.value == "Bea")
        #expect(desk.entry?.isInvalidated == false)
    }

    @Test("A change waits for an answer that is being saved, and stays")
    func afterSaving() {
        let observer = desk.observe()
        let fetch = desk.consult(.always(.requested))
        desk.source.hold("save")
        desk.server.succeed(with: "Cid")
        let change = desk.change(to: "Bea")
        #expect(desk.source.content == "Ann")
        desk.source.release()
        #expect(change.value == true)
        #expect(fetch.value == "Cid")
        #expect(desk.source.content == "Bea")
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("An answer that waits behind a change is not saved")
    func beforeSaving() {
        let observer = desk.observe()
        let fetch = desk.consult(.always(.requested))
        desk.source.hold("read")
        let change = desk.change(to: "Bea")
        desk.server.succeed(with: "Cid")
        desk.source.release()
        #expect(change.value == true)
        #expect(fetch.value == "Bea")
        #expect(desk.source.content == "Bea")
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("Changes are made one after the other, in the order asked, and none is lost")
    func inOrder() {
        let observer = desk.observe()
        desk.source.hold("read")
        let tasks = ["Bea", "Cid", "Dan"].map { name in
            desk.lab.start { [client = desk.client, user = desk.user, source = desk.source] in
                try await client.change(user) { source.put("\(source.content ?? "") \(name)") }
                return true
            }
        }
        desk.source.release()
        #expect(tasks.allSatisfy { $0.value == true })
        #expect(observer.snapshot.brief == "Ann Bea Cid Dan")
    }

    @Test("A change that throws shows nothing, and leaves a fetch under way")
    func throwing() {
        desk.source.markStaleNow()
        let observer = desk.observe()
        let task = desk.lab.start { [client = desk.client, user = desk.user] in
            try await client.change(user) { throw Trouble.second }
        }
        #expect(task.error as? Trouble == .second)
        #expect(observer.snapshot.brief == "Ann…")
        desk.server.succeed(with: "Bea")
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("A change whose caller is cancelled is carried through")
    func cancelledCaller() {
        let observer = desk.observe()
        desk.source.hold("read")
        _ = desk.consult(.nothing)
        let task = desk.change(to: "Bea")
        task.cancel()
        #expect(task.error is CancellationError)
        desk.source.release()
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("A change that leaves nothing empties the entry, and starts no fetch")
    func toNothing() {
        let observer = desk.observe()
        #expect(desk.change(to: nil).value == true)
        #expect(observer.snapshot.brief == "pending")
        #expect(desk.server.calls.isEmpty)
    }

    @Test("A change that leaves nothing cancels the fetch and the page asked before")
    func toNothingDuringFetch() {
        let desk = SourceDesk("Ann", ignoringCancellation: true)
        let observer = desk.observe()
        let page = desk.page()
        _ = desk.change(to: nil)
        #expect(page.error is CancellationError)
        _ = desk.consult(.ifStale(.requested))
        _ = desk.change(to: nil)
        desk.pages.succeed(with: "Late")
        desk.server.succeed(with: "Late")
        #expect(desk.source.content == nil)
        #expect(observer.snapshot.brief == "pending")
    }

    @Test("A change of a definition without a source does nothing")
    func noSource() {
        let task = desk.lab.start { [client = desk.client] in
            try await client.change(QueryDefinition<String>.value("plain")) { throw Trouble.first }
            return true
        }
        #expect(task.value == true)
    }

    @Test("What is asked for after a change that leaves nothing is done after it")
    func askedAfterNothing() {
        let observer = desk.observe()
        desk.source.hold("read")
        _ = desk.consult(.nothing)
        let change = desk.change(to: nil)
        let task = desk.consult(.ifStale(.requested))
        desk.source.release()
        #expect(change.value == true)
        desk.server.succeed(with: "Bea")
        #expect(task.value == "Bea")
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("A fetch that was asked for while a change waits for its turn is saved after it")
    func fetchAskedAfter() {
        let observer = desk.observe()
        desk.source.hold("read")
        _ = desk.consult(.nothing)
        let change = desk.change(to: "Bea")
        desk.client.invalidate(.key("users"))
        desk.source.release()
        #expect(change.value == true)
        #expect(observer.snapshot.brief == "Bea…")
        desk.server.succeed(with: "Cid")
        #expect(observer.snapshot.brief == "Cid")
        #expect(desk.source.content == "Cid")
    }

    @Test("What a change did before it threw is shown")
    func halfDone() {
        let observer = desk.observe()
        let task = desk.lab.start { [client = desk.client, user = desk.user, source = desk.source] in
            try await client.change(user) {
                source.put("Bea")
                throw Trouble.second
            }
        }
        #expect(task.error as? Trouble == .second)
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test(
        "what is invalidated after a change was asked for is fetched, though a demand came before the change",
        .rule("E8"))
    func invalidatedAfterChange() {
        let observer = desk.observe()
        desk.source.hold("read")
        _ = desk.consult(.ifStale(.requested))
        let reads = Locked(0)
        // Invalidates the entry when the change reads the source back. The change has been requested by then, but has
        // not landed.
        desk.source.on("read") { [client = desk.client] in
            guard
                reads.withLock({ reads in
                    reads += 1
                    return reads
                }) == 1
            else { return }
            client.invalidate(.key("users"))
        }
        let change = desk.change(to: "Bea")
        desk.source.release()
        #expect(change.value == true)
        #expect(desk.server.pendingCount == 1)
        #expect(observer.snapshot.isInvalidated)
        desk.server.succeed(with: "Cid")
        #expect(observer.snapshot.brief == "Cid")
        #expect(!observer.snapshot.isInvalidated)
    }
}
