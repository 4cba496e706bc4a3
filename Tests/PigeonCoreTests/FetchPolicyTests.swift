import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Fetch policies")
struct FetchPolicyTests {
    let desk = Desk()
    private struct ServerDown: Error {}

    private var user: QueryDefinition<String> { desk.user.staleAfter(.seconds(30)) }

    private func fetch(_ definition: QueryDefinition<String>, _ policy: FetchPolicy?) -> LabTask<String> {
        desk.lab.start { [client = desk.client] in try await client.fetch(definition, policy) }
    }

    /// Fetches "Ann", and lets her grow old.
    private func receive(age: Duration, for definition: QueryDefinition<String>? = nil) {
        desk.receive("Ann", for: definition ?? user)
        desk.lab.advance(by: age)
    }

    @Test("by default, a caller waits for a fresh value, and receives the error of a failed fetch", .rule("A35"))
    func fresh() {
        receive(age: .seconds(31))
        let task = fetch(user, nil)
        #expect(task.value == nil)
        desk.fetcher.fail(with: ServerDown())
        #expect(task.error is ServerDown)
    }

    @Test(
        "while it is revalidated, a stale value is returned at once, and callers share the fetch behind it",
        .rule("A35"))
    func staleWhileRevalidate() {
        receive(age: .seconds(31))
        let tasks = (0..<3).map { _ in fetch(user, .staleWhileRevalidate(upTo: .seconds(60))) }
        #expect(tasks.map(\.value) == ["Ann", "Ann", "Ann"])
        #expect(desk.fetcher.pendingCount == 1)
        desk.fetcher.succeed(with: "Bea")
        #expect(fetch(user, .staleWhileRevalidate()).value == "Bea")
        #expect(desk.fetcher.calls.count == 2)
    }

    @Test("past the limit, the caller waits", .rule("A35"), arguments: [(90, true), (91, false)])
    func limit(age: Int, isReturned: Bool) {
        receive(age: .seconds(age))
        let task = fetch(user, .staleWhileRevalidate(upTo: .seconds(60)))
        #expect((task.value == "Ann") == isReturned)
        desk.fetcher.succeed(with: "Bea")
        #expect(task.value == (isReturned ? "Ann" : "Bea"))
    }

    @Test("an invalidated value is known to be wrong, so the caller waits, also after a failure", .rule("A35"))
    func invalidatedOrFailed() {
        receive(age: .zero)
        desk.client.invalidate(user, refetch: .none)
        let waiting = fetch(user, .staleWhileRevalidate())
        #expect(waiting.value == nil)
        #expect(desk.client.snapshot(of: user).isInvalidated)
        desk.fetcher.fail(with: ServerDown())
        #expect(waiting.error is ServerDown)
        let snapshot = desk.client.snapshot(of: user)
        #expect(!snapshot.isInvalidated && snapshot.error is ServerDown && snapshot.isStale)
        let again = fetch(user, .staleWhileRevalidate())
        #expect(again.value == nil)
        desk.fetcher.succeed(with: "Bea")
        #expect(again.value == "Bea")
    }

    @Test(
        "a failed fetch does not make an invalidated value right again; one that was asked after it does",
        .rule("K21", "A35"))
    func staysInvalidated() {
        let policy = FetchPolicy.staleWhileRevalidate(upTo: .seconds(600))
        receive(age: .zero)
        desk.client.invalidate(user, refetch: .none)
        for _ in 0..<2 {
            let waiting = fetch(user, policy)
            #expect(waiting.result == nil)
            desk.fetcher.fail(with: ServerDown())
            #expect(waiting.error is ServerDown)
        }
        let right = fetch(user, policy)
        desk.fetcher.succeed(with: "Bea")
        #expect(right.value == "Bea")
        desk.lab.advance(by: .seconds(31))
        #expect(fetch(user, policy).value == "Bea")
        desk.fetcher.fail(with: ServerDown())
        #expect(fetch(user, policy).value == "Bea", "stale by age, and then failed")
        desk.fetcher.fail(with: ServerDown())
        desk.client.invalidate(user, refetch: .none)
        let failed = fetch(user, policy)
        desk.fetcher.fail(with: ServerDown())
        #expect(failed.error is ServerDown)
        #expect((try? desk.client.set("Cem", for: user)) != nil)
        desk.lab.advance(by: .seconds(31))
        #expect(fetch(user, policy).value == "Cem", "the program knows better")
    }

    @Test(
        "if the fetch fails, a stale value is returned within its limit", .rule("A35"),
        arguments: [(60, true), (61, false)])
    func staleIfError(age: Int, isReturned: Bool) {
        receive(age: .seconds(30 + age))
        let task = fetch(user, .staleIfError(upTo: .seconds(60)))
        #expect(task.value == nil)
        desk.fetcher.fail(with: ServerDown())
        #expect((task.value == "Ann") == isReturned)
        #expect((task.error is ServerDown) == !isReturned)
    }

    @Test("a definite answer of the server is an error in any case", .rule("A35"), arguments: [404, 403, 503])
    func answers(status: Int) {
        receive(age: .seconds(31))
        let task = fetch(user, .staleIfError())
        desk.fetcher.fail(with: Status(status))
        #expect((task.value == "Ann") == (status == 503))
    }

    @Test(
        "a definite answer to a fetch behind a caller is what the next caller receives", .rule("A35"),
        arguments: [404, 503])
    func answerBehind(status: Int) {
        receive(age: .seconds(31))
        #expect(fetch(user, .staleWhileRevalidate()).value == "Ann")
        desk.fetcher.fail(with: Status(status))
        let next = fetch(user, .staleWhileRevalidate())
        #expect((next.value == nil) == (status == 404))
        desk.fetcher.fail(with: Status(status))
        #expect((next.error is Status) == (status == 404))
        _ = fetch(user, .networkOnly)
        desk.fetcher.fail(with: ServerDown())
        let last = fetch(user, .staleIfError())
        desk.fetcher.fail(with: ServerDown())
        #expect((last.value == "Ann") == (status == 503))
        desk.lab.setOnline(false)
        let offline = fetch(user, .staleIfError())
        #expect((offline.value == "Ann") == (status == 503) && (offline.error is ServerDown) == (status == 404))
    }

    @Test("without a network, a caller that accepts a stale value does not wait for it", .rule("A35"))
    func offline() {
        receive(age: .seconds(31))
        desk.lab.setOnline(false)
        #expect(fetch(user, .staleIfError()).value == "Ann")
        #expect(fetch(user, .staleIfError(upTo: .zero)).value == nil)
    }

    @Test("both limits can be combined", .rule("A35"))
    func combined() {
        let policy = FetchPolicy.staleWhileRevalidate(upTo: .seconds(10)).staleIfError(upTo: .seconds(100))
        receive(age: .seconds(35))
        #expect(fetch(user, policy).value == "Ann")
        desk.fetcher.fail(with: ServerDown())
        desk.lab.advance(by: .seconds(30))
        let task = fetch(user, policy)
        #expect(task.value == nil)
        desk.fetcher.fail(with: ServerDown())
        #expect(task.value == "Ann")
    }

    @Test("a caller waits within its limit, and the fetch goes on for the others and for later callers", .rule("A77"))
    func within() {
        let hasty = fetch(user, .fresh.within(.milliseconds(200)))
        let patient = fetch(user, .fresh)
        desk.lab.advance(by: .milliseconds(200))
        #expect(hasty.error as? QueryError == .timedOut(key: "users/1", limit: .milliseconds(200)))
        desk.fetcher.succeed(with: "Ann")
        #expect(patient.value == "Ann")
        let next = fetch(user, .networkOnly.within(.milliseconds(200)))
        desk.lab.advance(by: .milliseconds(200))
        #expect(next.error is QueryError && desk.fetcher.pendingCount == 1, "it goes on although nobody waits")
        desk.fetcher.succeed(with: "Bea")
        #expect(fetch(user, .fresh.within(.zero)).value == "Bea")
    }

    @Test(
        "who accepts a stale value has it when its time is over, and the new one when that is there sooner",
        .rule("A77"))
    func withinOrStale() {
        receive(age: .seconds(31))
        let policy = FetchPolicy.staleIfError(upTo: .seconds(60)).within(.milliseconds(200))
        let hasty = fetch(user, policy)
        desk.lab.advance(by: .milliseconds(199))
        #expect(hasty.value == nil)
        desk.lab.advance(by: .milliseconds(1))
        #expect(hasty.value == "Ann")
        let lucky = fetch(user, policy)
        desk.fetcher.succeed(with: "Bea")
        #expect(lucky.value == "Bea")
        #expect(desk.fetcher.calls.count == 2)
        desk.lab.advance(by: .seconds(91))
        let late = fetch(user, policy)
        desk.lab.advance(by: .milliseconds(200))
        #expect(late.error as? QueryError == .timedOut(key: "users/1", limit: .milliseconds(200)), "too old by now")
    }

    @Test("a fetch that only a hasty caller wanted is cancelled, if its definition says so", .rule("A77"))
    func withinAbandoned() {
        let hasty = fetch(user.whenAbandoned(.cancel), .fresh.within(.milliseconds(200)))
        desk.lab.advance(by: .milliseconds(200))
        #expect(hasty.error is QueryError)
        #expect(desk.fetcher.pendingCount == 0)
    }

    @Test(
        "network only fetches a fresh value too; cache only never fetches, and says that nothing is there", .rule("A35")
    )
    func onlyOne() {
        let missing = fetch(user, .cacheOnly)
        #expect(missing.error as? QueryError == .notCached(key: "users/1"))
        receive(age: .seconds(200))
        #expect(fetch(user, .cacheOnly).value == "Ann")
        #expect(desk.fetcher.calls.count == 1)
        desk.receive("Bea", for: user)
        let task = fetch(user, .networkOnly)
        desk.fetcher.succeed(with: "Cid")
        #expect(task.value == "Cid")
    }

    @Test("a definition's own policy is used by callers who name none", .rule("A35"))
    func byDefinition() {
        let user = user.fetchPolicy(.staleWhileRevalidate())
        receive(age: .seconds(31), for: user)
        #expect(fetch(user, nil).value == "Ann")
        desk.fetcher.succeed(with: "Bea")
        desk.lab.advance(by: .seconds(31))
        #expect(fetch(user, .fresh).value == nil)
    }

    @Test(
        "the server's limits apply where a definition follows the server", .rule("A35"),
        arguments: [(70, true), (71, false)])
    func asServerSays(age: Int, isReturned: Bool) {
        let user = QueryDefinition<String>("users", 2) { context in
            context.isFresh(for: .seconds(10))
            context.allowsStale(whileRevalidating: .seconds(60), ifError: nil)
            return try await desk.fetcher.fetch(context)
        }
        desk.receive("Ann", for: user)
        desk.lab.advance(by: .seconds(age))
        #expect((fetch(user, .asServerSays).value == "Ann") == isReturned)
    }

    @Test("the server's limits belong to its value, and not to one that replaced it", .rule("A35"))
    func allowanceOfValue() throws {
        let allows = Locked(true)
        let user = QueryDefinition<String>("users", 2) { context in
            if allows.withLock({ $0 }) { context.allowsStale(whileRevalidating: .seconds(60), ifError: nil) }
            return try await desk.fetcher.fetch(context)
        }
        desk.receive("Ann", for: user)
        #expect(fetch(user, .asServerSays).value == "Ann")
        allows.withLock { $0 = false }
        desk.fetcher.succeed(with: "Bea")
        desk.lab.advance(by: .seconds(1))
        desk.receive("Bea", for: user)
        desk.lab.advance(by: .seconds(1))
        #expect(fetch(user, .asServerSays).value == nil)
    }

    // MARK: Remembered failures

    @Test("a failure answers later callers for a time, without another fetch", .rule("A44"))
    func remembered() {
        let user = user.rememberFailures(for: .seconds(5))
        let first = fetch(user, nil)
        desk.fetcher.fail(with: ServerDown())
        #expect(first.error is ServerDown)
        for _ in 0..<5 { #expect(fetch(user, nil).error is ServerDown) }
        #expect(desk.fetcher.calls.count == 1)
        desk.client.invalidate(user, refetch: .none)
        let again = fetch(user, nil)
        desk.fetcher.fail(with: ServerDown())
        #expect(again.error is ServerDown && desk.fetcher.calls.count == 2)
        desk.lab.advance(by: .seconds(5))
        let later = fetch(user, nil)
        desk.fetcher.succeed(with: "Ann")
        #expect(later.value == "Ann")
    }

    @Test("a remembered failure keeps a stale value usable, and a dead server from being asked behind it", .rule("A44"))
    func rememberedWithValue() {
        let user = user.rememberFailures(for: .seconds(5))
        receive(age: .seconds(31), for: user)
        let policy = FetchPolicy.staleWhileRevalidate()
        #expect(fetch(user, policy).value == "Ann")
        desk.fetcher.fail(with: ServerDown())
        for _ in 0..<5 { #expect(fetch(user, policy).value == "Ann") }
        #expect(fetch(user, .staleIfError()).value == "Ann")
        #expect(fetch(user, .fresh).error is ServerDown)
        #expect(desk.fetcher.calls.count == 2)
        desk.lab.advance(by: .seconds(6))
        #expect(fetch(user, policy).value == "Ann")
        #expect(desk.fetcher.calls.count == 3)
    }

    @Test("new observers do not repeat a remembered failure; explicit requests and invalidations do", .rule("A44"))
    func rememberedByObservers() {
        let user = user.rememberFailures(for: .seconds(5))
        let first = fetch(user, nil)
        desk.fetcher.fail(with: ServerDown())
        #expect(first.error is ServerDown)
        let observer = desk.client.observe(user)
        #expect(observer.snapshot.brief == "failure")
        #expect(desk.fetcher.pendingCount == 0)
        desk.client.invalidate(user)
        #expect(desk.fetcher.pendingCount == 1)
        desk.fetcher.fail(with: ServerDown())
        let again = desk.refetch(user)
        desk.fetcher.succeed(with: "Ann")
        #expect(again.value == "Ann")
    }

    // MARK: Jitter and early refresh

    @Test(
        "jitter makes values that arrived together turn stale one after the other, never later than said", .rule("A43"))
    func jitter() {
        let users = (0..<20).map { desk.query(QueryKey("users", $0)).staleAfter(.seconds(100), jitter: 0.5) }
        for user in users { desk.receive("Ann", for: user) }
        func freshCount() -> Int { users.filter { !desk.client.snapshot(of: $0).isStale }.count }
        desk.lab.advance(by: .seconds(49))
        #expect(freshCount() == 20)
        desk.lab.advance(by: .seconds(26))
        #expect((1..<20).contains(freshCount()))
        desk.lab.advance(by: .seconds(25))
        #expect(freshCount() == 0)
    }

    @Test("jitter also shortens the server's time, and leaves a value that never turns stale alone", .rule("A43"))
    func jitterOfServer() {
        let user = QueryDefinition<String>("users", 2) { context in
            context.isFresh(for: .seconds(100))
            return try await desk.fetcher.fetch(context)
        }
        let (short, never) = (user.staleAfter(.zero, jitter: 1), desk.user.staleAfter(.never, jitter: .infinity))
        desk.receive("Ann", for: short)
        desk.receive("Ann", for: never)
        desk.lab.advance(by: .seconds(99))
        #expect(desk.client.snapshot(of: short).isStale)
        #expect(!desk.client.snapshot(of: never).isStale)
    }

    @Test("a value that is about to turn stale is returned, and fetched early, once", .rule("A43"))
    func early() {
        let user = user.refreshEarly(by: .seconds(10))
        receive(age: .seconds(19), for: user)
        #expect(fetch(user, nil).value == "Ann")
        #expect(desk.fetcher.pendingCount == 0)
        desk.lab.advance(by: .seconds(1))
        for _ in 0..<3 { #expect(fetch(user, nil).value == "Ann") }
        #expect(desk.fetcher.pendingCount == 1)
        desk.fetcher.succeed(with: "Bea")
        #expect(fetch(user, nil).value == "Bea")
        let observer = desk.client.observe(user)
        #expect(!observer.snapshot.isFetching)
        desk.lab.advance(by: .seconds(20))
        let second = desk.client.observe(user)
        #expect(second.snapshot.isRefetching && !second.snapshot.isStale)
        withExtendedLifetime(observer) {}
    }

    @Test("of a time shorter than that, the second half is early", .rule("A43"), arguments: [14, 15])
    func earlyInAShortTime(age: Int) {
        let user = user.refreshEarly(by: .minutes(5))
        receive(age: .seconds(age), for: user)
        #expect(fetch(user, nil).value == "Ann")
        #expect(desk.fetcher.pendingCount == (age == 15 ? 1 : 0))
    }
}
