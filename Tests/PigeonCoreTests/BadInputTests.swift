import PigeonCore
import PigeonTesting
import Testing

@Suite("Bad input")
struct BadInputTests {
    let desk = Desk()
    let mismatch = QueryError.typeMismatch(key: "users", existing: "Int", requested: "String")

    private func hold(_ number: Int) throws {
        try desk.client.set(number, for: "users")
    }

    @Test("A key that is used with two types is an error that names the key and both types")
    func twoTypes() throws {
        try hold(42)
        #expect(desk.fetch(desk.query("users")).error as? QueryError == mismatch)
        #expect(desk.refetch(desk.query("users")).error as? QueryError == mismatch)
        #expect(throws: mismatch) { try desk.client.set("Ann", for: "users") }
        let text = mismatch.description
        #expect(text.contains("users") && text.contains("Int") && text.contains("String"))
        #expect(desk.lab.log.contains { $0.hasPrefix("users misuse: users holds Int") })
        #expect(desk.fetcher.calls.isEmpty)
    }

    @Test("An observer of a key of another type shows the error, and cannot fetch")
    func observer() throws {
        try hold(42)
        let observer = desk.client.observe(desk.query("users"))
        #expect(observer.snapshot.error as? QueryError == mismatch)
        #expect(observer.snapshot.key == "users" && observer.value == nil)
        let task = desk.lab.start { try await observer.refetch() }
        #expect(task.error as? QueryError == mismatch)
    }

    @Test("Reading a key as another type finds nothing, and disturbs nothing")
    func reading() throws {
        try hold(42)
        #expect(desk.client.value(of: desk.query("users")) == nil)
        #expect(desk.client.value(of: "users", as: String.self) == nil)
        #expect(desk.client.snapshot(of: desk.query("users")).value == nil)
        #expect(!desk.client.update(desk.query("users")) { $0 = "Ann" })
        #expect(desk.client.value(of: "users", as: Int.self) == 42)
    }

    @Test("Optional and plain are two types")
    func optional() throws {
        try hold(42)
        #expect(throws: QueryError.self) { try desk.client.set(Int?.none, for: "users") }
        #expect(desk.client.value(of: "users", as: Int?.self) == .none)
    }

    @Test("A key that holds nothing that anyone would miss can be given to another type")
    func vacantKey() throws {
        try hold(42)
        desk.client.remove(.all)
        try desk.client.set("Ann", for: "users")
        #expect(desk.client.value(of: "users", as: String.self) == "Ann")
    }

    @Test("Negative intervals count as none")
    func negativeIntervals() {
        let desk = Desk {
            $0.pollEvery = .seconds(-1)
            $0.keepFor = .seconds(-1)
            $0.timeLimit = .seconds(-1)
        }
        let observer = desk.client.observe(
            desk.user.staleAfter(.after(.seconds(-1))).initial("Zoe", age: .seconds(-100)))
        #expect(observer.snapshot.age == .zero && observer.snapshot.isStale)
        desk.lab.advance(by: .seconds(10))
        desk.fetcher.succeed(with: "Ann")
        #expect(observer.value == "Ann" && desk.fetcher.calls.count == 1)
        observer.cancel()
        desk.lab.advance(by: .zero)
        #expect(desk.client.count == 0)
    }

    @Test("A fetcher that says a negative time of freshness is not fresh")
    func negativeFreshness() {
        let user = QueryDefinition<String>("users") { context in
            context.isFresh(for: .seconds(-5))
            return "Ann"
        }
        #expect(desk.fetch(user).value == "Ann")
        #expect(desk.client.snapshot(of: user.staleAfter(.never)).isStale)
    }

    @Test("Intervals beyond all measure do not overflow")
    func hugeIntervals() {
        let huge = Duration.seconds(Int64.max / 2)
        let user = desk.user.staleAfter(.after(huge)).keepFor(huge).poll(every: huge).timeLimit(huge)
        let observer = desk.client.observe(user)
        desk.fetcher.succeed(with: "Ann")
        desk.lab.advance(by: .seconds(1_000_000))
        #expect(!observer.snapshot.isStale && desk.fetcher.calls.count == 1)
        observer.cancel()
        desk.lab.advance(by: .seconds(1_000_000))
        #expect(desk.client.count == 1)
    }

    @Test("A fetcher that never ends keeps its callers waiting, and lets them leave")
    func neverEnds() {
        let task = desk.fetch(desk.user)
        desk.lab.advance(by: .seconds(1_000_000))
        #expect(task.result == nil)
        task.cancel()
        #expect(task.error is CancellationError)
    }

    @Test("Pages asked of what has none is an error that says so")
    func notPaged() {
        let plain = QueryDefinition<Pages<String, Int>>("list") { _ in Pages() }
        let task = desk.lab.start { [desk] in try await desk.client.fetchNextPage(of: plain) }
        #expect(task.error as? QueryError == .notPaged(key: "list"))
        desk.lab.advance(by: .seconds(300))
        #expect(desk.client.count == 0)
    }
}
