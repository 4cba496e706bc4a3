import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("The byte budget and memory pressure")
struct BudgetTests {
    /// A budget of 100 bytes: it holds ten values of ten bytes, of which eviction leaves nine.
    let desk = Desk(budget: 100)

    private func value(_ index: Int) -> QueryDefinition<String> {
        desk.query(QueryKey("users", index)).cost { Int($0) ?? 10 }
    }

    private var keys: [String] { desk.client.entries().map(\.key.queryKeyValue) }

    @Test("over the budget the least recently used go first, down to nine tenths", .rule("A16"))
    func leastRecentlyUsed() {
        for index in 0..<10 { desk.receive("10", for: value(index)) }
        #expect(desk.client.count == 10)
        #expect(desk.client.value(of: value(0)) == "10", "a read is a use")
        desk.receive("10", for: value(10))
        #expect(
            keys == [
                "users/0", "users/10", "users/3", "users/4", "users/5", "users/6", "users/7", "users/8", "users/9",
            ])
        #expect(
            desk.lab.log.filter { $0.contains("removed") } == [
                "users/1 removed (over budget)", "users/2 removed (over budget)",
            ])
    }

    @Test("what is observed, fetched or optimistic is never evicted", .rule("A16"))
    func observedStays() {
        let observer = desk.client.observe(value(0))
        desk.fetcher.succeed(with: "500")
        #expect(observer.value == "500")
        desk.receive("10", for: value(1))
        #expect(keys == ["users/0"], "what nobody observes goes instead")
    }

    @Test("a value that a mutation has made counts with its own size", .rule("A16"))
    func confirmedChange() {
        desk.receive("10", for: value(0))
        let server = MutationServer(desk.lab)
        var mutation = ScriptedMutation(server)
        mutation.edits = { [edited = value(0)] in $0.update(edited) { $0 = "500" } }
        _ = desk.lab.mutate(mutation)
        server.succeed()
        desk.lab.settle()
        desk.receive("10", for: value(1))
        #expect(keys == ["users/1"])
    }

    @Test(
        "an entry that shows a pending change is not evicted, though it was unused when the mutation began",
        .rule("A16"))
    func optimisticStays() throws {
        desk.receive("10", for: value(0))
        var mutation = ScriptedMutation(MutationServer(desk.lab))
        mutation.edits = { [edited = value(0)] in $0.update(edited) { $0 = "50" } }
        _ = desk.lab.mutate(mutation)
        try desk.client.set("100", for: value(1))
        #expect(keys.contains("users/0"))
        #expect(desk.client.value(of: value(0)) == "50")
    }

    @Test("over the budget, a write looks only at entries whose use has ended since the last", .rule("E13"))
    func looksAtUnused() throws {
        desk.fetcher.answer { _ in "20" }
        let observers = (0..<20).map { desk.client.observe(value($0)) }
        for index in 0..<20 { try desk.client.set("30", for: value(index)) }
        #expect(desk.client.inspect().evictable == 0, "all are observed")
        observers[7].cancel()
        #expect(desk.client.inspect().evictable == 1)
        try desk.client.set("20", for: value(0))
        #expect(desk.client.inspect().evictable == 0)
        #expect(!keys.contains("users/7") && desk.client.count == 19)
        withExtendedLifetime(observers) {}
    }

    @Test("an entry that an object held while others were evicted is evicted once it is released", .rule("E13"))
    func released() throws {
        desk.client.hold(value(0).key)
        desk.receive("90", for: value(0))
        desk.receive("90", for: value(1))
        #expect(keys == ["users/0"])
        desk.client.release(value(0).key)
        desk.receive("20", for: value(2))
        #expect(keys == ["users/2"])
    }

    @Test("a value that replaces another costs its own size", .rule("A16"))
    func replaced() {
        desk.receive("90", for: value(0))
        desk.receive("10", for: value(0))
        for index in 1..<9 { desk.receive("10", for: value(index)) }
        #expect(desk.client.count == 9)
    }

    @Test("a late answer that is dropped costs nothing", .rule("A16"))
    func dropped() {
        let deaf = desk.lab.fetcher(returning: String.self, ignoringCancellation: true)
        let user = QueryDefinition("late", fetch: deaf.fetch).cost { Int($0) ?? 0 }
        let observer = desk.client.observe(user)
        desk.client.cancel(.all)
        desk.receive("50", for: value(1))
        deaf.succeed(with: "1000")
        #expect(keys == ["late", "users/1"])
        withExtendedLifetime(observer) {}
    }

    @Test("initial values cost too", .rule("A16"))
    func initial() {
        let observer = desk.client.observe(value(0).initial("95").enabled(false))
        desk.receive("10", for: value(1))
        #expect(keys == ["users/0"])
        withExtendedLifetime(observer) {}
    }

    @Test("what was reset, removed or collected costs nothing any more", .rule("A16"))
    func freed() {
        let observer = desk.client.observe(value(0).enabled(false))
        desk.receive("90", for: value(0))
        desk.client.reset(.key(value(0).key))
        desk.receive("90", for: value(1))
        #expect(desk.client.value(of: value(1)) == "90")
        desk.client.remove(.key(value(1).key))
        desk.receive("90", for: value(2))
        desk.lab.advance(by: .seconds(300))
        desk.receive("90", for: value(3))
        #expect(desk.client.value(of: value(3)) == "90")
        withExtendedLifetime(observer) {}
    }

    @Test("without a cost function a value's size is estimated", .rule("A16"))
    func estimated() {
        let big = String(repeating: "x", count: 60)
        desk.receive(big, for: desk.query("a"))
        desk.receive(big, for: desk.query("b"))
        #expect(keys == ["b"])
    }

    @Test("without a budget nothing is evicted", .rule("A16"))
    func noBudget() {
        let desk = Desk()
        for index in 0..<50 { desk.receive("1000", for: desk.query(QueryKey("users", index)).cost { _ in .max / 100 }) }
        #expect(desk.client.count == 50)
    }

    @Test("memory pressure and budget spare what an object of the program holds, until it lets go", .rule("U6"))
    func holds() {
        let held = value(0).key
        for index in 0..<2 { desk.receive("40", for: value(index)) }
        desk.client.hold(held)
        desk.client.hold(held)
        desk.receive("40", for: value(2))
        #expect(keys == ["users/0", "users/2"])
        desk.client.release(held)
        desk.lab.environment.memoryPressure.set(true)
        #expect(keys == ["users/0"])
        desk.client.release(held)
        desk.client.dropUnobserved()
        #expect(keys == [])
    }

    @Test("memory pressure drops what nobody observes or fetches, and nothing else", .rule("A16"))
    func memoryPressure() {
        let observer = desk.client.observe(value(0))
        desk.fetcher.succeed(with: "1")
        desk.receive("1", for: value(1))
        let task = desk.fetch(value(2))
        desk.lab.environment.memoryPressure.set(true)
        #expect(keys == ["users/0", "users/2"])
        #expect(desk.lab.log.last == "users/1 removed (memory pressure)")
        desk.fetcher.succeed(with: "2")
        #expect(task.value == "2" && observer.value == "1")
    }
}
