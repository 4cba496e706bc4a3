import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Refreshing pages")
struct PageRefreshTests {
    private let lab = QueryLab()
    private let server: PageServer
    private var client: QueryClient { lab.client }
    private struct Refused: Error {}
    private struct Busy: TransientErrorType { var statusCode: Int? { 503 } }

    init() {
        server = PageServer(lab)
    }

    private func observed(
        _ pages: [String], _ change: (QueryDefinition<PageServer.List>) -> QueryDefinition<PageServer.List> = { $0 }
    ) -> QueryObserver<PageServer.List> {
        let list = change(server.list())
        let observer = client.observe(list)
        for (position, page) in pages.enumerated() {
            if position > 0 {
                _ = lab.start { [client] in try await client.fetchNextPage(of: list) }
            }
            server.answer(page)
        }
        return observer
    }

    private func items(_ list: PageServer.List?) -> [String]? { list.map { $0.flatMap { $0 } } }

    @Test("pages are refreshed one after the other from the first stored, and shown all at once", .rule("T105"))
    func sequential() {
        let observer = observed(["a", "b", "c"])
        _ = lab.start { [client, server] in try await client.fetchPreviousPage(of: server.list()) }
        server.answer("z")
        let before = server.asked.count
        let version = observer.snapshot.valueVersion
        let task = lab.start { try await observer.refetch() }
        for page in ["Z", "A", "B", "C"] {
            #expect(server.pendingCount == 1)
            #expect(items(observer.value) == ["z", "a", "b", "c"])
            server.answer(page)
        }
        #expect(server.asked.dropFirst(before) == [9, 10, 11, 12])
        #expect(items(task.value) == ["Z", "A", "B", "C"])
        #expect(observer.snapshot.valueVersion == version + 1)
        #expect(observer.value?.previousID == 8)
        #expect(observer.value?.nextID == 13)
    }

    @Test("a page load that waits for a refresh is not paused, and is if the refresh is", .rule("A96"))
    func waitingIsNotPaused() {
        let observer = observed(["a"])
        _ = lab.start { try await observer.refetch() }
        _ = lab.start { [client, server] in try await client.fetchNextPage(of: server.list()) }
        #expect(observer.snapshot.nextPage.isFetching && !observer.snapshot.nextPage.isPaused)
        server.answer("A")
        server.answer("B")
        #expect(items(observer.value) == ["A", "B"])
        lab.setOnline(false)
        _ = lab.start { try await observer.refetch() }
        _ = lab.start { [client, server] in try await client.fetchNextPage(of: server.list()) }
        #expect(observer.snapshot.isPaused && observer.snapshot.nextPage.isPaused)
    }

    @Test("ids come from the pages as they are now, so a list that ended earlier shrinks", .rule("T105"))
    func shrinks() {
        let observer = observed(["a", "b", "c"])
        _ = lab.start { try await observer.refetch() }
        server.answer("A")
        server.answer()
        #expect(server.pendingCount == 0)
        #expect(observer.value?.ids == [10, 11])
        #expect(observer.value?.hasNext == false)
    }

    @Test("a failure on any page leaves all the old ones", .rule("T106"), arguments: 0..<3)
    func failure(page: Int) {
        let observer = observed(["a", "b", "c"])
        let task = lab.start { try await observer.refetch() }
        for _ in 0..<page { server.answer("new") }
        server.fail(with: Refused())
        #expect(task.error is Refused)
        #expect(items(observer.value) == ["a", "b", "c"])
        #expect(observer.snapshot.error is Refused)
        #expect(observer.snapshot.isStale)
        #expect(observer.value?.nextID == 13)
    }

    @Test("a retry goes on at the page that failed", .rule("T107"))
    func retry() {
        let observer = observed(["a", "b", "c"]) { $0.retry(RetryPolicy(limit: 2, hasJitter: false)) }
        let before = server.asked.count
        let task = lab.start { try await observer.refetch() }
        server.answer("A")
        server.fail(with: Busy())
        lab.advance(by: .seconds(1))
        server.fail(with: Busy())
        lab.advance(by: .seconds(2))
        server.answer("B")
        server.answer("C")
        #expect(items(task.value) == ["A", "B", "C"])
        #expect(server.asked.dropFirst(before) == [10, 11, 11, 11, 12])
    }

    @Test("a refresh asked anew begins at the first page", .rule("T107"))
    func anew() {
        let observer = observed(["a", "b"])
        _ = lab.start { try await observer.refetch() }
        server.answer("A")
        server.fail(with: Refused())
        let before = server.asked.count
        _ = lab.start { try await observer.refetch() }
        server.answer("1")
        server.answer("2")
        #expect(server.asked.dropFirst(before) == [10, 11])
        #expect(items(observer.value) == ["1", "2"])
    }

    @Test("a refresh that is cancelled between pages asks for no more", .rule("T111"))
    func cancelled() {
        let observer = observed(["a", "b", "c"])
        let task = lab.start { try await observer.refetch() }
        server.answer("A")
        let asked = server.asked.count
        client.cancel(.key("posts"))
        lab.settle()
        #expect(items(task.value) == ["a", "b", "c"])
        #expect(server.asked.count == asked)
        #expect(server.pendingCount == 0)
        #expect(items(observer.value) == ["a", "b", "c"])
    }

    @Test("Starting again loads the first page and forgets the others")
    func restart() {
        let observer = observed(["a", "b"])
        let task = lab.start { [client, server] in try await client.restart(server.list()) }
        #expect(items(observer.value) == ["a", "b"], "the old ones show until it is there")
        server.answer("A")
        #expect(items(task.value) == ["A"])
        #expect(observer.value?.ids == [10])
        #expect(observer.value?.nextID == 11)
    }

    @Test("A list that is reset starts again at its first page")
    func reset() {
        let observer = observed(["a", "b"])
        _ = lab.start { [client, server] in try await client.fetchPreviousPage(of: server.list()) }
        server.answer("z")
        client.reset(.key("posts"))
        lab.settle()
        #expect(server.asked.last == 10)
        server.answer("A")
        #expect(observer.value?.ids == [10])
    }

    @Test("A reset or a removal ends page loads, and tells who waits")
    func resetDuringLoad() {
        let observer = observed(["a"])
        let next = lab.start { [client, server] in try await client.fetchNextPage(of: server.list()) }
        client.reset(.key("posts"))
        lab.settle()
        server.answer("A")
        #expect(next.result != nil)
        let again = lab.start { [client, server] in try await client.fetchNextPage(of: server.list()) }
        client.remove(.key("posts"))
        lab.settle()
        #expect(again.error is CancellationError)
        #expect(observer.value == nil)
        #expect(server.pendingCount == 0)
    }

    @Test("the first pages can be had ready, and no more than there are", .rule("T112"))
    func prefetch() {
        let task = lab.start { [client, server] in await client.prefetch(server.list(), pages: 3) }
        server.answer("a")
        server.answer("b")
        server.answer("c")
        #expect(task.result != nil)
        #expect(client.value(of: server.list())?.ids == [10, 11, 12])
        let short = lab.start { [client, server] in await client.prefetch(server.list("short"), pages: 5) }
        server.answer("a")
        server.answer()
        #expect(short.result != nil)
        #expect(client.value(of: server.list("short"))?.ids == [10, 11])
        let failing = lab.start { [client, server] in await client.prefetch(server.list("failing"), pages: 5) }
        server.answer("a")
        server.fail(with: Refused())
        #expect(failing.result != nil)
        #expect(client.value(of: server.list("failing"))?.ids == [10])
    }

    @Test("A paged list is persisted page by page and goes on where it ended")
    func persisted() throws {
        let store = RecordStoreDouble()
        let first = QueryLab(cache: store)
        let server = PageServer(first)
        _ = first.start { [client = first.client] in try await client.fetchNextPage(of: server.list().persisted()) }
        server.answer("a")
        _ = first.start { [client = first.client] in try await client.fetchNextPage(of: server.list().persisted()) }
        server.answer("b")
        first.advance(by: .milliseconds(100))
        let second = QueryLab(cache: store)
        let other = PageServer(second)
        let observer = second.client.observe(other.list().persisted())
        #expect(items(observer.value) == ["a", "b"])
        let next = second.start { [client = second.client] in
            try await client.fetchNextPage(of: other.list().persisted())
        }
        #expect(other.asked == [12])
        other.answer("c")
        #expect(items(next.value) == ["a", "b", "c"])
    }
}
