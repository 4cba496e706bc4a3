import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Page loads beside refreshes")
struct PageOrderTests {
    private let lab = QueryLab()
    private let server: PageServer
    private var client: QueryClient { lab.client }

    init() {
        server = PageServer(lab)
    }

    private func next(_ list: QueryDefinition<PageServer.List>) -> LabTask<PageServer.List> {
        lab.start { [client] in try await client.fetchNextPage(of: list) }
    }

    @Test("a list that is polled more often than a page takes shows the page, which is asked for once", .rule("E1"))
    func polling() throws {
        let list = server.list().poll(every: .seconds(1))
        let observer = client.observe(list)
        server.answer("a")
        let page = next(list)
        for _ in 0..<5 { lab.advance(by: .seconds(1)) }
        #expect(server.asked == [10, 11])
        server.answer("b")
        #expect(page.value?.ids == [10, 11])
        #expect(observer.value?.flatMap { $0 } == ["a", "b"])
        lab.advance(by: .seconds(1))
        #expect(server.asked == [10, 11, 10], "polling goes on after it")
    }

    @Test("what comes by itself joins a page load", .rule("E1"), arguments: ["observer", "foreground", "reconnect"])
    func automatic(_ cause: String) {
        let list = server.list().staleAfter(.zero)
        let first = client.observe(list)
        server.answer("a")
        let page = next(list)
        var second: QueryObserver<PageServer.List>?
        switch cause {
        case "observer": second = client.observe(list)
        case "foreground":
            lab.setActive(false)
            lab.advance(by: .seconds(10))
            lab.setActive(true)
        default:
            lab.setOnline(false)
            lab.setOnline(true)
        }
        #expect(server.asked == [10, 11])
        server.answer("b")
        #expect(page.value?.ids == [10, 11])
        #expect(first.value?.count == 2)
        #expect(second?.value?.count ?? 2 == 2)
    }

    @Test(
        "a refresh that is asked for goes first, and the page is asked for again from the list as it is then",
        .rule("E1"))
    func explicit() {
        let list = server.list()
        let observer = client.observe(list)
        server.answer("a")
        let page = next(list)
        client.invalidate(.key("posts"))
        #expect(observer.snapshot.nextPage.isFetching)
        server.answer(call: 1, "late")
        server.answer("A")
        #expect(page.result == nil)
        #expect(server.asked == [10, 11, 10, 11])
        server.answer("B")
        #expect(page.value?.flatMap { $0 } == ["A", "B"])
        #expect(observer.value?.flatMap { $0 } == ["A", "B"])
    }

    @Test("a loop over all pages ends, though the list is polled and refreshed meanwhile", .rule("E1"))
    func loop() {
        let (list, server) = (server.list().poll(every: .seconds(1)), server)
        let observer = client.observe(list)
        server.answer("a")
        let loop = lab.start { [client] in
            var calls = 0
            while client.value(of: list)?.hasNext == true {
                try await client.fetchNextPage(of: list)
                calls += 1
            }
            return calls
        }
        for page in ["b", "c", ""] {
            lab.advance(by: .seconds(3))
            if page == "c" { client.invalidate(.key("posts")) }
            while server.asked.last.map({ $0 < (observer.value?.count ?? 0) + 10 }) == true, server.pendingCount > 0 {
                server.answer("again")
            }
            guard server.pendingCount > 0 else { continue }
            if page.isEmpty { server.answer() } else { server.answer(page) }
        }
        #expect(loop.value == 3)
        #expect(observer.value?.hasNext == false)
    }

    @Test(
        "whoever awaits a page never gets the list without it", .rule("E1"),
        arguments: ["cancel", "reset", "remove", "clear"])
    func noSuccessWithoutPage(_ end: String) {
        let list = server.list()
        let observer = client.observe(list)
        server.answer("a")
        let page = next(list)
        switch end {
        case "cancel": client.cancel(.key("posts"))
        case "reset": client.reset(.key("posts"))
        case "remove": client.remove(.key("posts"))
        default: _ = lab.start { [client] in try await client.clear() }
        }
        lab.settle()
        #expect(page.error is CancellationError)
        withExtendedLifetime(observer) {}
    }

    @Test("a page of a list that the program replaced meanwhile is asked for again, from the new list", .rule("E2"))
    func replaced() throws {
        let list = server.list()
        let observer = client.observe(list)
        server.answer("a")
        for page in ["b", "c"] {
            _ = next(list)
            server.answer(page)
        }
        let page = next(list)
        let first = Pages<[String], Int>.Loaded(id: 10, page: ["A"])
        try client.set(Pages([first], nextID: 11), for: list)
        server.answer("d")
        #expect(observer.value?.ids == [10])
        #expect(server.asked == [10, 11, 12, 13, 11])
        server.answer("B")
        #expect(page.value?.ids == [10, 11])
        #expect(observer.value?.flatMap { $0 } == ["A", "B"])
    }

    @Test("an edit of a page that is there does not keep the next one from landing", .rule("E2"), arguments: [0, 1])
    func edited(_ position: Int) {
        let list = server.list()
        let observer = client.observe(list)
        server.answer("a")
        _ = next(list)
        server.answer("b")
        let page = next(list)
        client.update(list) { $0.updatePage(at: position) { $0 = ["edited"] } }
        server.answer("c")
        #expect(page.value?.ids == [10, 11, 12])
        #expect(observer.value?[position] == ["edited"])
    }

    @Test("a time limit ends a page load", .rule("E13"))
    func timeLimit() {
        let list = server.list().timeLimit(.seconds(5))
        let observer = client.observe(list)
        server.answer("a")
        let page = next(list)
        lab.advance(by: .seconds(5))
        #expect(page.error as? QueryError == .timedOut(key: "posts", limit: .seconds(5)))
        #expect(observer.snapshot.nextPage.error as? QueryError == .timedOut(key: "posts", limit: .seconds(5)))
        #expect(observer.value?.count == 1)
    }

    @Test("a page load is retried in the foreground and with a network only", .rule("E13"), arguments: [true, false])
    func retriesWait(_ isBackground: Bool) {
        let list = server.list().retry(RetryPolicy(limit: 2, delay: { _ in .seconds(1) }))
        let observer = client.observe(list)
        server.answer("a")
        let page = next(list)
        server.fail(with: Status(503))
        if isBackground { lab.setActive(false) } else { lab.setOnline(false) }
        lab.advance(by: .seconds(2))
        #expect(server.asked == [10, 11])
        if isBackground { lab.setActive(true) } else { lab.setOnline(true) }
        #expect(server.asked == [10, 11, 11])
        server.answer("b")
        #expect(page.value?.ids == [10, 11])
        withExtendedLifetime(observer) {}
    }

    @Test(
        "a page load that nobody waits for any more ends as its definition says", .rule("E13"),
        arguments: [true, false])
    func abandoned(_ cancels: Bool) {
        let list = cancels ? server.list().whenAbandoned(.cancel) : server.list()
        var observer: QueryObserver<PageServer.List>? = client.observe(list)
        server.answer("a")
        let page = next(list)
        page.cancel()
        #expect(server.pendingCount == 1, "somebody observes")
        withExtendedLifetime(observer) {}
        observer = nil
        #expect(server.pendingCount == (cancels ? 0 : 1))
    }

    @Test("a restart that an invalidation joins still forgets the other pages", .rule("E13"))
    func restart() {
        let list = server.list()
        let observer = client.observe(list)
        server.answer("a")
        _ = next(list)
        server.answer("b")
        let restart = lab.start { [client] in try await client.restart(list) }
        client.invalidate(.key("posts"))
        server.answer(call: 2, "late")
        server.answer("A")
        #expect(restart.value?.ids == [10])
        #expect(observer.value?.flatMap { $0 } == ["A"])
    }
}

@Suite("What happened after an answer was asked for")
struct AskOrderTests {
    private let lab = QueryLab()
    private var client: QueryClient { lab.client }

    private func list(_ fetcher: ScriptedFetcher<[Int]>) -> QueryDefinition<[Int]> {
        QueryDefinition("list", fetch: fetcher.fetch).staleAfter(.never)
    }

    private func appending(_ item: Int, _ server: MutationServer) -> ScriptedMutation {
        var mutation = ScriptedMutation(server)
        mutation.edits = { $0.update(QueryDefinition<[Int]>.value("list")) { $0.append(item) } }
        return mutation
    }

    @Test("a confirmed change stays when another mutation edits what is cached", .rule("E3"))
    func editOfMutation() {
        let (fetcher, server) = (lab.fetcher(returning: [Int].self), MutationServer(lab))
        let observer = client.observe(list(fetcher))
        fetcher.succeed(with: [1])
        _ = lab.mutate(appending(2, server))
        var second = appending(3, server)
        second.writes = { _, writes in writes.update(QueryDefinition<[Int]>.value("list")) { $0.append(3) } }
        _ = lab.mutate(second)
        server.succeed()
        server.succeed()
        #expect(observer.value == [1, 2, 3])
        #expect(!observer.snapshot.isOptimistic)
    }

    @Test(
        "a confirmed change stays when the program edits during a refetch", .rule("E3"),
        arguments: [WritePolicy.keep, .fetchWins])
    func editDuringRefetch(_ policy: WritePolicy) {
        let (fetcher, server) = (lab.fetcher(returning: [Int].self), MutationServer(lab))
        let definition = list(fetcher)
        let observer = client.observe(definition)
        fetcher.succeed(with: [1])
        _ = lab.mutate(appending(2, server))
        _ = lab.start { try await observer.refetch() }
        server.succeed()
        client.update(definition, during: policy) { $0.append(9) }
        #expect(observer.value?.sorted() == [1, 2, 9])
        while fetcher.pendingCount > 0 {
            #expect(observer.value?.contains(2) == true)
            fetcher.succeed(with: fetcher.pendingCount > 1 ? [1] : [1, 2, 9])
        }
        #expect(observer.value == [1, 2, 9])
    }

    @Test("an invalidation during the first load has the entry fetched once more, or leaves it stale", .rule("E4"))
    func invalidatedFirstLoad() {
        for scope in [RefetchScope.active, .all, .none] {
            let (lab, fetches) = (QueryLab(), scope == .none ? 1 : 2)
            let fetcher = lab.fetcher(returning: Int.self)
            let observer = lab.client.observe(QueryDefinition("count", fetch: fetcher.fetch).staleAfter(.never))
            lab.client.invalidate(.key("count"), refetch: scope)
            fetcher.succeed(with: 1)
            #expect(observer.value == 1)
            #expect(observer.snapshot.isInvalidated)
            #expect(fetcher.calls.count == fetches)
            guard scope != .none else { continue }
            #expect(observer.snapshot.cause == .invalidated(by: .requested))
            fetcher.succeed(with: 2)
            #expect(observer.value == 2)
            #expect(!observer.snapshot.isInvalidated)
            #expect(fetcher.calls.count == fetches, "once")
        }
    }

    @Test("an invalidation during a first load that fails has it fetched once more", .rule("E4"))
    func invalidatedFailingLoad() {
        let fetcher = lab.fetcher(returning: Int.self)
        let observer = client.observe(QueryDefinition("count", fetch: fetcher.fetch).staleAfter(.never))
        client.invalidate(.key("count"))
        fetcher.fail(with: Status(500))
        fetcher.succeed(with: 2)
        #expect(observer.value == 2)
    }

    @Test("an edit stays over the answer of a fetch asked before, and is followed by another fetch", .rule("A32"))
    func editOverFetch() {
        let fetcher = lab.fetcher(returning: [Int].self)
        let definition = list(fetcher)
        let observer = client.observe(definition)
        fetcher.succeed(with: [1])
        _ = lab.start { try await observer.refetch() }
        client.update(definition) { $0.append(9) }
        fetcher.succeed(with: [1, 2])
        #expect(observer.value == [1, 9])
        fetcher.succeed(with: [1, 2, 9])
        #expect(observer.value == [1, 2, 9])
        #expect(!observer.snapshot.isInvalidated)
    }

    @Test(
        "a value that the program writes stays over the answer of a fetch asked before, and nothing follows",
        .rule("A32"))
    func writeOverFetch() throws {
        let fetcher = lab.fetcher(returning: [Int].self)
        let definition = list(fetcher)
        let observer = client.observe(definition)
        try client.set([9], for: definition)
        fetcher.succeed(with: [1])
        #expect(observer.value == [9])
        #expect(!observer.snapshot.isFetching && !observer.snapshot.isInvalidated)
    }

    @Test("a change that is confirmed while a refetch runs is in the file after the next flush", .rule("E11"))
    func confirmedOnDisk() throws {
        let store = RecordStoreDouble()
        let lab = QueryLab(cache: store)
        let (fetcher, server) = (lab.fetcher(returning: [Int].self), MutationServer(lab))
        let definition = list(fetcher).persisted()
        let observer = lab.client.observe(definition)
        fetcher.succeed(with: [1])
        let mutations = [appending(2, server), appending(3, server)]
        for mutation in mutations { _ = lab.start { try await lab.client.mutate(mutation) } }
        _ = lab.start { try await observer.refetch() }
        server.succeed()
        _ = lab.start { await lab.client.flush() }
        #expect(observer.value == [1, 2, 3])
        let next = QueryLab(cache: store)
        #expect(next.client.observe(list(next.fetcher(returning: [Int].self)).persisted()).value == [1, 2])
    }

    @Test("a change that is confirmed after an answer that had it already is shown once in the end", .rule("E14"))
    func answerHadIt() {
        let store = RecordStoreDouble()
        let lab = QueryLab(cache: store)
        let (fetcher, server) = (lab.fetcher(returning: [Int].self), MutationServer(lab))
        let observer = lab.client.observe(list(fetcher).persisted())
        fetcher.succeed(with: [1])
        let mutation = appending(2, server)
        _ = lab.start { try await lab.client.mutate(mutation) }
        _ = lab.start { try await observer.refetch() }
        fetcher.succeed(with: [1, 2])
        server.succeed()
        #expect(observer.snapshot.cause == .invalidated(by: .mutation("ScriptedMutation")))
        _ = lab.start { await lab.client.flush() }
        #expect((try? store.record(for: "list"))?.isStale == true, "the next process fetches what may be wrong")
        fetcher.succeed(with: [1, 2])
        #expect(observer.value == [1, 2])
        #expect(!observer.snapshot.isInvalidated)
        #expect(fetcher.pendingCount == 0)
    }

    @Test("the same for an answer that is still on its way when the change is confirmed", .rule("E14"))
    func answerOnItsWay() {
        let (fetcher, server) = (lab.fetcher(returning: [Int].self), MutationServer(lab))
        let observer = client.observe(list(fetcher))
        fetcher.succeed(with: [1])
        _ = lab.mutate(appending(2, server))
        _ = lab.start { try await observer.refetch() }
        server.succeed()
        while fetcher.pendingCount > 0 { fetcher.succeed(with: [1, 2]) }
        #expect(observer.value == [1, 2])
        #expect(!observer.snapshot.isOptimistic && !observer.snapshot.isInvalidated)
    }

    @Test("a change that no answer can have yet is not fetched again for it", .rule("E14"))
    func unambiguous() {
        let (fetcher, server) = (lab.fetcher(returning: [Int].self), MutationServer(lab))
        let observer = client.observe(list(fetcher))
        fetcher.succeed(with: [1])
        _ = lab.mutate(appending(2, server))
        server.succeed()
        #expect(observer.value == [1, 2])
        #expect(fetcher.pendingCount == 0)
        #expect(!observer.snapshot.isInvalidated)
    }

    @Test("a mutation that was begun before a sign-out puts no optimistic change on after it", .rule("E16"))
    func layerAfterClear() throws {
        let server = MutationServer(lab)
        let cleared = Locked<LabTask<Void>?>(nil)
        var mutation = ScriptedMutation(server)
        mutation.edits = { [lab, client] edits in
            // The client is cleared while the mutation prepares its optimistic edits.
            cleared.withLock { $0 = lab.start { try await client.clear() } }
            edits.set([2], for: QueryDefinition<[Int]>.value("list"))
        }
        let observer = client.observe(QueryDefinition<[Int]>.value("list"))
        let task = lab.mutate(mutation)
        #expect(cleared.withLock { $0?.value } != nil)
        #expect(observer.value == nil)
        #expect(server.pendingCount == 0, "nor does it reach the server")
        #expect(task.error is CancellationError)
    }

    @Test("a cached value that the server says has not changed counts as fetched", .rule("E13"))
    func notModified() throws {
        let store = RecordStoreDouble()
        try store.put([1], for: "list", savedAt: .distantPast)
        let lab = QueryLab(cache: store)
        let fetcher = lab.fetcher(returning: [Int].self)
        let observer = lab.client.observe(list(fetcher).persisted().staleAfter(.zero))
        fetcher.notModified()
        #expect(observer.value == [1])
        #expect(observer.snapshot.isFetched)
    }
}
