import Foundation
import Pigeon
import Testing

typealias Numbers = PaginatedQuery<Void, NumericPaginatedQueryKey, [Int]>

/// A publisher that locks itself, and does not say that it is `Sendable`.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
}

@MainActor
@Suite("Pigeon 0.1: paginated queries", OwnSharedState(), .timeLimit(.minutes(1)))
struct PaginatedQueryTests {
    let server = Server<Int, [Int]>()

    private func numbers(key: QueryKey = QueryKey(value: "numbers")) -> Numbers {
        let server = server
        return Numbers(
            key: key,
            firstPage: NumericPaginatedQueryKey(current: 0),
            fetcher: { request, page in
                server.fetch(page.current)
            }
        )
    }

    // uses: PaginatedQuery, PaginatedQuery.init(key:firstPage:fetcher:), PaginatedQuery.refetch(request:)
    // uses: PaginatedQuery.fetchNextPage(), PaginatedQuery.items, PaginatedQuery.state
    // guide: `users.refetch(request)` of a paginated query
    @Test func `pages are added one after the other`() {
        let users = PaginatedQuery<Void, LimitOffsetPaginatedQueryKey, [User]>(
            key: QueryKey(value: "users"),
            firstPage: LimitOffsetPaginatedQueryKey(
                limit: 20,
                offset: 0
            ),
            fetcher: { (request, page) in
                answer([User(id: page.offset, name: "User \(page.offset)")])
            }
        )
        #expect(users.state.label == "idle" && users.items.isEmpty)
        users.fetchNextPage()
        #expect(users.state.label == "idle")
        users.refetch(request: ())
        users.fetchNextPage()
        #expect(users.items.map(\.id) == [0, 20])
        #expect(users.state.value?.map(\.id) == [0, 20])
        let request: Void = ()
        users.refetch(request)
        #expect(users.items.map(\.id) == [0])
    }

    // uses: PaginatedQuery.FetchingBehavior, PaginatedQuery.FetchingBehavior.startWhenRequested
    // uses: PaginatedQuery.FetchingBehavior.startImmediately
    @Test func `a list starts when it is requested, or at once`() {
        func make(_ behavior: PaginatedQuery<String, Letter, [String]>.FetchingBehavior) -> [String] {
            let key = QueryKey(value: "letters \(behavior)")
            let list = PaginatedQuery<String, Letter, [String]>(
                key: key, firstPage: Letter(letter: "a"), behavior: behavior,
                fetcher: { word, page in answer([word + page.letter]) })
            list.fetchNextPage()
            return list.items
        }
        #expect(make(.startWhenRequested) == [])
        #expect(make(.startImmediately("x")) == ["xa", "xb"])
    }

    // uses: PaginatedQuery.State, PaginatedQuery.QueryFetcher
    // uses: PaginatedQuery.init(key:firstPage:keyAdapter:behavior:cache:cacheConfig:fetcher:)
    @Test func `a list is made with everything there is`() {
        let fetcher: PaginatedQuery<String, NumericPaginatedQueryKey, [String]>.QueryFetcher = { text, page in
            answer(["\(text) \(page.current)"])
        }
        let found = PaginatedQuery<String, NumericPaginatedQueryKey, [String]>(
            key: QueryKey(value: "search"),
            firstPage: NumericPaginatedQueryKey(current: 1),
            keyAdapter: { key, text in key.appending(text) },
            behavior: .startImmediately("cat"),
            cache: OwnCache(),
            cacheConfig: QueryCacheConfig(invalidationPolicy: .expiresAfter(1000), usagePolicy: .useInsteadOfFetching),
            fetcher: fetcher
        )
        let state: PaginatedQuery<String, NumericPaginatedQueryKey, [String]>.State = found.state
        #expect(state.value == ["cat 1"])
        found.refetch(request: "dog")
        #expect(found.items == ["dog 1"])
        found.refetch(request: "cat")
        #expect(found.items == ["cat 1"])
    }

    // uses: PaginatedQuery.statePublisher, PaginatedQuery.valuePublisher, PaginatedQuery.objectWillChange
    // uses: PaginatedQuery.$items, PaginatedQuery.$currentPage, PaginatedQuery.currentPage
    @Test func `a list publishes its states, values, items and pages`() async {
        let list = numbers()
        var (states, values, items, pages, changes): ([String], [[Int]], [[Int]], [Int], Int) = ([], [], [], [], 0)
        var cancellables = Set<AnyCancellable>()
        list.statePublisher.sink { states.append($0.label) }.store(in: &cancellables)
        list.valuePublisher.sink { values.append($0) }.store(in: &cancellables)
        list.$items.sink { items.append($0) }.store(in: &cancellables)
        list.$currentPage.map(\.current).sink { pages.append($0) }.store(in: &cancellables)
        list.objectWillChange.sink { _ in changes += 1 }.store(in: &cancellables)
        list.refetch(request: ())
        server.succeed(with: [1, 2])
        await settle(list)
        list.fetchNextPage()
        server.succeed(with: [3])
        await settle(list)
        #expect(states.prefix(3) == ["idle", "loading", "succeed"])
        #expect(values == [[1, 2], [1, 2, 3]])
        #expect(items == [[], [1, 2], [1, 2, 3]])
        #expect(pages == [0, 0, 1] || pages == [0, 1])
        #expect(changes > 0)
    }

    // guide: `list.state` and `list.currentPage` while the next page is loaded, and after that failed
    @Test func `the list stays while its next page is loaded, and after that failed`() async {
        let list = numbers()
        list.refetch(request: ())
        server.succeed(with: [1])
        await settle(list)
        list.fetchNextPage()
        #expect(list.state.value == [1] && list.currentPage.current == 0 && list.isFetchingNextPage)
        server.fail()
        await settle(list)
        #expect(list.state.value == [1] && list.currentPage.current == 0)
        #expect(list.nextPageError is Broken)
        list.fetchNextPage()
        server.succeed(with: [2])
        await settle(list)
        #expect(server.requests == [0, 1, 1])
        #expect(list.items == [1, 2] && list.currentPage.current == 1)
    }

    // guide: `list.items` after `refetch(request:)`, before the first page is there
    @Test func `the items stay until the first page is there`() async {
        let list = numbers()
        list.refetch(request: ())
        server.succeed(with: [1])
        await settle(list)
        list.refetch(request: ())
        #expect(list.items == [1])
        #expect(list.state.label == "loading" && (list.state.value ?? []).isEmpty)
        server.succeed(with: [2])
        await settle(list)
        #expect(list.items == [2])
    }

    // guide: `invalidate(key, .lastData)` of a paginated query
    @Test func `an invalidation fetches the pages that are there`() async {
        let list = numbers()
        list.refetch(request: ())
        server.succeed(with: [1])
        await settle(list)
        list.fetchNextPage()
        server.succeed(with: [2])
        await settle(list)
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "numbers"), with: .lastData)
        // The page is shown before its publisher has ended, and the fetch may begin after that.
        await until { server.requests.count == 3 }
        server.succeed(with: [3])
        await until { server.requests.count == 4 }
        server.succeed(with: [4])
        await until { list.items == [3, 4] }
        #expect(server.requests == [0, 1, 0, 1])
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "numbers"), with: .newData(()))
        await until { server.requests.count == 5 }
        server.succeed(with: [5])
        await settle(list)
        #expect(list.items == [5])
    }

    // guide: a fetcher of a paginated query or of a mutation that sends several values
    @Test func `a page is the last value of its publisher`() {
        let list = Numbers(
            key: "several", firstPage: NumericPaginatedQueryKey(current: 0), behavior: .startImmediately(()),
            fetcher: { _, _ in [[1], [2]].publisher.setFailureType(to: Error.self).eraseToAnyPublisher() })
        #expect(list.items == [2])
        let subject = CurrentValueSubject<[Int], Error>([3])
        let first = subject.first().eraseToAnyPublisher()
        let endless = Numbers(
            key: "endless", firstPage: NumericPaginatedQueryKey(current: 0), behavior: .startImmediately(()),
            fetcher: { [page = Unchecked(value: first)] _, _ in page.value })
        #expect(endless.items == [3])
    }

    // guide: a paginated `Response` that is no array
    @Test func `responses that cannot be appended say how they are merged`() {
        let tags = PaginatedQuery<Void, NumericPaginatedQueryKey, Set<Int>>(
            key: "tags", firstPage: NumericPaginatedQueryKey(current: 0), behavior: .startImmediately(()),
            isLast: { page, _ in page.isEmpty }, merge: { $0.formUnion($1) },
            fetcher: { _, page in answer([page.current, 7]) })
        tags.fetchNextPage()
        #expect(tags.state.value == [0, 1, 7])
    }

    // uses: PaginatedQuery.eraseToAnyQuery()
    @Test func `a list is erased too`() async {
        let list = numbers()
        let query: AnyQuery<Void, [Int]> = list.eraseToAnyQuery()
        list.refetch(request: ())
        server.succeed(with: [1])
        await settle(list)
        #expect(query.state.value == [1])
    }
}
