import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("What faces ask of a client")
struct FaceTests {
    let lab = QueryLab()

    /// Creates a definition whose fetches have a given outcome.
    private func definition(
        _ outcome: @escaping @Sendable (FetchRun) async -> FetchOutcome
    ) -> QueryDefinition<String> {
        QueryDefinition(key: "users", fetcher: AnyFetcher(run: outcome))
    }

    @Test("a fetch that is begun runs beside one that runs, says which it is, and each can be cancelled alone")
    func begin() throws {
        let gate = Gate()
        let definition = definition { _ in
            await gate.wait()
            return .value(PayloadOf("Ann"))
        }
        let requests = [CarriedRequest(), CarriedRequest()]
        for request in requests {
            #expect(try lab.client.beginFetch(definition, .requested, carrying: request) === request)
        }
        lab.client.cancelFetch(carrying: requests[0], of: "users")
        #expect(lab.client.entryState(of: "users", as: String.self)?.activity == .fetching, "the other goes on")
        lab.client.cancelFetch(carrying: requests[1], of: "users")
        #expect(lab.client.entryState(of: "users", as: String.self)?.activity == .idle)
        #expect(requests.map(\.ends) == [["cancelled"], ["cancelled"]])
        gate.open()
    }

    @Test("a fetch that finds that it is not needed ends well, and leaves what is there")
    func unneeded() throws {
        let definition = definition { _ in .unneeded }
        try lab.client.set("Ann", age: .seconds(50), for: definition, during: .keep)
        let before = lab.client.entryState(of: "users", as: String.self)
        try lab.client.beginFetch(definition, .requested)
        lab.settle()
        let after = lab.client.entryState(of: "users", as: String.self)
        #expect(after?.activity == .idle)
        #expect(after?.payload === before?.payload)
        #expect(after?.writtenAt == before?.writtenAt, "nobody has found out that it is right")
        #expect(after?.revision != before?.revision)
        #expect(after?.failure == nil)
    }

    @Test("a fetch without a task ends on the caller's thread, and observers are notified within the call")
    func begun() throws {
        let log = Locked<[String]>([])
        let runs = Locked<[FetchRun]>([])
        let definition = QueryDefinition<String>(
            key: "users",
            fetcher: AnyFetcher { run, _ in
                runs.withLock { $0.append(run) }
            })
        func end(_ index: Int) {
            runs.withLock { $0[index] }.end(with: .value(PayloadOf("\(index)")))
            log.withLock { $0.append("landed") }
        }
        let core = lab.client.attach(definition.quiet) { entryState, _ in
            guard let value = (entryState.payload as? PayloadOf<String>)?.value else { return }
            log.withLock { $0.append(value) }
        }
        let requests = (1...3).map { number in
            CarriedRequest { log.withLock { $0.append("\(number) stopped") } }
        }
        for request in requests { try lab.client.beginFetch(definition, .requested, carrying: request) }
        lab.client.cancelFetch(carrying: requests[2], of: "users")
        end(1)
        end(0)
        end(2)
        #expect(
            log.withLock { $0 } == ["3 stopped", "1", "1 stopped", "2 stopped", "landed", "landed", "landed"],
            "the first is of no use once the second has landed, and the third was cancelled")
        #expect(requests.map(\.ends) == [["superseded"], ["answered"], ["cancelled"]])
        lab.client.detach(core)
        runs.withLock { $0 = [] }
    }

    @Test("the times of an entry say when its value came, when a fetch failed, and whether it was invalidated since")
    func times() throws {
        let fails = Locked(false)
        let definition = definition { _ in
            fails.withLock { $0 } ? .failure(ServerFailure()) : .value(PayloadOf("Ann"))
        }
        func isUpToDate() -> Bool? {
            guard let times = lab.client.times(of: "users") else { return nil }
            guard let failedAt = times.failedAt else { return !times.isStale(for: .after(.seconds(10))) }
            return !times.wasInvalidatedByName && failedAt.duration(to: times.now) <= .seconds(3)
        }
        #expect(isUpToDate() == nil)
        try lab.client.beginFetch(definition, .requested)
        lab.settle()
        #expect(isUpToDate() == true)
        lab.advance(by: .seconds(11))
        #expect(isUpToDate() == false)
        fails.withLock { $0 = true }
        try lab.client.beginFetch(definition, .requested)
        lab.settle()
        #expect(isUpToDate() == true)
        lab.advance(by: .seconds(4))
        #expect(isUpToDate() == false)
        try lab.client.beginFetch(definition, .requested)
        lab.settle()
        lab.client.invalidate(.key("users"), refetch: .none)
        #expect(isUpToDate() == false)
    }

    @Test("what nobody uses is dropped, least lately used first, and what is held, observed or under way stays")
    func dropUnused() throws {
        for number in 0..<6 {
            try lab.client.set(
                "Ann", age: .zero, for: QueryDefinition(key: QueryKey("a", number), fetcher: nil), during: .keep)
        }
        try lab.client.set("Ann", age: .zero, for: QueryDefinition(key: "b", fetcher: nil), during: .keep)
        let core = lab.client.attach(QueryDefinition<String>(key: QueryKey("a", 0), fetcher: nil), listener: nil)
        _ = lab.client.entryState(of: QueryKey("a", 2), as: String.self)
        lab.client.hold(QueryKey("a", 1))
        lab.client.removeUnused(within: "a", keeping: 3)
        #expect(Set(lab.client.keys) == [QueryKey("a", 0), QueryKey("a", 1), QueryKey("a", 2), "b"])
        lab.client.release(QueryKey("a", 1))
        lab.client.removeUnused(within: "a", keeping: 0)
        #expect(Set(lab.client.keys) == [QueryKey("a", 0), "b"])
        #expect(lab.client.count == 2)
        lab.client.detach(core)
    }

    @Test("what a cache has is shown where nothing is, and not when something came or was taken away meanwhile")
    func emptyEntry() throws {
        let definition = definition { _ in .value(PayloadOf("Ann")) }
        let core = lab.client.attach(definition.quiet, listener: nil)
        let place = try #require(lab.client.emptyEntry(of: definition))
        #expect(lab.client.emptyEntry(of: "users", as: Int.self) == nil)
        lab.client.remove(.key("users"))
        #expect(!lab.client.show("old", age: .zero, in: place))
        let next = try #require(lab.client.emptyEntry(of: definition))
        #expect(next != place)
        let cached = PayloadOf("cached")
        #expect(lab.client.show(cached, age: .seconds(5), freshFor: nil, in: next))
        #expect(lab.client.holds(cached, in: next))
        #expect(lab.client.emptyEntry(of: definition) == nil)
        #expect(!lab.client.show("again", age: .zero, in: next))
        lab.client.remove(.key("users"))
        #expect(!lab.client.holds(cached, in: next))
        lab.client.detach(core)
    }

    @Test("a value that a face finds in a cache of its own shows the edits of mutations that wait or run", .rule("O4"))
    func editedCachedValue() throws {
        let core = lab.client.attach(QueryDefinition<String>.value("users"), listener: nil)
        let place = try #require(lab.client.emptyEntry(of: "users", as: String.self))
        lab.setOnline(false)
        _ = lab.start { [client = lab.client] in
            try await client.mutate(
                optimistic: { edits in
                    edits.update(.key("users"), as: String.self) { $0 += "!" }
                }, { _ in })
        }
        #expect(lab.client.show("ann", age: .zero, in: place))
        #expect(lab.client.value(of: "users", as: String.self) == "ann!")
        lab.client.detach(core)
    }

    @Test("a value that was dropped to save memory still counts, one that was removed does not")
    func dropped() throws {
        let run = Locked<FetchRun?>(nil)
        let payload = PayloadOf("Ann")
        let definition = definition { mine in
            run.withLock { $0 = mine }
            return .value(payload)
        }
        try lab.client.beginFetch(definition, .requested)
        lab.settle()
        let first = run.withLock { $0 }
        #expect(first?.holds(payload) == true)
        lab.client.dropUnobserved()
        #expect(first?.holds(payload) == true)
        try lab.client.beginFetch(definition, .requested)
        lab.settle()
        let second = run.withLock { $0 }
        lab.client.remove(.key("users"))
        #expect(second?.holds(payload) == false)
    }
}

private struct ServerFailure: Error {}

extension QueryDefinition {
    /// The same definition, without a fetch when an observer attaches.
    fileprivate var quiet: Self {
        options { $0.fetchesOnAttach = false }
    }
}
