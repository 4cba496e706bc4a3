import Foundation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("the cache of a paginated query", .rule("B10"))
struct PaginatedCacheTests {
    let cache = InMemoryQueryCache()

    /// Loads so many pages in a program that then ends.
    private func firstRun(pages: Int) {
        let lab = QueryLab()
        let server = Server(lab, Int.self, [Int].self)
        let numbers = lab.numbers(server, .startImmediately(()), cache: cache)
        server.succeed(with: [10])
        for page in 2..<(pages + 1) {
            numbers.fetchNextPage()
            server.succeed(with: [page * 10])
        }
    }

    @Test func `it is cached page by page`() {
        firstRun(pages: 3)
        // Three pages, and the list's own record of where they lie.
        #expect(cache.count == 4)
    }

    @Test func `it is there after a restart, before any request, and goes on where it ended`() {
        firstRun(pages: 3)
        let lab = QueryLab()
        let server = Server(lab, Int.self, [Int].self)
        let numbers = lab.numbers(server, config: .using(.useInsteadOfFetching, for: 1000), cache: cache)
        #expect(numbers.state.value == [10, 20, 30])
        numbers.refetch(())
        #expect(server.callCount == 0)
        numbers.fetchNextPage()
        #expect(server.requests == [4])
        server.succeed(with: [40])
        #expect(numbers.items == [10, 20, 30, 40])
    }

    @Test func `it is fetched again once its time is over`() {
        firstRun(pages: 2)
        let lab = QueryLab()
        lab.advance(by: .seconds(1000))
        let server = Server(lab, Int.self, [Int].self)
        let numbers = lab.numbers(
            server, .startImmediately(()), config: .using(.useInsteadOfFetching, for: 1000), cache: cache)
        #expect(numbers.state.isLoading)
        server.succeed(with: [11])
        #expect(numbers.items == [11])
    }

    @Test func `under useIfFetchFails it is shown when the fetch fails`() {
        firstRun(pages: 2)
        let lab = QueryLab()
        let server = Server(lab, Int.self, [Int].self)
        let numbers = lab.numbers(server, .startImmediately(()), cache: cache)
        #expect(numbers.state.isLoading)
        server.fail()
        #expect(numbers.state.value == [10, 20])
        #expect(numbers.snapshot.error is Broken)
    }

    @Test func `a page that is lost ends the list before it`() {
        firstRun(pages: 3)
        let lab = QueryLab()
        let stamp = lab.numbers(Server(lab, Int.self, [Int].self), cache: cache).snapshot.value?.lastStamp ?? 0
        cache.invalidate(for: QueryKey("numbers", "~page", String(stamp, radix: 16)))
        let second = QueryLab()
        let server = Server(second, Int.self, [Int].self)
        let numbers = second.numbers(
            server, .startImmediately(()), config: .using(.useInsteadOfFetching), cache: cache)
        #expect(numbers.items == [10, 20])
        numbers.fetchNextPage()
        #expect(server.requests == [3])
    }
}

@Suite("The cache of a list without a query")
struct ListCacheTests {
    @Test func `a definition's list is kept page by page, too`() {
        let (lab, cache) = (QueryLab(), InMemoryQueryCache())
        let numbers = QueryDefinition.pages("numbers", first: 1) { page, _ in
            [page]
        } next: { _, page in
            page + 1
        }
        .persisted(in: cache)
        _ = lab.start { try await lab.client.fetchNextPage(of: numbers) }
        #expect(cache.count == 2)
    }
}
