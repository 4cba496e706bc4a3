import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Switching the key of an observer")
struct KeySwitchTests {
    let desk = Desk()
    var one: QueryDefinition<String> { desk.query("one") }
    var two: QueryDefinition<String> { desk.query("two") }

    @Test("the new key's own state shows at once, never the old key's value", .rule("T66"))
    func atOnce() {
        let observer = desk.client.observe(one)
        desk.fetcher.succeed(with: "Ann")
        observer.observe(two)
        #expect(observer.snapshot.brief == "pending…" && observer.value == nil)
        #expect(observer.key == "two")
        desk.fetcher.succeed(with: "Bea")
        #expect(observer.value == "Bea")
    }

    @Test("the old entry loses the observer", .rule("T66"))
    func oldEntry() {
        let observer = desk.client.observe(one.poll(every: .seconds(5)))
        desk.fetcher.succeed(with: "Ann")
        observer.observe(two)
        desk.fetcher.succeed(with: "Bea")
        desk.lab.advance(by: .seconds(60))
        #expect(desk.fetcher.calls.map(\.key) == ["one", "two"])
        desk.lab.advance(by: .seconds(240))
        #expect(desk.client.entries().map(\.key) == ["two"])
        withExtendedLifetime(observer) {}
    }

    @Test("a fetch of the old key that ends later is not told", .rule("T66"))
    func lateAnswer() {
        let seen = Recorder<String>()
        let observer = desk.client.observe(one) { seen.append("\($0.key) \($0.brief)") }
        observer.observe(two)
        desk.fetcher.succeed(0, with: "Ann")
        desk.fetcher.succeed(1, with: "Bea")
        #expect(seen.all == ["two pending…", "two Bea (stale)"])
        #expect(desk.client.value(of: one) == "Ann", "it is cached all the same")
    }

    @Test("The same query again tells nobody and fetches nothing, and its newer fetcher is the next to be asked")
    func sameAgain() async throws {
        let seen = Recorder<UInt64>()
        let observer = desk.client.observe(one) { seen.append($0.version) }
        desk.fetcher.succeed(with: "Ann")
        let told = seen.all
        desk.lab.advance(by: .seconds(60))
        observer.observe(one)
        let newer = desk.lab.fetcher(returning: String.self)
        observer.observe(QueryDefinition("one", fetch: newer.fetch))
        #expect(seen.all == told && desk.fetcher.calls.count == 1 && newer.calls.isEmpty)
        newer.answer { _ in "Bea" }
        #expect(try await observer.refetch() == "Bea")
    }

    @Test("The same query with other options is watched by those")
    func sameWithOtherOptions() {
        let observer = desk.client.observe(one)
        desk.fetcher.succeed(with: "Ann")
        observer.observe(one.poll(every: .seconds(5)))
        desk.lab.advance(by: .seconds(5))
        #expect(desk.fetcher.calls.count == 2)
        observer.observe(one.enabled(false))
        #expect(!observer.snapshot.isStale)
        withExtendedLifetime(observer) {}
    }

    @Test("A switch is told once, also when the new key's fetcher answers at once")
    func toldOnce() {
        let observer = desk.client.observe(one)
        let seen = Recorder<UInt64>()
        let subscription = observer.onChange { seen.append($0.version) }
        desk.fetcher.answer { _ in "Bea" }
        observer.observe(two)
        #expect(seen.all.count == Set(seen.all).count)
        #expect(seen.all.last == observer.snapshot.version)
        withExtendedLifetime(subscription) {}
    }

    @Test("A switch to a key about which nothing changes is told")
    func toldWithoutChange() {
        desk.receive("Bea", for: two)
        let seen = Recorder<String>()
        let observer = desk.client.observe(one.enabled(false)) { seen.append($0.brief) }
        observer.observe(two.enabled(false))
        #expect(seen.all == ["Bea"])
        observer.observe(desk.query("empty").enabled(false))
        #expect(seen.all == ["Bea", "pending"])
    }

    @Test("A switch to the same key takes its options, and fetches nothing")
    func sameKey() {
        let observer = desk.client.observe(one)
        desk.fetcher.succeed(with: "Ann")
        #expect(observer.snapshot.isStale)
        observer.observe(one.staleAfter(.never))
        #expect(!observer.snapshot.isStale)
        #expect(desk.fetcher.calls.count == 1)
    }

    @Test("The sequence of values tells the new key's value, whatever its version")
    func values() {
        let observer = desk.client.observe(one)
        let seen = Recorder<String>()
        let task = desk.lab.start { for await value in observer.values { seen.append(value) } }
        desk.fetcher.succeed(with: "Ann")
        observer.observe(two)
        desk.fetcher.succeed(with: "Bea")
        #expect(seen.all == ["Ann", "Bea"])
        task.cancel()
    }

    @Test("A switch from within a listener is told after the listener returns")
    func fromListener() {
        let seen = Recorder<String>()
        let observer = desk.client.observe(one)
        let subscription = observer.onChange { [weak observer, two] snapshot in
            seen.append("\(snapshot.key) \(snapshot.brief)")
            if snapshot.key == "one" { observer?.observe(two) }
        }
        desk.fetcher.succeed(with: "Ann")
        desk.fetcher.succeed(with: "Bea")
        #expect(seen.all == ["one Ann (stale)", "two pending…", "two Bea (stale)"])
        withExtendedLifetime(subscription) {}
    }

    @Test("A switch to a key of another type shows the error; a switch back recovers")
    func mismatch() throws {
        try desk.client.set(42, for: "number")
        let seen = Recorder<String>()
        let observer = desk.client.observe(one) { seen.append($0.brief) }
        desk.fetcher.succeed(with: "Ann")
        observer.observe(desk.query("number"))
        #expect(observer.snapshot.brief == "failure" && observer.key == "number")
        observer.observe(one.enabled(false))
        #expect(observer.snapshot.brief == "Ann")
        #expect(seen.all == ["Ann (stale)", "failure", "Ann"])
    }

    @Test("An observer that begins at a key of another type receives the changes of its next key")
    func beginningWithMismatch() throws {
        try desk.client.set(42, for: "number")
        let seen = Recorder<String>()
        let observer = desk.client.observe(desk.query("number")) { seen.append($0.brief) }
        #expect(observer.snapshot.brief == "failure")
        observer.observe(one)
        desk.fetcher.succeed(with: "Ann")
        #expect(observer.value == "Ann" && seen.all.last?.hasPrefix("Ann") == true)
    }

    @Test("An observer whose key another type has taken throws that when it refetches")
    func refetchAfterMismatch() throws {
        let observer = desk.client.observe(QueryDefinition<String>.value("one"))
        try desk.client.set(42, for: QueryDefinition("one") { _ in 1 })
        let refetch = desk.lab.start { try await observer.refetch() }
        #expect(refetch.error as? QueryError == .typeMismatch(key: "one", existing: "Int", requested: "String"))
    }
}
