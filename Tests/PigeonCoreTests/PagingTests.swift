import PigeonCore
import PigeonTesting
import TestSupport
import Testing

/// The server of a list in pages. Each request waits until the test answers it.
final class PageServer: Sendable {
    typealias List = Pages<[String], Int>

    private let fetcher: ScriptedFetcher<[String]>
    private let ids = Locked<[Int]>([])

    init(_ lab: QueryLab) {
        fetcher = lab.fetcher(returning: [String].self)
    }

    /// The identifiers of all requests so far, in order.
    var asked: [Int] { ids.withLock { $0 } }
    /// Number of requests that wait for an answer.
    var pendingCount: Int { fetcher.pendingCount }

    func fetch(_ id: Int, _ context: PageContext<[String]>) async throws -> [String] {
        ids.withLock { $0.append(id) }
        return try await fetcher.fetch(FetchContext(run: context.run))
    }

    /// Answers the oldest waiting request.
    func answer(_ page: String...) { fetcher.succeed(with: page) }
    /// Answers the request with an index, counted from the first request of all.
    func answer(call: Int, _ page: String...) { fetcher.succeed(call, with: page) }
    func fail(with error: any Error) { fetcher.fail(with: error) }
    func fail(call: Int, with error: any Error) { fetcher.fail(call, with: error) }
    /// Answers all later requests at once.
    func answer(with make: @escaping @Sendable () throws -> [String]) { fetcher.answer { _ in try make() } }

    /// A list that begins at page 10. It ends at the first empty page above, and at page 0 below.
    func list(_ key: QueryKey = "posts", maxPages: Int? = nil) -> QueryDefinition<List> {
        QueryDefinition.pages(key: key, first: 10, maxPages: maxPages) { id, context in
            try await self.fetch(id, context)
        } next: { page, id in
            page.isEmpty ? nil : id + 1
        } previous: { _, id in
            id > 0 ? id - 1 : nil
        }
        .staleAfter(.never)
    }
}

@Suite("Loading pages")
struct PagingTests {
    private let lab = QueryLab()
    private let server: PageServer
    private var client: QueryClient { lab.client }
    private struct Refused: Error {}

    init() {
        server = PageServer(lab)
    }

    @Test("A list that is written during its first load is the answer for those who wait for its first page")
    func writtenBeforeItsFirstPage() throws {
        let page = lab.start { [client, server] in try await client.fetchNextPage(of: server.list()) }
        try client.set(PageServer.List([.init(id: 10, page: ["written"])], nextID: 11), for: server.list())
        lab.settle()
        #expect(page.value?.flatMap { $0 } == ["written"])
        #expect(!client.snapshot(of: server.list()).nextPage.isFetching)
    }

    private func observed(maxPages: Int? = nil) -> QueryObserver<PageServer.List> {
        let observer = client.observe(server.list(maxPages: maxPages))
        server.answer("a")
        return observer
    }

    private func next() -> LabTask<PageServer.List> {
        lab.start { [client, server] in try await client.fetchNextPage(of: server.list()) }
    }

    private func previous() -> LabTask<PageServer.List> {
        lab.start { [client, server] in try await client.fetchPreviousPage(of: server.list()) }
    }

    private func items(_ list: PageServer.List?) -> [String]? { list.map { $0.flatMap { $0 } } }

    @Test("a page is added at its end, with what it was asked by", .rule("T102"))
    func addsPages() {
        let observer = observed()
        #expect(observer.value?.ids == [10])
        let after = next()
        #expect(observer.snapshot.nextPage.isFetching)
        #expect(!observer.snapshot.isFetching, "a page load is no refetch (T110)")
        server.answer("b")
        #expect(items(after.value) == ["a", "b"])
        let before = previous()
        #expect(observer.snapshot.previousPage.isFetching && !observer.snapshot.nextPage.isFetching)
        server.answer("z")
        #expect(items(before.value) == ["z", "a", "b"])
        #expect(observer.value?.ids == [9, 10, 11])
        #expect(server.asked == [10, 11, 9])
    }

    @Test("with no page there yet, the first one is loaded; at the end, nothing is", .rule("T103"))
    func firstAndEnd() {
        let first = next()
        #expect(server.asked == [10])
        server.answer("a")
        #expect(items(first.value) == ["a"])
        let end = next()
        server.answer()
        #expect(end.value?.hasNext == false)
        let beyond = next()
        #expect(beyond.value?.ids == [10, 11])
        #expect(server.asked == [10, 11])
        #expect(client.snapshot(of: server.list()).nextPage.error == nil)
    }

    @Test(
        "a list that the program has written without pages has a first page to load", .rule("K16", "T103"),
        arguments: [false, true])
    func listWithoutPages(isObserved: Bool) throws {
        let observer = isObserved ? client.observe(server.list().options { $0.fetchesOnAttach = false }) : nil
        try client.set(PageServer.List(), for: server.list())
        let first = next()
        #expect(server.asked == [10])
        server.answer("a")
        #expect(items(first.value) == ["a"])
        let second = next()
        server.answer("b")
        #expect(items(second.value) == ["a", "b"] && server.asked == [10, 11])
        withExtendedLifetime(observer) {}
    }

    @Test(
        "a page that cannot be loaded of a list without pages is an error, and is asked for again", .rule("K16", "T103")
    )
    func listWithoutPagesFails() throws {
        try client.set(PageServer.List(), for: server.list())
        let failing = next()
        server.fail(with: Refused())
        #expect(failing.error is Refused)
        let again = next()
        server.answer("a")
        #expect(items(again.value) == ["a"] && server.asked == [10, 10])
    }

    @Test("prefetching fills a list without pages", .rule("K16", "T112"))
    func prefetchesListWithoutPages() throws {
        try client.set(PageServer.List(), for: server.list())
        server.answer { ["x"] }
        let task = lab.start { [client, server] in await client.prefetch(server.list(), pages: 3) }
        #expect(task.value != nil)
        #expect(client.value(of: server.list())?.ids == [10, 11, 12])
    }

    @Test(
        "a page load that is cancelled is an error for its caller, whatever pages there are", .rule("K20", "T47", "A33")
    )
    func cancelledPage() {
        let observer = observed()
        let page = next()
        client.cancel(.all)
        lab.settle()
        #expect(page.error is CancellationError)
        #expect(items(observer.value) == ["a"])
        let refresh = lab.start { [client, server] in try await client.refetch(server.list()) }
        client.cancel(.all)
        lab.settle()
        #expect(items(refresh.value) == ["a"], "a caller of the whole list receives what is there")
    }

    @Test("whether the list goes on follows from its last and first page", .rule("T104"))
    func goesOn() throws {
        let observer = observed()
        var list = try #require(observer.value)
        #expect(list.hasNext && list.hasPrevious)
        _ = next()
        server.answer()
        list = try #require(observer.value)
        #expect(!list.hasNext && list.hasPrevious)
    }

    @Test("a page load that is running is joined; the other direction goes at the same time", .rule("A23"))
    func joins() {
        let observer = observed()
        let nexts = [next(), next()]
        let before = previous()
        #expect(server.asked == [10, 11, 9])
        server.answer(call: 2, "z")
        #expect(items(before.value) == ["z", "a"])
        #expect(nexts.allSatisfy { $0.result == nil })
        server.answer(call: 1, "b")
        #expect(nexts.allSatisfy { items($0.value) == ["z", "a", "b"] })
        #expect(items(observer.value) == ["z", "a", "b"])
    }

    @Test("a page asked for during a refresh waits for it", .rule("A24"))
    func waitsForRefresh() {
        let observer = observed()
        let refresh = lab.start { try await observer.refetch() }
        let after = next()
        #expect(server.asked == [10, 10])
        #expect(observer.snapshot.nextPage.isFetching)
        server.answer("A")
        #expect(items(refresh.value) == ["A"])
        #expect(server.asked == [10, 10, 11])
        server.answer("B")
        #expect(items(after.value) == ["A", "B"])
    }

    @Test(
        "a refresh asked for during a page load makes its answer stale, and has the page asked for again",
        .rule("A24", "A33"))
    func refreshSupersedes() {
        let observer = observed()
        let after = next()
        client.invalidate(.path("posts"))
        lab.settle()
        #expect(server.asked == [10, 11, 10])
        server.answer(call: 1, "late")
        #expect(items(observer.value) == ["a"])
        server.answer(call: 2, "A")
        #expect(items(observer.value) == ["A"])
        #expect(after.result == nil)
        #expect(observer.value?.nextID == 11)
        #expect(server.asked == [10, 11, 10, 11])
        server.answer("B")
        #expect(items(after.value) == ["A", "B"])
        #expect(!observer.snapshot.nextPage.isFetching)
    }

    @Test(
        "a failed page is asked for again as the same page; the pages stay and the direction says so",
        .rule("A25", "A26"))
    func failedPage() {
        let observer = observed()
        let failing = next()
        server.fail(with: Refused())
        #expect(failing.error is Refused)
        #expect(items(observer.value) == ["a"])
        #expect(observer.snapshot.nextPage.error is Refused)
        #expect(observer.snapshot.previousPage.error == nil)
        #expect(observer.snapshot.error == nil)
        #expect(!observer.snapshot.isInvalidated)
        let again = next()
        #expect(observer.snapshot.nextPage.error == nil)
        server.answer("b")
        #expect(items(again.value) == ["a", "b"])
        #expect(server.asked == [10, 11, 11])
    }

    @Test("a failed page is retried as the same page, by the definition's policy", .rule("A25"))
    func retriesPage() {
        struct Busy: TransientErrorType { var statusCode: Int? { 503 } }
        let list = server.list().retry(RetryPolicy(limit: 1, hasJitter: false))
        let observer = client.observe(list)
        server.answer("a")
        let after = lab.start { [client] in try await client.fetchNextPage(of: list) }
        server.fail(with: Busy())
        #expect(observer.snapshot.nextPage.isFetching)
        lab.advance(by: .seconds(1))
        #expect(server.asked == [10, 11, 11])
        server.answer("b")
        #expect(items(after.value) == ["a", "b"])
    }

    @Test("of more pages than are kept, those at the far end go, and can be loaded again", .rule("T108"))
    func maxPages() throws {
        let observer = observed(maxPages: 2)
        let list = server.list(maxPages: 2)
        for page in ["b", "c"] {
            _ = lab.start { [client] in try await client.fetchNextPage(of: list) }
            server.answer(page)
        }
        #expect(observer.value?.ids == [11, 12])
        #expect(observer.value?.previousID == 10)
        for page in ["a", "z"] {
            _ = lab.start { [client] in try await client.fetchPreviousPage(of: list) }
            server.answer(page)
        }
        #expect(observer.value?.ids == [9, 10])
        #expect(observer.value?.nextID == 11)
        #expect(items(observer.value) == ["z", "a"])
        _ = lab.start { try await observer.refetch() }
        server.answer("Z")
        server.answer("A")
        #expect(server.asked.suffix(2) == [9, 10], "a refresh covers only what is kept")
    }

    @Test("a page that lands after its neighbour was dropped leaves no hole in the list", .rule("T108"))
    func noHole() {
        let observer = observed(maxPages: 2)
        let list = server.list(maxPages: 2)
        _ = lab.start { [client] in try await client.fetchNextPage(of: list) }
        server.answer("b")
        let after = lab.start { [client] in try await client.fetchNextPage(of: list) }
        let before = lab.start { [client] in try await client.fetchPreviousPage(of: list) }
        server.answer(call: 2, "c")
        #expect(observer.value?.ids == [11, 12])
        server.answer(call: 3, "z")
        #expect(observer.value?.ids == [11, 12], "it does not follow any more")
        #expect(server.asked.last == 10)
        server.answer("a")
        #expect(observer.value?.ids == [10, 11], "the page before those that are there, which is asked for instead")
        #expect(after.result != nil && before.result != nil)
        #expect(!observer.snapshot.previousPage.isFetching)
    }

    @Test("A page of a query that has none is refused")
    func notPaged() throws {
        let definition = QueryDefinition<PageServer.List>.value("plain")
        let task = lab.start { [client] in try await client.fetchNextPage(of: definition) }
        #expect(task.error as? QueryError == .notPaged(key: "plain"))
        let restart = lab.start { [client] in try await client.restart(definition) }
        #expect(restart.error as? QueryError == .noFetcher(key: "plain"))
        #expect(client.snapshot(of: definition).activity == .idle)
    }

    @Test("cancelling a key cancels its page loads, and leaves the pages", .rule("T47"))
    func cancelKey() {
        let lab = QueryLab()
        let server = PageServer(lab)
        let list = server.list()
        let first = lab.start { try await lab.client.fetch(list) }
        server.answer("a")
        let next = lab.start { try await lab.client.fetchNextPage(of: list) }
        lab.client.cancel(.all)
        lab.settle()
        #expect(first.value?.count == 1)
        #expect(next.error is CancellationError, "not success without the page (A33)")
        #expect(server.pendingCount == 0)
        #expect(!lab.client.snapshot(of: list).nextPage.isFetching)
    }

    @Test("One that stops waiting for a page leaves the load to the others")
    func cancelWaiter() {
        let observer = observed()
        let tasks = [next(), next()]
        tasks[0].cancel()
        #expect(tasks[0].error is CancellationError)
        server.answer("b")
        #expect(items(tasks[1].value) == ["a", "b"])
        #expect(items(observer.value) == ["a", "b"])
    }

    @Test("Offline a page waits for the network, and is not lost when the list is refreshed on the way")
    func offline() {
        let observer = client.observe(server.list().staleAfter(.zero))
        server.answer("a")
        lab.setOnline(false)
        let after = next()
        #expect(server.asked == [10])
        #expect(observer.snapshot.nextPage.isFetching)
        lab.setOnline(true)
        #expect(server.asked == [10, 10])
        server.answer("A")
        server.answer("B")
        #expect(items(after.value) == ["A", "B"])
        #expect(server.asked == [10, 10, 11])
    }

    @Test("A list whose page is waited for is not evicted")
    func notEvicted() {
        let list = server.list().retry(RetryPolicy(limit: 1, hasJitter: false))
        struct Busy: TransientErrorType { var statusCode: Int? { 503 } }
        _ = lab.start { [client] in try await client.fetch(list) }
        server.answer("a")
        let after = lab.start { [client] in try await client.fetchNextPage(of: list) }
        client.dropUnobserved()
        server.fail(with: Busy())
        client.dropUnobserved()
        lab.setOnline(false)
        lab.advance(by: .seconds(1))
        client.dropUnobserved()
        lab.setOnline(true)
        server.answer("b")
        #expect(items(after.value) == ["a", "b"])
        client.dropUnobserved()
        #expect(client.count == 0)
    }

    @Test("Adding a page is a change of value, and does not renew the age of the others")
    func age() {
        let observer = observed()
        lab.advance(by: .seconds(10))
        let version = observer.snapshot.valueVersion
        _ = next()
        server.answer("b")
        #expect(observer.snapshot.age == .seconds(10))
        #expect(observer.snapshot.valueVersion > version)
    }

    @Test("An optimistic change of a list stays over a page that lands")
    func optimistic() {
        let observer = observed()
        let mutations = MutationServer(lab)
        var mutation = ScriptedMutation(mutations)
        mutation.edits = { $0.update(QueryDefinition<PageServer.List>.value("posts")) { $0 = $0.shouting() } }
        _ = lab.mutate(mutation)
        #expect(items(observer.value) == ["A"])
        _ = next()
        server.answer("b")
        #expect(items(observer.value) == ["A", "B"])
        mutations.fail(with: Refused())
        #expect(items(observer.value) == ["a", "b"])
    }
}

extension PageServer.List {
    fileprivate func shouting() -> Self {
        let pages = indices.map { Loaded(id: loaded(at: $0).id, page: self[$0].map { $0.uppercased() }) }
        return Pages(pages, nextID: nextID, previousID: previousID)
    }
}
