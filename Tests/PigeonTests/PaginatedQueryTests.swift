import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("paginated queries", .rule("B10"))
struct PaginatedQueryTests {
    let lab = QueryLab()
    let server: Server<Int, [Int]>

    init() {
        server = Server(lab)
    }

    @Test func `pages land in order, and the state stays at succeed while the next one loads`() {
        let numbers = lab.numbers(server)
        let log = StateLog(numbers)
        numbers.refetch(())
        server.succeed(with: [10, 11])
        numbers.fetchNextPage()
        #expect(numbers.isFetchingNextPage)
        #expect(numbers.state.value == [10, 11])
        server.succeed(with: [20])
        #expect(!numbers.isFetchingNextPage)
        #expect(numbers.items == [10, 11, 20])
        #expect(numbers.currentPage.current == 2)
        #expect(log.states == ["idle", "loading", "succeed([10, 11])", "succeed([10, 11, 20])"])
    }

    @Test func `asking twice for the next page loads it once`() {
        let numbers = lab.numbers(server, .startImmediately(()))
        server.succeed(with: [10])
        numbers.fetchNextPage()
        numbers.fetchNextPage()
        #expect(server.requests == [1, 2])
        server.succeed(with: [20])
        #expect(numbers.items == [10, 20])
    }

    @Test func `a page that fails shows in nextPageError, and is asked again as the same page`() {
        let numbers = lab.numbers(server, .startImmediately(()))
        server.succeed(with: [10])
        let log = StateLog(numbers)
        numbers.fetchNextPage()
        server.fail()
        #expect(numbers.nextPageError is Broken)
        #expect(numbers.state.value == [10])
        #expect(numbers.currentPage.current == 1)
        numbers.fetchNextPage()
        #expect(numbers.nextPageError == nil)
        server.succeed(with: [20])
        #expect(server.requests == [1, 2, 2])
        #expect(log.states == ["succeed([10])", "succeed([10, 20])"])
    }

    @Test func `a refetch goes back to the first page given`() {
        let numbers = lab.numbers(server, first: 5, .startImmediately(()))
        server.succeed(with: [50])
        numbers.fetchNextPage()
        server.succeed(with: [60])
        numbers.refetch(request: ())
        #expect(numbers.state.isLoading)
        #expect(numbers.items == [50, 60])
        server.succeed(with: [51])
        #expect(server.requests == [5, 6, 5])
        #expect(numbers.items == [51])
        #expect(numbers.currentPage.current == 5)
    }

    @Test func `an invalidation refreshes the pages that are there`() {
        let numbers = lab.numbers(server, .startImmediately(()))
        server.succeed(with: [10])
        numbers.fetchNextPage()
        server.succeed(with: [20])
        QueryInvalidator(client: lab.client).invalidateQuery(for: "numbers", with: .lastData)
        server.succeed(with: [11])
        server.succeed(with: [21])
        #expect(numbers.items == [11, 21])
    }

    @Test func `an empty page ends the list by default`() {
        let numbers = lab.numbers(server, .startImmediately(()))
        server.succeed(with: [10])
        #expect(numbers.hasNextPage)
        numbers.fetchNextPage()
        server.succeed(with: [])
        #expect(!numbers.hasNextPage)
        numbers.fetchNextPage()
        #expect(server.requests == [1, 2])
        #expect(numbers.items == [10])
    }

    @Test func `the fetcher's caller can say what the last page is`() {
        let (lab, server) = (lab, server)
        let numbers = NumberList(
            key: "numbers", firstPage: NumericPaginatedQueryKey(current: 1), behavior: .startImmediately(()),
            cache: InMemoryQueryCache(), client: lab.client, isLast: { page, _ in page.count < 2 }
        ) { _, page in server.fetch(page.current) }
        server.succeed(with: [10])
        #expect(!numbers.hasNextPage)
    }

    /// A page key that ends by itself.
    struct UpToThree: PaginatedQueryKey {
        var number = 1
        var queryKeyValue: String { String(number) }
        var first: UpToThree { UpToThree() }
        var next: UpToThree { UpToThree(number: number + 1) }
        var nextPage: UpToThree? { number < 3 ? next : nil }
    }

    @Test func `a page key can say where the list ends`() async throws {
        let pages = PaginatedQuery<Void, UpToThree, [Int]>(
            key: "numbers", firstPage: UpToThree(), behavior: .startImmediately(()), cache: InMemoryQueryCache(),
            client: lab.client
        ) { _, page in [page.number] }
        lab.settle()
        while pages.hasNextPage {
            pages.fetchNextPage()
            lab.settle()
        }
        #expect(pages.items == [1, 2, 3])
    }

    @Test func `a response that cannot be appended needs a merge function`() {
        let server = Server(lab, Int.self, Set<Int>.self)
        let pages = PaginatedQuery<Void, NumericPaginatedQueryKey, Set<Int>>(
            key: "set", firstPage: NumericPaginatedQueryKey(current: 0), behavior: .startImmediately(()),
            cache: InMemoryQueryCache(), client: lab.client, isLast: { page, _ in page.isEmpty },
            merge: { $0.formUnion($1) }
        ) { _, page in server.fetch(page.current) }
        server.succeed(with: [1, 2])
        pages.fetchNextPage()
        server.succeed(with: [2, 3])
        #expect(pages.state.value == [1, 2, 3])
    }

    @Test func `lists of different requests never show each other's pages`() {
        let server = Server(lab, String.self, [Int].self)
        let pages = PaginatedQuery<Int, NumericPaginatedQueryKey, [Int]>(
            key: "numbers", firstPage: NumericPaginatedQueryKey(current: 1),
            keyAdapter: { key, id in key.appending(id.description) }, cache: InMemoryQueryCache(), client: lab.client
        ) { request, page in server.fetch("\(request)-\(page.current)") }
        pages.refetch(request: 1)
        server.succeed(with: [1])
        pages.refetch(request: 2)
        #expect(pages.items == [])
        server.succeed(with: [2])
        #expect(pages.items == [2])
        #expect(pages.state.value == [2])
        pages.fetchNextPage()
        #expect(server.requests == ["1-1", "2-1", "2-2"])
    }

    @Test func `loading can be cancelled, first page and next`() {
        let numbers = lab.numbers(server, .startImmediately(()))
        numbers.cancel()
        #expect("\(numbers.state)" == "idle")
        numbers.refetch(())
        server.succeed(with: [10])
        numbers.fetchNextPage()
        numbers.cancel()
        #expect(!numbers.isFetchingNextPage)
        #expect(numbers.nextPageError == nil)
        #expect(server.cancelled == [0, 2])
        server.succeed(with: [20])
        #expect(numbers.items == [10])
        numbers.fetchNextPage()
        server.succeed(with: [21])
        #expect(numbers.items == [10, 21])
    }

    @Test func `the next page can be awaited`() async throws {
        let client = QueryClient()
        let numbers = NumberList(
            key: "numbers", firstPage: NumericPaginatedQueryKey(current: 1), behavior: .startImmediately(()),
            cache: InMemoryQueryCache(), client: client
        ) { _, page in [page.current] }
        #expect(try await numbers.nextPage() == [1, 2])
        #expect(numbers.items == [1, 2])
    }

    @Test func `page keys count as they say`() {
        #expect(NumericPaginatedQueryKey(current: 3).next.current == 4)
        #expect(NumericPaginatedQueryKey(current: 3).first.current == 0)
        #expect(NumericPaginatedQueryKey(current: 3).asQueryKey == "3")
        let page = LimitOffsetPaginatedQueryKey(limit: 20, offset: 40)
        #expect(page.next == LimitOffsetPaginatedQueryKey(limit: 20, offset: 60))
        #expect(page.first == LimitOffsetPaginatedQueryKey(limit: 20, offset: 0))
        #expect(page.queryKeyValue == "20_40")
    }
}

@MainActor
@Suite("Editing a paginated query's pages")
struct PageEditTests {
    @Test func `an edit of an early page shows in the items, the state and the cache`() async throws {
        let lab = QueryLab()
        let cache = InMemoryQueryCache()
        func list(_ lab: QueryLab) -> NumberList {
            NumberList(
                key: "numbers", firstPage: NumericPaginatedQueryKey(current: 1), behavior: .startImmediately(()),
                cache: cache, cacheConfig: .using(.useInsteadOfFetching), client: lab.client
            ) { _, page in [page.current] }
        }
        let numbers = list(lab)
        numbers.fetchNextPage()
        numbers.fetchNextPage()
        lab.settle()
        #expect(numbers.items == [1, 2, 3])
        let definition = QueryDefinition<Pages<[Int], NumericPaginatedQueryKey>>.value("numbers")
        lab.client.update(definition) { $0.updatePage(at: 0) { $0 = [10] } }
        #expect(numbers.items == [10, 2, 3])
        #expect(numbers.state.value == [10, 2, 3])
        let again = list(QueryLab())
        #expect(again.items == [10, 2, 3])
    }
}
