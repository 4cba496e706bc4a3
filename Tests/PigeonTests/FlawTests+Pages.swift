import Foundation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("Flaws of Pigeon 0.1.17: pages")
struct PageFlawTests {
    let lab = QueryLab()
    let server: Server<Int, [Int]>

    init() {
        server = Server(lab)
    }

    @Test("publishers of a paginated query are never one state late", .rule("Pigeon P4"))
    func p4() {
        let numbers = lab.numbers(server)
        let log = StateLog(numbers)
        var values: [[Int]] = []
        let subscription = numbers.valuePublisher.sink { value in
            values.append(value)
            #expect(numbers.state.value == value)
        }
        let erased = StateLog(numbers.eraseToAnyQuery())
        numbers.refetch(())
        server.succeed(with: [1])
        numbers.fetchNextPage()
        server.succeed(with: [2])
        #expect(log.states == ["idle", "loading", "succeed([1])", "succeed([1, 2])"])
        #expect(erased.states == log.states)
        #expect(values == [[1], [1, 2]])
        subscription.cancel()
    }

    @Test("a second start within its time shows the cached pages, and does not fetch", .rule("Pigeon P5"))
    func p5() {
        let cache = InMemoryQueryCache()
        let config = QueryCacheConfig.using(.useInsteadOfFetching, for: 1000)
        let first = lab.numbers(server, .startImmediately(()), config: config, cache: cache)
        server.succeed(with: [1])
        #expect(first.items == [1])
        let lab = QueryLab()
        let second = Server(lab, Int.self, [Int].self)
        let numbers = lab.numbers(second, .startImmediately(()), config: config, cache: cache)
        #expect(numbers.items == [1])
        #expect(numbers.state.value == [1])
        #expect(second.callCount == 0)
        lab.advance(by: .seconds(1000))
        numbers.refetch(())
        #expect(second.callCount == 1)
    }

    @Test("useAndThenFetch shows a page once, the cached one and then the fetched one", .rule("Pigeon P6"))
    func p6() {
        let cache = InMemoryQueryCache()
        let first = lab.numbers(server, .startImmediately(()), cache: cache)
        server.succeed(with: [1, 2])
        #expect(first.items == [1, 2])
        let lab = QueryLab()
        let second = Server(lab, Int.self, [Int].self)
        let numbers = lab.numbers(second, .startImmediately(()), config: .using(.useAndThenFetch), cache: cache)
        #expect(numbers.items == [1, 2])
        second.succeed(with: [1, 2])
        #expect(numbers.items == [1, 2])
    }

    @Test("a page is cached as the page that was asked for", .rule("Pigeon P7"))
    func p7() {
        let cache = InMemoryQueryCache()
        let first = lab.numbers(server, .startImmediately(()), cache: cache)
        server.succeed(with: [1])
        first.fetchNextPage()
        first.fetchNextPage()
        server.succeed(with: [2])
        first.fetchNextPage()
        server.succeed(with: [3])
        let lab = QueryLab()
        let again = lab.numbers(
            Server(lab, Int.self, [Int].self), config: .using(.useInsteadOfFetching), cache: cache)
        #expect(again.snapshot.value?.ids.map(\.current) == [1, 2, 3])
        #expect(again.items == [1, 2, 3])
    }

    @Test("one page load at a time, no page skipped after a failure, and an end", .rule("Pigeon P8"))
    func p8() {
        let numbers = lab.numbers(server, .startImmediately(()))
        server.succeed(with: [1])
        numbers.fetchNextPage()
        numbers.fetchNextPage()
        server.fail()
        #expect(numbers.currentPage.current == 1)
        numbers.fetchNextPage()
        server.succeed(with: [2])
        numbers.fetchNextPage()
        server.succeed(with: [])
        numbers.fetchNextPage()
        #expect(server.requests == [1, 2, 2, 3])
        #expect(numbers.items == [1, 2])
    }

    @Test("a page of the old list never lands in the new one", .rule("Pigeon P9"))
    func p9() {
        let numbers = lab.numbers(server, .startImmediately(()))
        server.succeed(with: [1])
        numbers.fetchNextPage()
        numbers.refetch(())
        #expect(server.cancelled == [1])
        server.succeed(with: [2], at: 1)
        server.succeed(with: [10], at: 2)
        #expect(numbers.items == [10])
    }

    @Test("a refetch begins at the first page given", .rule("Pigeon P10"))
    func p10() {
        let numbers = lab.numbers(server, first: 1, .startImmediately(()))
        server.succeed(with: [1])
        numbers.refetch(())
        #expect(server.requests == [1, 1])
    }

    @Test("a response need not be an array", .rule("Pigeon P11"))
    func p11() {
        let server = Server(lab, Int.self, ContiguousArray<Int>.self)
        let numbers = PaginatedQuery<Void, NumericPaginatedQueryKey, ContiguousArray<Int>>(
            key: "numbers", firstPage: NumericPaginatedQueryKey(current: 0), behavior: .startImmediately(()),
            cache: InMemoryQueryCache(), client: lab.client
        ) { _, page in server.fetch(page.current) }
        server.succeed(with: [1])
        numbers.fetchNextPage()
        server.succeed(with: [2])
        #expect(numbers.state.value == [1, 2])
    }
}
