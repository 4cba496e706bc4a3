import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Freshness")
struct FreshnessTests {
    let desk = Desk()

    @Test("by default a value is stale as soon as it is received", .rule("T12"))
    func staleAtOnce() {
        let observer = desk.client.observe(desk.user)
        desk.fetcher.succeed(with: "Ann")
        #expect(observer.snapshot.isStale)
    }

    @Test(
        "what is stale", .rule("T13", "T14"),
        arguments: [
            (StaleTime.seconds(30), 29, false, false), (.seconds(30), 30, false, true), (.seconds(30), 0, true, true),
            (.never, 1_000_000, false, false), (.never, 0, true, true), (.immutable, 0, true, false),
            (.milliseconds(1500), 1, false, false), (.milliseconds(1500), 2, false, true),
            (.minutes(1), 59, false, false), (.minutes(1), 60, false, true), (.hours(1), 3599, false, false),
            (.hours(1), 3600, false, true), (.after(.seconds(-5)), 0, false, true),
        ])
    func isStale(_ time: StaleTime, _ age: Int, _ isInvalidated: Bool, _ isStale: Bool) {
        let observer = desk.client.observe(desk.user.staleAfter(time).keepFor(.forever))
        desk.fetcher.succeed(with: "Ann")
        desk.lab.advance(by: .seconds(age))
        if isInvalidated { desk.client.invalidate(.all, refetch: .none) }
        #expect(observer.snapshot.isStale == isStale)
        #expect(desk.client.snapshot(of: desk.user.staleAfter(time)).isStale == isStale)
    }

    @Test("nothing is always stale, also for who wants it fixed", .rule("T13"))
    func nothingIsStale() {
        #expect(desk.client.snapshot(of: desk.user.staleAfter(.immutable)).isStale)
    }

    @Test("two observers of one entry disagree", .rule("T15"))
    func perObserver() {
        let patient = desk.client.observe(desk.user.staleAfter(.seconds(60)))
        let eager = desk.client.observe(desk.user.staleAfter(.seconds(10)))
        desk.fetcher.succeed(with: "Ann")
        desk.lab.advance(by: .seconds(10))
        #expect(eager.snapshot.isStale)
        #expect(!patient.snapshot.isStale)
    }

    @Test("a disabled observer never says stale; enabling it does", .rule("T16"))
    func disabled() {
        desk.receive("Ann", for: desk.user)
        let seen = Recorder<Bool>()
        let observer = desk.client.observe(desk.user.staleAfter(.seconds(5)).enabled(false)) { seen.append($0.isStale) }
        desk.lab.advance(by: .seconds(3))
        #expect(!observer.snapshot.isStale)
        observer.setEnabled(true)
        desk.lab.advance(by: .seconds(2))
        #expect(observer.snapshot.isStale)
        #expect(seen.all.last == true)
    }

    @Test("when its time passes an observer is told once, and nothing is fetched", .rule("T17"))
    func toldOnce() {
        let seen = Recorder<String>()
        let observer = desk.client.observe(desk.user.staleAfter(.seconds(30))) { seen.append($0.brief) }
        desk.fetcher.succeed(with: "Ann")
        desk.lab.advance(by: .seconds(3600))
        #expect(seen.all == ["Ann", "Ann (stale)"])
        #expect(desk.fetcher.calls.count == 1)
        withExtendedLifetime(observer) {}
    }

    @Test("how long a value is fresh may depend on the value", .rule("T19"))
    func byValue() {
        let user = desk.user.staleAfter(.zero).staleAfter { $0 == "Ann" ? .seconds(60) : .seconds(5) }
        let observer = desk.client.observe(user)
        desk.fetcher.succeed(with: "Ann")
        desk.lab.advance(by: .seconds(59))
        #expect(!observer.snapshot.isStale)
        desk.receive("Bea", for: user)
        desk.lab.advance(by: .seconds(5))
        #expect(observer.snapshot.isStale)
    }

    @Test("a fetcher may say how long its value is fresh, over the definition's own time", .rule("A5"))
    func bySaying() {
        let user = QueryDefinition<String>("users", 1) { context in
            context.isFresh(for: .seconds(60))
            return "Ann"
        }
        let observer = desk.client.observe(user.staleAfter(.seconds(1)))
        desk.lab.settle()
        desk.lab.advance(by: .seconds(59))
        #expect(!observer.snapshot.isStale)
        desk.lab.advance(by: .seconds(1))
        #expect(observer.snapshot.isStale)
    }

    @Test("\"not modified\" renews the age, keeps the value, and is a success", .rule("A5"))
    func notModified() {
        let observer = desk.client.observe(desk.user.staleAfter(.seconds(10)))
        desk.fetcher.succeed(with: "Ann")
        let before = observer.snapshot
        desk.lab.advance(by: .seconds(60))
        desk.client.invalidate(.all)
        desk.fetcher.notModified()
        let after = observer.snapshot
        #expect(after.brief == "Ann")
        #expect(after.age == .zero)
        #expect(after.valueVersion == before.valueVersion)
        #expect(!after.isInvalidated && after.error == nil)
        #expect(desk.lab.log.last == "users/1 not modified")
    }

    @Test("\"not modified\" without a value is a failure that says so", .rule("A5"))
    func notModifiedWithoutValue() {
        let task = desk.fetch(desk.user)
        desk.fetcher.notModified()
        #expect(task.error as? QueryError == .notModifiedWithoutValue(key: "users/1".path))
    }

    @Test("what a fetcher needs to ask whether a value changed is given back to it", .rule("A5"))
    func validators() {
        let asked = Recorder<String?>()
        let user = QueryDefinition<String>("users", 1) { context in
            asked.append(context.validators.eTag)
            guard context.previous == nil else { return try context.notModified() }
            context.validators.eTag = "v1"
            return "Ann"
        }
        for _ in 0..<2 { #expect(desk.refetch(user).value == "Ann") }
        #expect(asked.all == [nil, "v1"])
    }

    @Test("age in process does not follow the wall clock", .rule("A4"))
    func wallClock() {
        let observer = desk.client.observe(desk.user.staleAfter(.seconds(30)))
        desk.fetcher.succeed(with: "Ann")
        desk.lab.shiftWallClock(by: .seconds(86_400))
        #expect(!desk.client.snapshot(of: desk.user.staleAfter(.seconds(30))).isStale)
        desk.lab.shiftWallClock(by: .seconds(-2 * 86_400))
        desk.lab.advance(by: .seconds(30))
        #expect(observer.snapshot.isStale)
    }

    @Test("A fetch of what is fresh is answered from memory, without a fetch")
    func fromMemory() {
        desk.receive("Ann", for: desk.user)
        desk.lab.advance(by: .seconds(29))
        #expect(desk.fetch(desk.user.staleAfter(.seconds(30))).value == "Ann")
        #expect(desk.fetcher.calls.count == 1)
        desk.lab.advance(by: .seconds(1))
        #expect(desk.fetch(desk.user.staleAfter(.seconds(30))).result == nil)
        #expect(desk.fetcher.calls.count == 2)
    }
}

extension String {
    /// The key with this path.
    var path: QueryKey {
        let parts = split(separator: "/").map(String.init)
        return parts.dropFirst().reduce(QueryKey(value: parts[0])) { $0.appending($1) }
    }
}
