import Foundation
import PigeonBase
import PigeonCore
import PigeonFleet
import PigeonTesting
import TestSupport
import Testing

@Suite("A fleet")
struct FleetTests {
    let lab = QueryLab()
    let store: InMemoryFleetStore
    /// Answers the requests of all members.
    let server: ScriptedFetcher<Int>

    init() {
        store = InMemoryFleetStore(clock: lab.clock)
        server = lab.fetcher(returning: Int.self)
    }

    /// A client that knows the log.
    private func member(
        bound: Duration = .seconds(10), store other: (any FleetStore)? = nil
    ) -> QueryClient {
        let setup = Fleet.Setup(store: other ?? store, staleBound: bound)
        let client = QueryClient(fleet: setup, environment: lab.environment)
        lab.settle()
        return client
    }

    private func stock(_ id: Int = 1, fresh: Duration = .seconds(60)) -> QueryDefinition<Int> {
        QueryDefinition("stock", id) { [server] in try await server.fetch($0) }
            .staleAfter(.after(fresh)).tagged("shop").shared()
    }

    /// The value that a member has from the server or from another one.
    private func value(of definition: QueryDefinition<Int>, in client: QueryClient, from answer: Int? = nil) -> Int? {
        let task = lab.start { try await client.fetch(definition) }
        if let answer { server.succeed(with: answer) }
        lab.settle()
        return task.value
    }

    // MARK: Values

    @Test("a value that one member has fetched is the value of the others, with its age", .rule("A72"))
    func shares() throws {
        let (one, other) = (member(), member())
        #expect(value(of: stock(), in: one, from: 5) == 5)
        lab.advance(by: .seconds(40))
        #expect(value(of: stock(), in: other) == 5)
        #expect(server.calls.count == 1)
        #expect(other.snapshot(of: stock()).updatedAt == one.snapshot(of: stock()).updatedAt)
        // It turns stale when it is 60 seconds old, and not 60 seconds after it was taken.
        lab.advance(by: .seconds(21))
        #expect(value(of: stock(), in: other, from: 6) == 6)
        #expect(server.calls.count == 2)
        #expect(value(of: stock(), in: one) == 6)
        #expect(server.calls.count == 2)
    }

    @Test(
        "the limits that the server named are those of all members", .rule("A35"), arguments: [(70, true), (71, false)])
    func sharesAllowance(age: Int, isReturned: Bool) {
        let stock = QueryDefinition<Int>("stock", 1) { [server] context in
            context.isFresh(for: .seconds(10))
            context.allowsStale(whileRevalidating: nil, ifError: .seconds(60))
            return try await server.fetch(context)
        }.fetchPolicy(.asServerSays).shared()
        let (one, other) = (member(), member())
        #expect(value(of: stock, in: one, from: 5) == 5 && value(of: stock, in: other) == 5)
        lab.advance(by: .seconds(age))
        let task = lab.start { try await other.fetch(stock) }
        server.fail(with: URLError(.cannotConnectToHost))
        lab.settle()
        #expect((task.value == 5) == isReturned && task.result != nil)
        #expect(server.calls.count == 2)
    }

    @Test("a member that starts takes what the store has before it asks the server", .rule("A72"))
    func startsFromStore() {
        #expect(value(of: stock(), in: member(), from: 5) == 5)
        #expect(value(of: stock(), in: member()) == 5)
        #expect(server.calls.count == 1)
    }

    @Test("each member judges by its own definition, and what is not shared stays apart", .rule("A72"))
    func ownJudgement() {
        let (one, other) = (member(), member())
        #expect(value(of: stock(), in: one, from: 5) == 5)
        lab.advance(by: .seconds(20))
        #expect(value(of: stock(fresh: .seconds(10)), in: other, from: 6) == 6)
        let apart = QueryDefinition("stock", 2) { [server] in try await server.fetch($0) }.staleAfter(.seconds(60))
        #expect(value(of: apart, in: one, from: 1) == 1)
        #expect(value(of: apart, in: other, from: 2) == 2)
    }

    @Test("a value goes with its validators and the freshness that the server named", .rule("A72"))
    func terms() throws {
        let definition = QueryDefinition<Int>("tagged") { [server] context in
            let value = try await server.fetch(context)
            if context.validators.eTag == "a" { return try context.notModified() }
            context.validators.eTag = "a"
            context.isFresh(for: .seconds(5))
            return value
        }.shared()
        let (one, other) = (member(), member())
        #expect(value(of: definition, in: one, from: 5) == 5)
        lab.advance(by: .seconds(4))
        #expect(value(of: definition, in: other) == 5)
        lab.advance(by: .seconds(2))
        #expect(value(of: definition, in: other, from: 9) == 5)
        #expect(server.calls.count == 2)
    }

    @Test("a value that does not decode, or is of another schema, is fetched", .rule("A72"))
    func unreadable() {
        #expect(value(of: stock(), in: member(), from: 5) == 5)
        let text = QueryDefinition<String>("stock", 1) { _ in "six" }.staleAfter(.seconds(60)).shared()
        let client = member()
        #expect(lab.start { try await client.fetch(text) }.value == "six")
        let next = QueryDefinition("stock", 1) { [server] in try await server.fetch($0) }
            .staleAfter(.seconds(60)).shared(schema: 1)
        #expect(value(of: next, in: member(), from: 7) == 7)
        let later = QueryDefinition("stock", 1) { [server] in try await server.fetch($0) }
            .staleAfter(.seconds(60)).shared(schema: 2) { record in record.schema == 1 ? 70 : nil }
        #expect(value(of: later, in: member()) == 70)
    }

    @Test("what a member writes is the value of the others", .rule("A72"))
    func writes() throws {
        let (one, other) = (member(), member())
        #expect(value(of: stock(), in: one, from: 5) == 5)
        #expect(value(of: stock(), in: other) == 5)
        let observer = other.observe(stock())
        try one.set(8, for: stock())
        lab.settle()
        lab.advance(by: .milliseconds(200))
        #expect(observer.snapshot.value == 8)
        one.update(stock()) { $0 += 1 }
        lab.advance(by: .milliseconds(200))
        #expect(observer.snapshot.value == 9)
        #expect(server.calls.count == 1)
    }

    @Test("a poll asks the server, unless another member has just done so", .rule("A72"))
    func polls() {
        let (one, other) = (member(), member())
        let definition = stock(fresh: .seconds(3600)).poll(every: .seconds(10))
        let first = one.observe(definition)
        server.succeed(with: 5)
        lab.advance(by: .seconds(5))
        let second = other.observe(definition)
        lab.settle()
        #expect(second.snapshot.value == 5)
        lab.advance(by: .seconds(5))
        #expect(server.calls.count == 2)
        server.succeed(with: 6)
        lab.advance(by: .seconds(5))
        #expect(server.calls.count == 2)
        #expect([first, second].map(\.snapshot.value) == [6, 6])
    }

    @Test("a caller who demands the server's answer gets it, and so do the others", .rule("A72"))
    func demands() {
        let (one, other) = (member(), member())
        #expect(value(of: stock(), in: one, from: 5) == 5)
        #expect(value(of: stock(), in: other) == 5)
        let definition = stock()
        let task = lab.start { try await other.refetch(definition) }
        server.succeed(with: 6)
        #expect(task.value == 6)
        #expect(value(of: stock(), in: member()) == 6)
    }

    // MARK: One flight

    @Test("while one member fetches, the others wait for its value", .rule("A73"))
    func oneFlight() {
        let members = (0..<5).map { _ in member() }
        let definition = stock()
        let tasks = members.map { client in lab.start { try await client.fetch(definition) } }
        #expect(server.calls.count == 1)
        lab.advance(by: .seconds(10))
        #expect(server.calls.count == 1)
        server.succeed(with: 5)
        lab.advance(by: .milliseconds(200))
        #expect(tasks.map(\.value) == [5, 5, 5, 5, 5])
        #expect(server.calls.count == 1)
    }

    @Test("a failure is the failure of those who wait, and of nobody else", .rule("A73"))
    func failure() {
        let (one, other) = (member(), member())
        let definition = stock()
        let tasks = [one, other].map { client in lab.start { try await client.fetch(definition) } }
        lab.advance(by: .milliseconds(50))
        server.fail(with: FetchFault.Failure())
        lab.advance(by: .milliseconds(200))
        #expect(server.calls.count == 1)
        #expect(tasks[0].error is FetchFault.Failure)
        #expect((tasks[1].error as? FleetFailure)?.label.isEmpty == false)
        #expect(value(of: definition, in: other, from: 7) == 7)
    }

    @Test("a failure that is remembered is remembered by all", .rule("A73"))
    func rememberedFailure() {
        let definition = stock().rememberFailures(for: .seconds(30))
        let (one, other) = (member(), member())
        let first = lab.start { try await one.fetch(definition) }
        server.fail(with: FetchFault.Failure())
        #expect(first.error != nil)
        lab.advance(by: .seconds(20))
        let second = lab.start { try await other.fetch(definition) }
        #expect(second.error is FleetFailure)
        #expect(server.calls.count == 1)
        lab.advance(by: .seconds(11))
        #expect(value(of: definition, in: member(), from: 1) == 1)
    }

    @Test("another member takes over from one that ended, and the answer of a late one is refused", .rule("A73"))
    func takesOver() async throws {
        let paused = PausableStore(store)
        let (one, other) = (member(store: paused), member())
        let definition = stock()
        let late = lab.start { try await one.fetch(definition) }
        #expect(server.calls.count == 1)
        // As if the process was stopped: its lease is not renewed.
        paused.isPaused = true
        let task = lab.start { try await other.fetch(definition) }
        lab.advance(by: .seconds(2))
        #expect(server.calls.count == 1)
        lab.advance(by: .seconds(2))
        #expect(server.calls.count == 2)
        server.succeed(1, with: 6)
        lab.settle()
        #expect(task.value == 6)
        paused.isPaused = false
        server.succeed(0, with: 5)
        lab.advance(by: .seconds(1))
        #expect(late.value == 5)
        #expect(value(of: stock(), in: member()) == 6)
    }

    @Test("a renewal of the lease that hangs ends with the fetch", .rule("A73"))
    func hangingRenewal() {
        let stuck = PausableStore(store, renewalsHang: true)
        let client = member(store: stuck)
        let task = lab.start { try await client.fetch(stock()) }
        lab.advance(by: .seconds(1))
        #expect(stuck.renewals.all == ["begin"])
        server.succeed(with: 5)
        lab.settle()
        #expect(task.value == 5 && stuck.renewals.all == ["begin", "end"])
    }

    @Test("the member that fetches retries, whatever it lets the others remember", .rule("A73"))
    func retries() {
        let definition = stock().rememberFailures(for: .seconds(30)).retry(3)
        let client = member()
        let task = lab.start { try await client.fetch(definition) }
        struct Unavailable: TransientErrorType {
            var statusCode: Int? { 503 }
        }
        server.fail(with: Unavailable())
        lab.advance(by: .seconds(10))
        #expect(server.calls.count == 2)
        server.succeed(with: 5)
        lab.settle()
        #expect(task.value == 5)
    }

    @Test("of a value that cannot be shared, each member fetches its own at the same time", .rule("A73"))
    func unshared() {
        let definition = QueryDefinition<Int>.stream("stream") { [server] context in
            let value = try await server.fetch(context)
            return AsyncStream { continuation in
                continuation.yield(value)
                continuation.finish()
            }
        }.staleAfter(.seconds(60)).shared()
        let members = (0..<4).map { _ in member() }
        let tasks = members.map { client in lab.start { try await client.fetch(definition) } }
        #expect(server.calls.count == 1)
        server.succeed(with: 1)
        lab.advance(by: .milliseconds(200))
        #expect(server.calls.count == 4)
        for index in 1...3 { server.succeed(index, with: index) }
        lab.settle()
        #expect(tasks.compactMap(\.value).count == 4)
    }

    @Test("a fetch that nobody waits for any more does not keep the others from fetching", .rule("A73"))
    func stopped() {
        let stubborn = lab.fetcher(returning: Int.self, ignoringCancellation: true)
        let definition = QueryDefinition("stock", 1) { try await stubborn.fetch($0) }
            .timeLimit(.seconds(2)).staleAfter(.seconds(60)).shared()
        let (one, other) = (member(), member())
        let task = lab.start { try await one.fetch(definition) }
        lab.advance(by: .seconds(4))
        #expect(task.error != nil)
        #expect(value(of: stock(), in: other, from: 6) == 6)
    }

    @Test("a cancelled fetch lets the next one try at once", .rule("A73"))
    func cancels() {
        let (one, other) = (member(), member())
        let definition = stock().whenAbandoned(.cancel)
        let observer = one.observe(definition)
        lab.settle()
        #expect(server.calls.count == 1)
        one.cancel(definition)
        lab.settle()
        #expect(value(of: definition, in: other, from: 4) == 4)
        withExtendedLifetime(observer) {}
    }

    @Test("a fetch that is stopped while it reads the store asks for nothing more", .rule("A73"))
    func stoppedWhileReading() {
        let client = member()
        let definition = stock().whenAbandoned(.cancel)
        store.fault = .hangs
        let task = lab.start { try await client.fetch(definition) }
        #expect(store.callCount(of: "value") == 1)
        client.cancel(definition)
        lab.settle()
        #expect(task.error is CancellationError)
        store.fault = nil
        lab.settle()
        #expect(store.callCount(of: "lease") == 0 && server.calls.isEmpty)
        #expect(value(of: definition, in: client, from: 5) == 5)
    }

    @Test("a member without a value asks whether the one in the store is still right", .rule("A73"))
    func asksWithValidators() {
        let definition = QueryDefinition<Int>("tagged") { [server] context in
            let value = try await server.fetch(context)
            if context.validators.eTag == "a" { return try context.notModified() }
            context.validators.eTag = "a"
            return value
        }.staleAfter(.seconds(5)).shared()
        #expect(value(of: definition, in: member(), from: 5) == 5)
        lab.advance(by: .seconds(6))
        #expect(value(of: definition, in: member(), from: 9) == 5)
        #expect(server.calls.count == 2)
        #expect(value(of: definition, in: member()) == 5)
    }

    @Test("a member without a value shows the stale one of the store, and returns it as its policy says", .rule("A73"))
    func showsStale() {
        let stock = stock().fetchPolicy(.staleIfError(upTo: .seconds(30))).rememberFailures(for: .seconds(5))
        #expect(value(of: stock, in: member(), from: 5) == 5)
        lab.advance(by: .seconds(61))
        let (one, other) = (member(), member())
        let task = lab.start { try await one.fetch(stock) }
        let shown = one.snapshot(of: stock)
        #expect(shown.value == 5 && shown.isStale && shown.isFetching && (shown.age ?? .zero) >= .seconds(61))
        #expect(task.result == nil)
        server.fail(with: URLError(.cannotConnectToHost))
        lab.settle()
        #expect(task.value == 5)
        // The failure is that of all, and each has the older value.
        #expect(value(of: stock, in: other) == 5)
        #expect(server.calls.count == 2)
        lab.advance(by: .seconds(30))
        let late = member()
        let tooOld = lab.start { try await late.fetch(stock) }
        server.fail(with: URLError(.cannotConnectToHost))
        lab.settle()
        #expect(tooOld.value == nil && tooOld.result != nil)
    }

    @Test(
        "a stale value of the store is returned at once to those who accept one, and is fetched for the others",
        .rule("A73"))
    func returnsStale() {
        let stock = stock().whenAbandoned(.cancel)
        #expect(value(of: stock, in: member(), from: 5) == 5)
        lab.advance(by: .seconds(70))
        let one = member()
        let patient = lab.start { try await one.fetch(stock, .staleIfError()) }
        let tooStrict = lab.start { try await one.fetch(stock, .staleWhileRevalidate(upTo: .seconds(9))) }
        let content = lab.start { try await one.fetch(stock, .staleWhileRevalidate(upTo: .seconds(11))) }
        lab.settle()
        #expect(content.value == 5 && patient.result == nil && tooStrict.result == nil)
        let other = member()
        #expect(value(of: stock.fetchPolicy(.staleWhileRevalidate()), in: other) == 5)
        #expect(server.pendingCount == 1, "the fetch of the second member waits for that of the first")
        server.succeed(with: 6)
        lab.settle()
        #expect(patient.value == 6 && tooStrict.value == 6)
        lab.advance(by: .seconds(1))
        #expect(other.value(of: stock) == 6 && server.calls.count == 2)
    }

    @Test("a value of the store that was invalidated is returned to nobody", .rule("A73"))
    func returnsNoInvalidated() {
        let stock = stock().fetchPolicy(.staleWhileRevalidate())
        let first = member()
        #expect(value(of: stock, in: first, from: 5) == 5)
        first.invalidateWithoutWaiting(.tag("shop"), refetch: .none)
        lab.settle()
        let one = member()
        let task = lab.start { try await one.fetch(stock) }
        #expect(one.value(of: stock) == 5 && task.result == nil)
        server.succeed(with: 6)
        lab.settle()
        #expect(task.value == 6)
    }

    @Test("a stale value of the store takes the edits of running mutations", .rule("A73"))
    func showsStaleBelowEdits() {
        #expect(value(of: stock(), in: member(), from: 5) == 5)
        lab.advance(by: .seconds(61))
        let (client, stock, clock) = (member(), stock(), lab.clock)
        let change = lab.start {
            try await client.mutate("add", optimistic: { $0.update(stock) { $0 += 100 } }) { _ in
                try await clock.sleep(for: .seconds(1))
                throw URLError(.cannotConnectToHost)
            }
        }
        let fetch = lab.start { try await client.fetch(stock) }
        #expect(client.snapshot(of: stock).value == 105)
        lab.advance(by: .seconds(1))
        #expect(client.snapshot(of: stock).value == 5 && change.result != nil)
        server.succeed(with: 6)
        lab.settle()
        #expect(fetch.value == 6 && client.snapshot(of: stock).value == 6)
    }

    @Test("a value of the store that was invalidated is stale until the answer, and no longer", .rule("A73"))
    func showsInvalidated() {
        let policy = FetchPolicy.staleWhileRevalidate()
        let (one, stock) = (member(), stock())
        #expect(value(of: stock, in: one, from: 5) == 5)
        one.invalidate(stock)
        let other = member()
        let first = lab.start { try await other.fetch(stock) }
        #expect(other.snapshot(of: stock).value == 5 && other.snapshot(of: stock).isStale)
        // It is known to be wrong, so nobody accepts it, and nobody asks again.
        let second = lab.start { try await other.fetch(stock, policy) }
        #expect(second.result == nil && server.calls.count == 2)
        server.succeed(with: 6)
        lab.settle()
        #expect(first.value == 6 && second.value == 6 && server.calls.count == 2)
        #expect(!other.snapshot(of: stock).isStale)
        // One that came during the fetch counts all the same.
        one.invalidate(stock)
        let last = member()
        let early = lab.start { try await last.fetch(stock) }
        last.invalidate(stock)
        server.succeed(with: 7)
        lab.settle()
        #expect(early.result != nil && last.snapshot(of: stock).isStale)
    }

    @Test("the numbers of fetches say how each ended", .rule("A73"))
    func counts() {
        let (one, other) = (member(), member())
        let definition = stock()
        _ = [one, other].map { client in lab.start { try await client.fetch(definition) } }
        server.succeed(with: 5)
        lab.advance(by: .milliseconds(200))
        let late = member()
        _ = value(of: definition, in: late)
        store.fault = .unreachable
        lab.settle()
        _ = value(of: stock(2), in: late, from: 7)
        #expect(one.fleet?.counts.led == 1)
        #expect(other.fleet?.counts.awaited == 1)
        #expect(late.fleet?.counts.found == 1)
        #expect(late.fleet?.counts.alone == 1)
    }

    // MARK: Invalidation

    @Test(
        "what one member invalidates turns stale in the others", .rule("A74"),
        arguments: ["key", "path", "tag", "all", "where"])
    func invalidates(by kind: String) {
        let (one, other) = (member(), member())
        #expect(value(of: stock(), in: one, from: 5) == 5)
        #expect(value(of: stock(), in: other) == 5)
        let filters: [String: KeyFilter] = [
            "key": .key(stock().key), "path": "stock", "tag": .tag("shop"), "all": .all,
            "where": .where { $0.key == stock().key },
        ]
        one.invalidate(filters[kind] ?? .all)
        lab.settle()
        // Whoever asks first asks the server, and the other one takes the answer.
        #expect(value(of: stock(), in: other, from: 6) == 6)
        #expect(value(of: stock(), in: one) == 6)
        #expect(server.calls.count == 2)
    }

    @Test("an invalidation reaches observers, and asks the server once", .rule("A74"))
    func observers() {
        let members = (0..<4).map { _ in member() }
        #expect(value(of: stock(), in: members[0], from: 5) == 5)
        let observers = members.map { $0.observe(stock()) }
        lab.settle()
        members[3].invalidate("stock")
        lab.settle()
        #expect(server.calls.count == 2)
        server.succeed(with: 6)
        lab.advance(by: .milliseconds(200))
        #expect(observers.map(\.snapshot.value) == [6, 6, 6, 6])
        #expect(server.calls.count == 2)
        #expect(observers.allSatisfy { !$0.snapshot.isStale })
    }

    @Test("a value that was requested before an invalidation is believed by nobody", .rule("A74"))
    func requestedBefore() {
        let (one, other) = (member(), member())
        let definition = stock()
        let task = lab.start { try await one.fetch(definition) }
        other.invalidate("stock")
        lab.settle()
        server.succeed(with: 5)
        lab.advance(by: .milliseconds(200))
        _ = task
        #expect(value(of: stock(), in: other, from: 6) == 6)
        #expect(value(of: stock(), in: member()) == 6)
    }

    @Test("all members together ask for a key at most once in an interval", .rule("A86"), arguments: [false, true])
    func keepsInterval(isDemanded: Bool) {
        let stock = stock().fetchAtMostEvery(.seconds(1))
        let members = [member(), member(), member()]
        let observers = members.map { $0.observe(stock) }
        lab.settle()
        server.succeed(with: 0)
        lab.settle()
        let start = lab.clock.now()
        func answer(with value: Int) {
            lab.settle()
            while server.pendingCount > 0 {
                server.succeed(with: value)
                lab.settle()
            }
            // The first request was made at the start.
            #expect(.seconds(server.calls.count - 1) <= start.duration(to: lab.clock.now()))
        }
        for round in 1...20 {
            lab.advance(by: .milliseconds(100))
            let client = members[round % 3]
            if isDemanded {
                _ = lab.start { try await client.refetch(stock) }
            } else {
                client.invalidateWithoutWaiting(.tag("shop"))
            }
            answer(with: round)
        }
        #expect(server.calls.count == 3)
        for _ in 0..<40 {
            lab.advance(by: .milliseconds(100))
            answer(with: 99)
        }
        #expect(server.calls.count <= (isDemanded ? 6 : 4))
        #expect(observers.allSatisfy { !$0.snapshot.isStale && $0.snapshot.value == 99 })
    }

    @Test("a mutation's invalidations concern the others", .rule("A74"))
    func mutations() async throws {
        struct Restock: Mutating {
            func run(_ context: MutationContext) async throws {}
            func invalidates(_ output: Void) -> [KeyFilter] { ["stock"] }
        }
        let (one, other) = (member(), member())
        #expect(value(of: stock(), in: one, from: 5) == 5)
        #expect(value(of: stock(), in: other) == 5)
        try await lab.run { try await one.mutate(Restock()) }
        lab.settle()
        #expect(other.snapshot(of: stock()).isStale)
    }

    @Test("what one member removes is shown by nobody", .rule("A74"))
    func removes() {
        let (one, other) = (member(), member())
        #expect(value(of: stock(), in: one, from: 5) == 5)
        let observer = other.observe(stock())
        lab.settle()
        #expect(observer.snapshot.value == 5)
        one.remove(.path("stock"))
        lab.settle()
        #expect(other.value(of: stock().key, as: Int.self) == nil)
        #expect(value(of: stock(), in: member(), from: 6) == 6)
    }

    @Test("a change of a value that others have invalidated does not make it right again", .rule("A74"))
    func updatesInvalidated() {
        let (one, other) = (member(), member())
        #expect(value(of: stock(), in: one, from: 5) == 5)
        #expect(value(of: stock(), in: other) == 5)
        other.invalidate(stock())
        lab.settle()
        one.update(stock()) { $0 += 1 }
        lab.settle()
        #expect(value(of: stock(), in: other, from: 9) == 9)
        #expect(value(of: stock(), in: member()) == 9)
    }

    @Test("an invalidation that the log has just before a write makes the written value stale", .rule("A74"))
    func writesAfterInvalidation() {
        let cut = PausableStore(store)
        let (one, other, stock) = (member(store: cut), member(), stock())
        #expect(value(of: stock, in: one, from: 5) == 5 && value(of: stock, in: other) == 5)
        cut.publishFirst(.stale(.key("stock")))
        cut.publishFirst(.stale(.key(stock.key)))
        try? one.set(6, for: stock)
        lab.settle()
        #expect(one.snapshot(of: stock).isStale && other.snapshot(of: stock).isStale)
        #expect(value(of: stock, in: other, from: 7) == 7)
        #expect(value(of: stock, in: one) == 7)
        // Another key does not concern it.
        cut.publishFirst(.stale(.key("other")))
        try? one.set(8, for: stock)
        lab.settle()
        #expect(value(of: stock, in: other) == 8 && server.calls.count == 2)
    }

    @Test("a member that changes much shares all the same", .rule("A74"))
    func busyWriter() throws {
        let (one, other) = (member(), member())
        for id in 1...200 {
            try one.set(id, for: stock(id))
            guard id % 10 == 0 else { continue }
            let wanted = stock(id - 5)
            let task = lab.start { try await other.fetch(wanted) }
            // The value comes once the writer knows that nobody has changed the key before.
            lab.advance(by: .milliseconds(20))
            #expect(task.value == id - 5)
        }
        lab.settle()
        #expect(server.calls.isEmpty)
        #expect(one.fleet?.isConnected == true)
        #expect(value(of: stock(1000), in: one, from: 7) == 7)
        #expect(one.fleet?.counts.led == 1)
    }

    @Test(
        "a value that was saved on this disk before counts as stale, because others may have changed it", .rule("A74"))
    func persisted() {
        let cache = InMemoryQueryCache()
        let definition = stock().persisted()
        let setup = Fleet.Setup(store: store)
        do {
            let client = QueryClient(cache: cache, fleet: setup, environment: lab.environment)
            lab.settle()
            #expect(value(of: definition, in: client, from: 5) == 5)
        }
        member().invalidate(stock())
        lab.settle()
        let client = QueryClient(cache: cache, fleet: setup, environment: lab.environment)
        lab.settle()
        #expect(client.snapshot(of: definition).isStale)
        #expect(value(of: definition, in: client, from: 6) == 6)
    }

    // MARK: Failures of the store

    @Test("what a member has missed is made up for", .rule("A75"))
    func catchesUp() {
        let cut = PausableStore(store)
        let (one, other) = (member(), member(store: cut))
        for id in 1...2 {
            #expect(value(of: stock(id), in: one, from: id) == id)
            #expect(value(of: stock(id), in: other) == id)
        }
        cut.isPaused = true
        lab.advance(by: .seconds(2))
        one.invalidate(stock(1))
        lab.advance(by: .seconds(1))
        #expect(!other.snapshot(of: stock(1)).isStale)
        cut.isPaused = false
        lab.advance(by: .seconds(8))
        #expect(other.snapshot(of: stock(1)).isStale)
        #expect(!other.snapshot(of: stock(2)).isStale)
    }

    @Test(
        "if the log does not reach back, or is another one, all shared values are stale", .rule("A75"),
        arguments: [true, false])
    func logIsLost(erases: Bool) {
        let small = InMemoryFleetStore(clock: lab.clock, logLength: 3)
        let cut = PausableStore(small)
        let (one, other) = (member(store: small), member(store: cut))
        #expect(value(of: stock(), in: one, from: 1) == 1)
        #expect(value(of: stock(), in: other) == 1)
        try? other.set(3, for: .value("own"))
        cut.isPaused = true
        lab.advance(by: .seconds(2))
        if erases {
            small.erase()
        } else {
            for id in 0..<5 { one.invalidate(.path("other", id)) }
        }
        lab.advance(by: .seconds(1))
        cut.isPaused = false
        lab.advance(by: .seconds(1))
        #expect(other.snapshot(of: stock()).isStale)
        #expect(value(of: stock(), in: other, from: 2) == 2)
        #expect(!other.snapshot(of: QueryDefinition<Int>.value("own").staleAfter(.never)).isStale)
    }

    @Test("a fetch that runs while the log is lost is followed by another one", .rule("A75"))
    func lostDuringFetch() {
        let cut = PausableStore(store)
        let client = member(store: cut)
        let observer = client.observe(stock())
        server.succeed(with: 1)
        lab.settle()
        client.invalidate(stock())
        lab.settle()
        #expect(server.calls.count == 2)
        cut.isPaused = true
        lab.advance(by: .seconds(2))
        store.erase()
        cut.isPaused = false
        lab.advance(by: .seconds(2))
        #expect(server.calls.count == 3)
        server.succeed(2, with: 3)
        lab.settle()
        #expect(observer.snapshot.value == 3)
    }

    @Test(
        "what a member has fetched before it first reached the store is stale then, and after the bound",
        .rule("A75", "A76"))
    func startsWithoutStore() {
        let other = member()
        store.fault = .unreachable
        let (one, two) = (member(), member())
        #expect(value(of: stock(1, fresh: .seconds(3600)), in: one, from: 5) == 5)
        lab.advance(by: .seconds(10))
        #expect(one.snapshot(of: stock(1, fresh: .seconds(3600))).isStale)
        #expect(value(of: stock(2, fresh: .seconds(3600)), in: two, from: 5) == 5)
        other.invalidate(stock(2))
        store.fault = nil
        lab.advance(by: .seconds(8))
        #expect(two.snapshot(of: stock(2, fresh: .seconds(3600))).isStale)
    }

    @Test("without the store, each member asks the server, and at once", .rule("A76"))
    func unreachable() {
        let (one, other) = (member(), member())
        store.fault = .unreachable
        lab.settle()
        #expect(value(of: stock(), in: one, from: 5) == 5)
        #expect(value(of: stock(), in: other, from: 6) == 6)
        #expect(!(one.fleet?.isConnected ?? true))
        store.fault = nil
        lab.advance(by: .seconds(8))
        #expect(one.fleet?.isConnected == true)
    }

    @Test("an event says why the store cannot be used, without arguments that the server repeats", .rule("A76"))
    func reasons() {
        let problems = Recorder<String>()
        let client = member()
        let watch = client.onEvent { event in
            if case .cacheProblem(let text) = event.kind { problems.append(text) }
        }
        store.fault = .unreachable
        lab.settle()
        #expect(problems.all == ["the fleet's store cannot be used: no connection"])
        watch.cancel()
        let errors = [FleetError.timedOut, .refused("WRONGPASS the password sesame"), .refused("an unknown reply")]
        #expect(errors.map(TransientError.label) == ["timed out", "refused: WRONGPASS", "refused: an unknown reply"])
    }

    @Test("a store that hangs costs one call its time limit", .rule("A76"))
    func hangs() {
        let client = member()
        store.fault = .hangs
        let (first, second) = (stock(1), stock(2))
        let slow = lab.start { try await client.fetch(first) }
        #expect(server.calls.isEmpty)
        lab.advance(by: .milliseconds(500))
        #expect(server.calls.count == 1)
        let quick = lab.start { try await client.fetch(second) }
        #expect(server.calls.count == 2)
        server.succeed(with: 5)
        server.succeed(with: 6)
        lab.settle()
        #expect(slow.value == 5)
        #expect(quick.value == 6)
    }

    @Test("a store that takes no writes is read all the same", .rule("A76"))
    func readOnly() {
        #expect(value(of: stock(1), in: member(), from: 5) == 5)
        store.fault = .readOnly
        let client = member()
        #expect(value(of: stock(1), in: client) == 5)
        #expect(value(of: stock(2), in: client, from: 6) == 6)
        #expect(client.fleet?.isConnected == true)
        // A change that cannot be told is told later.
        client.invalidate(stock(1))
        lab.advance(by: .seconds(5))
        #expect(client.fleet?.isConnected == true)
        let other = member()
        #expect(value(of: stock(1), in: other) == 5)
        store.fault = nil
        lab.advance(by: .seconds(2))
        #expect(other.snapshot(of: stock(1)).isStale)
    }

    @Test("without the store, a value is stale after the bound, whatever its definition says", .rule("A76"))
    func bound() {
        let (one, other) = (member(), member())
        for id in 1...40 {
            #expect(value(of: stock(id, fresh: .seconds(3600)), in: one, from: id) == id)
            #expect(value(of: stock(id, fresh: .seconds(3600)), in: other) == id)
        }
        store.fault = .unreachable
        lab.advance(by: .seconds(4))
        func staleCount() -> Int {
            (1...40).count { other.snapshot(of: stock($0, fresh: .seconds(3600))).isStale }
        }
        #expect(staleCount() == 0)
        lab.advance(by: .seconds(6))
        #expect(staleCount() == 40)
        // A value that is fetched in the meantime has its own time.
        #expect(value(of: stock(1, fresh: .seconds(3600)), in: other, from: 41) == 41)
        lab.advance(by: .seconds(4))
        #expect(staleCount() == 39)
        lab.advance(by: .seconds(6))
        #expect(staleCount() == 40)
    }

    @Test("without the store, a value is as old as its request", .rule("A76"))
    func agesFromRequest() {
        let (client, stock) = (member(), stock())
        store.fault = .unreachable
        lab.settle()
        let task = lab.start { try await client.fetch(stock) }
        lab.advance(by: .seconds(3))
        server.succeed(with: 5)
        lab.settle()
        #expect(task.value == 5 && client.snapshot(of: stock).age == .seconds(3))
    }

    @Test("what arrived before the loss of the store was noticed is right as of the last contact", .rule("A76"))
    func arrivesBeforeLoss() {
        let client = member()
        let stocks = (1...40).map { stock($0, fresh: .seconds(3600)) }
        let tasks = stocks.map { stock in lab.start { try await client.fetch(stock) } }
        lab.settle()
        store.fault = .hangs
        lab.advance(by: .milliseconds(1_200))
        #expect(client.fleet?.isConnected == true)
        for id in 1...40 { server.succeed(with: id) }
        lab.settle()
        #expect(tasks.allSatisfy { $0.value != nil })
        lab.advance(by: .milliseconds(8_800))
        #expect(client.fleet?.isConnected == false)
        #expect(stocks.allSatisfy { client.snapshot(of: $0).isStale })
    }

    @Test("changes made without the store are told once it is back", .rule("A76"))
    func tellsLater() {
        let cut = PausableStore(store)
        let (one, other) = (member(store: cut), member())
        #expect(value(of: stock(), in: one, from: 5) == 5)
        #expect(value(of: stock(), in: other) == 5)
        cut.isPaused = true
        lab.advance(by: .seconds(2))
        one.invalidate(stock())
        lab.advance(by: .seconds(1))
        #expect(!other.snapshot(of: stock()).isStale)
        cut.isPaused = false
        lab.advance(by: .seconds(8))
        #expect(other.snapshot(of: stock()).isStale)
    }

    @Test("who waits for an invalidation waits until the store has it", .rule("A74"))
    func waitsUntilTold() {
        let cut = PausableStore(store)
        let (one, other) = (member(store: cut), member())
        #expect(value(of: stock(), in: one, from: 5) == 5)
        #expect(value(of: stock(), in: other) == 5)
        store.fault = .hangs
        let stock = stock()
        let told = lab.start { await one.invalidate(stock) }
        #expect(told.result == nil)
        // No longer than a call takes.
        lab.advance(by: .milliseconds(500))
        #expect(told.result != nil)
        let unwritten = lab.start { await one.flush() }
        lab.advance(by: .milliseconds(500))
        #expect(unwritten.value?.map(\.description) == ["the other members of the fleet do not know all changes yet"])
        store.fault = nil
        lab.advance(by: .seconds(8))
        let written = lab.start { await one.flush() }
        lab.settle()
        #expect(written.value == [])
        #expect(other.snapshot(of: stock).isStale)
        let count = store.callCount(of: "publish")
        let again = lab.start { await one.invalidate(.tag("shop")) }
        lab.settle()
        #expect(again.result != nil && store.callCount(of: "publish") == count + 1)
    }

    @Test("a client that is released ends its part", .rule("A76"))
    func released() {
        weak var gone: QueryClient?
        weak var connection: PausableStore?
        do {
            let cut = PausableStore(store)
            connection = cut
            let client = member(store: cut)
            _ = value(of: stock(), in: client, from: 5)
            gone = client
        }
        lab.settle()
        #expect(gone == nil)
        let calls = store.callCount(of: "news")
        lab.advance(by: .seconds(30))
        #expect(store.callCount(of: "news") == calls)
        #expect(connection == nil)
    }
}
