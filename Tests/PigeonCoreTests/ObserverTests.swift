import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Observers")
struct ObserverTests {
    let desk = Desk()

    @Test("the first snapshot is there at once, with what is known", .rule("A17"))
    func firstSnapshot() {
        #expect(desk.client.observe(desk.user).snapshot.brief == "pending…")
        desk.fetcher.succeed(with: "Ann")
        #expect(desk.client.observe(desk.user).snapshot.brief == "Ann…")
        #expect(desk.client.observe(desk.user).value == "Ann")
    }

    @Test("a fetcher that answers at once has answered when observing returns", .rule("A17"))
    func answersAtOnce() {
        desk.fetcher.answer { _ in "Ann" }
        #expect(desk.client.observe(desk.user).value == "Ann")
    }

    @Test("an observer is told only when something changed", .rule("T57"))
    func toldOfChanges() {
        let seen = Recorder<String>()
        let observer = desk.client.observe(desk.user.staleAfter(.never)) { seen.append($0.brief) }
        desk.fetcher.succeed(with: "Ann")
        desk.client.cancel(.all)
        desk.client.invalidate(.key("other"))
        desk.lab.setOnline(false)
        desk.lab.setOnline(true)
        #expect(seen.all == ["Ann"])
        desk.client.invalidate(.all, refetch: .none)
        desk.client.invalidate(.all, refetch: .none)
        #expect(seen.all == ["Ann", "Ann (stale)"])
        withExtendedLifetime(observer) {}
    }

    @Test("All observers of a key see the same versions, in order")
    func sameVersions() {
        let (first, second) = (Recorder<UInt64>(), Recorder<UInt64>())
        let observers = [
            desk.client.observe(desk.user) { first.append($0.version) },
            desk.client.observe(desk.user) { second.append($0.version) },
        ]
        desk.fetcher.succeed(with: "Ann")
        for value in ["Bea", "Cid"] { desk.receive(value, for: desk.user) }
        #expect(first.all == second.all && first.all == first.all.sorted())
        #expect(first.all.count == 5)
        withExtendedLifetime(observers) {}
    }

    @Test("a slow reader of the sequence misses versions, but never the last", .rule("A18"))
    func slowReader() async {
        let observer = desk.client.observe(desk.user)
        desk.fetcher.succeed(with: "Ann")
        var reader = observer.makeAsyncIterator()
        #expect(await reader.next()?.value == "Ann", "the newest is there at once")
        for value in ["Bea", "Cid", "Dan"] { desk.receive(value, for: desk.user) }
        let newest = await reader.next()
        #expect(newest?.value == "Dan" && newest?.version == observer.snapshot.version)
    }

    @Test("a fast reader sees every version", .rule("A18"))
    func fastReader() {
        let observer = desk.client.observe(desk.user)
        let seen = Recorder<String>()
        let task = desk.lab.start { for await snapshot in observer { seen.append(snapshot.brief) } }
        desk.fetcher.succeed(with: "Ann")
        desk.receive("Bea", for: desk.user)
        #expect(seen.all == ["pending…", "Ann (stale)", "Ann…", "Bea (stale)"])
        task.cancel()
        #expect(task.result != nil)
    }

    @Test("the snapshot that a sequence begins with does not replace a newer one that is there already", .rule("A18"))
    func firstIsOldest() async {
        let mailbox = Mailbox<Int>()
        mailbox.put(2)
        mailbox.putFirst(1)
        #expect(await mailbox.next() == 2)
    }

    @Test("A sequence can be iterated twice, each iteration on its own")
    func twoIterations() async {
        let observer = desk.client.observe(desk.user)
        desk.fetcher.succeed(with: "Ann")
        var (one, two) = (observer.makeAsyncIterator(), observer.makeAsyncIterator())
        #expect(await one.next()?.value == "Ann")
        desk.receive("Bea", for: desk.user)
        #expect(await two.next()?.value == "Bea")
        #expect(await one.next()?.value == "Bea")
    }

    @Test("A cancelled observer is told nothing, and keeps its last snapshot")
    func cancelled() {
        let seen = Recorder<String>()
        let observer = desk.client.observe(desk.user) { seen.append($0.brief) }
        desk.fetcher.succeed(with: "Ann")
        observer.cancel()
        desk.receive("Bea", for: desk.user)
        #expect(seen.all == ["Ann (stale)"])
        #expect(observer.snapshot.value == "Ann" && observer.value == "Ann")
        #expect(observer.key == desk.user.key)
        observer.cancel()
        #expect(observer.value == "Ann")
    }

    @Test("Cancelling an observer ends its iterations, also one that begins after")
    func cancelEndsIterations() {
        let observer = desk.client.observe(desk.user)
        let before = desk.lab.start { for await _ in observer {} }
        observer.cancel()
        desk.lab.settle()
        #expect(before.result != nil)
        let after = desk.lab.start { for await _ in observer {} }
        #expect(after.result != nil)
    }

    @Test("Listeners come and go on their own")
    func subscriptions() {
        let observer = desk.client.observe(desk.user)
        let (one, two) = (Recorder<String>(), Recorder<String>())
        let first = observer.onChange { one.append($0.brief) }
        var second: QuerySubscription? = observer.onChange { two.append($0.brief) }
        desk.fetcher.succeed(with: "Ann")
        first.cancel()
        second = nil
        desk.receive("Bea", for: desk.user)
        #expect(one.all == ["Ann (stale)"] && two.all == one.all)
        #expect(second == nil)
    }

    @Test("A snapshot of a key that is not known names the key")
    func unknownKey() {
        #expect(desk.client.snapshot(of: desk.user).key == desk.user.key)
        #expect(desk.client.count == 0, "looking makes nothing")
    }

    @Test("the age of an observer's snapshot is that at the time of reading", .rule("E13"))
    func age() throws {
        let definition = QueryDefinition<String>.value("names").staleAfter(.never)
        let observer = desk.client.observe(definition)
        let seen = Recorder<Snapshot<String>>()
        let subscription = observer.onChange { seen.append($0) }
        try desk.client.set("Ann", for: definition)
        desk.lab.advance(by: .seconds(10))
        #expect(observer.snapshot.age == .seconds(10))
        #expect(observer.select { $0.count }.snapshot.age == .seconds(10))
        #expect(desk.client.snapshot(of: definition).age == .seconds(10))
        #expect(seen.all.map(\.age) == [.zero], "a snapshot is of the moment when it was taken")
        withExtendedLifetime(subscription) {}
    }

    @Test(
        "turning an observer on or off notifies nobody, and only that observer sees it, in its own snapshots",
        .rule("E13"))
    func enabling() throws {
        let (one, other) = (Recorder<Bool>(), Recorder<Bool>())
        let definition = QueryDefinition<String>.value("names")
        try desk.client.set("Ann", for: definition)
        let observer = desk.client.observe(definition) { one.append($0.isStale) }
        let neighbour = desk.client.observe(definition) { other.append($0.isStale) }
        for isEnabled in [false, true, false, true] {
            observer.setEnabled(isEnabled)
            #expect(observer.snapshot.isStale == isEnabled)
            #expect(neighbour.snapshot.isStale)
        }
        #expect(one.all.isEmpty && other.all.isEmpty)
        withExtendedLifetime(neighbour) {}
    }

    @Test("each iteration of an observer's values begins with the newest", .rule("E13"))
    func valuesTwice() {
        let observer = desk.client.observe(desk.user)
        desk.fetcher.succeed(with: "Ann")
        let values = observer.values
        let (first, second) = (Recorder<String>(), Recorder<String>())
        let tasks = [first, second].map { notes in
            desk.lab.start { for await value in values { notes.append(value) } }
        }
        #expect(first.all == ["Ann"])
        #expect(second.all == ["Ann"])
        desk.receive("Bea", for: desk.user)
        #expect(first.all == ["Ann", "Bea"])
        #expect(second.all == ["Ann", "Bea"])
        for task in tasks { task.cancel() }
    }
}
