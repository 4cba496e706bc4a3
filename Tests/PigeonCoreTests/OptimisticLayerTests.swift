import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Optimistic layers")
struct OptimisticLayerTests {
    private let lab = QueryLab()
    private var client: QueryClient { lab.client }
    private struct Refused: Error {}

    private func post(_ fetcher: ScriptedFetcher<[String]>) -> QueryDefinition<[String]> {
        QueryDefinition("post", fetch: fetcher.fetch).staleAfter(.never)
    }

    private func appending(_ item: String, _ server: MutationServer) -> ScriptedMutation {
        var mutation = ScriptedMutation(server)
        mutation.edits = { $0.update(QueryDefinition<[String]>.value("post")) { $0.append(item) } }
        return mutation
    }

    private func observed(_ fetcher: ScriptedFetcher<[String]>) -> QueryObserver<[String]> {
        let observer = client.observe(post(fetcher))
        fetcher.succeed(with: ["a"])
        return observer
    }

    @Test("an optimistic change is shown before the mutation's own code runs", .rule("T95"))
    func shownAtOnce() {
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        let observer = observed(fetcher)
        var mutation = appending("b", server)
        let seen = Locked<[String]?>(nil)
        let edits = mutation.edits
        mutation.edits = { edits(&$0) }
        let task = lab.start { [client, mutation] in
            try await client.mutate(mutation) { stage in
                if case .running = stage { seen.withLock { $0 = observer.value } }
            }
        }
        #expect(seen.withLock { $0 } == ["a", "b"])
        #expect(observer.snapshot.isOptimistic)
        server.succeed(with: "done")
        #expect(task.value == "done")
    }

    @Test("a refetch replaces only what is under the layers", .rule("A22"))
    func refetchUnderLayers() {
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        let observer = observed(fetcher)
        _ = lab.mutate(appending("b", server))
        _ = lab.start { try await observer.refetch() }
        fetcher.succeed(with: ["x"])
        #expect(observer.value == ["x", "b"])
        #expect(observer.snapshot.isOptimistic)
    }

    @Test("a failed mutation takes off its own layer and nothing else", .rule("A22"))
    func failureDropsOwn() {
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        let observer = observed(fetcher)
        let tasks = ["b", "c", "d"].map { lab.mutate(appending($0, server)) }
        #expect(observer.value == ["a", "b", "c", "d"])
        server.fail(1, with: Refused())
        #expect(observer.value == ["a", "b", "d"])
        #expect(tasks[1].error is Refused)
        _ = lab.start { try await observer.refetch() }
        fetcher.succeed(with: ["x"])
        #expect(observer.value == ["x", "b", "d"])
        server.fail(0, with: Refused())
        server.fail(0, with: Refused())
        #expect(observer.value == ["x"])
        #expect(!observer.snapshot.isOptimistic)
    }

    @Test("a failure goes back to the server's newest value, not to the one before the mutation", .rule("A22"))
    func failureKeepsNewBase() throws {
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        let observer = observed(fetcher)
        _ = lab.mutate(appending("b", server))
        try client.set(["written"], for: post(fetcher))
        #expect(observer.value == ["written", "b"])
        server.fail(with: Refused())
        #expect(observer.value == ["written"])
    }

    @Test("a succeeded layer stays over an answer that was asked before the success", .rule("A22"))
    func survivesOlderAnswer() {
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        let definition = post(fetcher)
        for item in [["x"], ["a"]] {
            _ = lab.start { [client] in try await client.refetch(definition) }
            guard item == ["a"] else {
                fetcher.succeed(with: item)
                continue
            }
            _ = lab.mutate(appending("b", server))
            server.succeed()
            #expect(client.value(of: definition) == ["x", "b"])
            fetcher.succeed(with: item)
        }
        #expect(client.value(of: definition) == ["a", "b"], "the answer may not know of the mutation")
        let snapshot = client.snapshot(of: definition)
        #expect(!snapshot.isOptimistic, "it is part of the value now")
        #expect(snapshot.isInvalidated, "whoever needs it next has it fetched (E14)")
    }

    @Test(
        "an edit by the program says nothing of a pending change, which is not fetched once it is confirmed",
        .rule("E14"))
    func editLeavesNoDoubt() {
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        let observer = observed(fetcher)
        _ = lab.mutate(appending("b", server))
        client.update(post(fetcher)) { $0.append("edited") }
        server.succeed()
        #expect(observer.value == ["a", "edited", "b"])
        #expect(!observer.snapshot.isFetching && !observer.snapshot.isInvalidated)
        #expect(fetcher.calls.count == 1)
    }

    @Test("a reset leaves a pending change on what the entry starts with again", .rule("E10"))
    func survivesReset() {
        let server = MutationServer(lab)
        let observer = client.observe(QueryDefinition<[String]>.value("post").initial(["start"]))
        _ = lab.mutate(appending("b", server))
        client.reset(.key("post"))
        #expect(observer.value == ["start", "b"])
        server.fail(with: Refused())
        #expect(observer.value == ["start"])
    }

    @Test("an answer asked after the success replaces the layer", .rule("A22"))
    func droppedByNewerAnswer() {
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        let observer = observed(fetcher)
        var mutation = appending("b", server)
        mutation.stale = [.key("post")]
        _ = lab.mutate(mutation)
        server.succeed()
        #expect(observer.value == ["a", "b"])
        #expect(observer.snapshot.isRefetching)
        fetcher.succeed(with: ["a", "B"])
        #expect(observer.value == ["a", "B"])
        #expect(!observer.snapshot.isOptimistic)
    }

    @Test("with no fetch under way a succeeded layer becomes part of the value, and observers are told", .rule("A22"))
    func folded() {
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        let definition = post(fetcher)
        let seen = Locked<[Bool]>([])
        let observer = client.observe(definition) { snapshot in seen.withLock { $0.append(snapshot.isOptimistic) } }
        fetcher.succeed(with: ["a"])
        _ = lab.mutate(appending("b", server))
        server.succeed()
        #expect(observer.value == ["a", "b"])
        #expect(!observer.snapshot.isOptimistic)
        #expect(seen.withLock { $0 } == [false, true, false])
    }

    @Test("a layer that succeeded before another failed becomes part of the value", .rule("A22"))
    func foldedAfterFailure() {
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        let observer = observed(fetcher)
        for item in ["b", "c"] {
            _ = lab.mutate(appending(item, server))
        }
        server.succeed()
        #expect(observer.snapshot.isOptimistic)
        server.fail(with: Refused())
        #expect(observer.value == ["a", "b"])
        #expect(!observer.snapshot.isOptimistic)
    }

    @Test("what a mutation's answer writes takes the place of its own layer, once", .rule("A22"))
    func answerReplacesLayer() {
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        let observer = observed(fetcher)
        var mutation = appending("b?", server)
        mutation.writes = { output, writes in
            writes.update(QueryDefinition<[String]>.value("post")) { $0.append(output) }
        }
        _ = lab.mutate(mutation)
        _ = lab.mutate(appending("c?", server))
        #expect(observer.value == ["a", "b?", "c?"])
        server.succeed(with: "b")
        #expect(observer.value == ["a", "b", "c?"])
        server.fail(with: Refused())
        #expect(observer.value == ["a", "b"])
    }

    @Test("what a mutation's answer sets is the value, without its own layer on top", .rule("A22"))
    func setReplacesLayer() {
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        let observer = observed(fetcher)
        var mutation = appending("b", server)
        let definition = post(fetcher)
        mutation.writes = { _, writes in writes.set(["a", "b"], for: definition) }
        let task = lab.mutate(mutation)
        server.succeed()
        #expect(task.result != nil)
        #expect(observer.value == ["a", "b"])
        #expect(!observer.snapshot.isOptimistic)
    }

    @Test(
        "a value shown for a key that has none goes again when the mutation fails, and stays when it succeeds",
        .rule("A22"))
    func setOfNothing() {
        let server = MutationServer(lab)
        let definition = QueryDefinition<[String]>.value("draft").staleAfter(.seconds(60))
        var mutation = ScriptedMutation(server)
        mutation.edits = { $0.set(["new"], for: definition) }
        let observer = client.observe(definition)
        for _ in 0..<2 { lab.mutate(mutation) }
        #expect(observer.value == ["new"])
        server.fail(with: Refused())
        #expect(observer.value == ["new"])
        server.fail(with: Refused())
        #expect(observer.value == nil)
        _ = lab.mutate(mutation)
        lab.advance(by: .seconds(5))
        server.succeed()
        #expect(observer.value == ["new"])
        #expect(observer.snapshot.age == .zero)
        #expect(!observer.snapshot.isStale)
    }

    @Test("An optimistic edit applies to a value that comes while the mutation runs")
    func editOfLaterValue() {
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        let observer = client.observe(post(fetcher))
        _ = lab.mutate(appending("b", server))
        #expect(observer.value == nil)
        fetcher.succeed(with: ["a"])
        #expect(observer.value == ["a", "b"])
        server.fail(with: Refused())
        #expect(observer.value == ["a"])
    }

    @Test("An entry with a layer is kept while its mutation runs, and collected after")
    func keptWhileRunning() throws {
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        _ = lab.start { [client, definition = post(fetcher)] in try await client.fetch(definition) }
        fetcher.succeed(with: ["a"])
        for item in ["b", "c"] {
            _ = lab.mutate(appending(item, server))
        }
        lab.advance(by: .seconds(3600))
        #expect(client.value(of: post(fetcher)) == ["a", "b", "c"])
        server.succeed()
        server.fail(with: Refused())
        #expect(client.value(of: post(fetcher)) == ["a", "b"])
        lab.advance(by: .seconds(300))
        #expect(client.count == 0)
    }

    // MARK: Comparing with a plain model

    @Test(
        "concurrent mutations never clobber each other, in any order of ends and refetches", .rule("A22"),
        arguments: 1...20)
    func randomOrder(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        let (fetcher, server) = (lab.fetcher(returning: [String].self), MutationServer(lab))
        let observer = observed(fetcher)
        var (base, pending, next) = (["a"], [String](), 0)
        for _ in 0..<60 {
            switch random.below(4) {
            case 0, 1:
                next += 1
                pending.append("m\(next)")
                let mutation = appending("m\(next)", server)
                _ = lab.start { [client] in try await client.mutate(mutation) }
            case 2 where !pending.isEmpty:
                let position = random.below(pending.count)
                pending.remove(at: position)
                server.fail(position, with: Refused())
            case 3:
                next += 1
                base = ["server\(next)"]
                _ = lab.start { try await observer.refetch() }
                fetcher.succeed(with: base)
            default: break
            }
            let expected = base + pending
            #expect(observer.value == expected)
            #expect(observer.snapshot.isOptimistic == !pending.isEmpty)
        }
    }
}
