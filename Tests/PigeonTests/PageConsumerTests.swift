import Pigeon
import PigeonTesting
import Testing

@MainActor
@Suite("Consumers of paginated queries")
struct PageConsumerTests {
    let lab = QueryLab()
    let server: Server<Int, [Int]>

    init() {
        server = Server(lab)
    }

    private func consumer() -> Query<Void, [Int]>.Consumer { .init(key: "numbers", client: lab.client) }

    @Test func `a consumer of the response shows all pages joined`() {
        let numbers = lab.numbers(server, .startImmediately(()))
        let consumer = consumer()
        let log = StateLog(consumer)
        #expect(consumer.state.isLoading)
        server.succeed(with: [10, 11])
        numbers.fetchNextPage()
        #expect(consumer.state.value == [10, 11])
        server.succeed(with: [20])
        #expect(consumer.state.value == [10, 11, 20])
        #expect(consumer.value == [10, 11, 20])
        numbers.refetch(())
        server.succeed(with: [12])
        #expect(
            log.states == [
                "loading", "succeed([10, 11])", "succeed([10, 11, 20])", "loading", "succeed([12])",
            ])
    }

    @Test func `a consumer may come before its paginated query`() {
        let consumer = consumer()
        let log = StateLog(consumer)
        let numbers = lab.numbers(server, .startImmediately(()))
        server.succeed(with: [10])
        numbers.fetchNextPage()
        server.succeed(with: [20])
        #expect(log.states == ["idle", "loading", "succeed([10])", "succeed([10, 20])"])
    }

    @Test func `it outlives its paginated query, and can have it refetched`() {
        let consumer = consumer()
        var numbers: NumberList? = lab.numbers(server, .startImmediately(()))
        server.succeed(with: [10])
        numbers?.fetchNextPage()
        server.succeed(with: [20])
        weak let gone = numbers
        numbers = nil
        #expect(gone == nil)
        consumer.refetch(for: .lastData)
        server.succeed(with: [11])
        server.succeed(with: [21])
        #expect(consumer.state.value == [11, 21])
    }

    @Test func `it asks its paginated query with a new request`() {
        let numbers = lab.numbers(server, .startImmediately(()))
        server.succeed(with: [10])
        consumer().refetch(request: ())
        #expect(server.requests == [1, 1])
        #expect(numbers.state.isLoading)
    }

    @Test func `it uses the merge function of the query`() {
        let server = Server(lab, Int.self, Set<Int>.self)
        let consumer = Query<Void, Set<Int>>.Consumer(key: "set", client: lab.client)
        let pages = PaginatedQuery<Void, NumericPaginatedQueryKey, Set<Int>>(
            key: "set", firstPage: NumericPaginatedQueryKey(current: 0), behavior: .startImmediately(()),
            cache: InMemoryQueryCache(), client: lab.client, isLast: { page, _ in page.isEmpty },
            merge: { $0.formUnion($1) }
        ) { _, page in server.fetch(page.current) }
        server.succeed(with: [1, 2])
        pages.fetchNextPage()
        server.succeed(with: [2, 3])
        #expect(consumer.state.value == [1, 2, 3])
    }

    @Test(arguments: [true, false])
    func `a consumer of another type is told both types`(comesFirst: Bool) {
        var consumer: Query<Void, [String]>.Consumer?
        if comesFirst { consumer = .init(key: "numbers", client: lab.client) }
        let numbers = lab.numbers(server, .startImmediately(()))
        server.succeed(with: [10])
        if !comesFirst { consumer = .init(key: "numbers", client: lab.client) }
        let expected = QueryError.typeMismatch(
            key: "numbers", existing: "Pages<Array<Int>, NumericPaginatedQueryKey>", requested: "Array<String>")
        #expect(consumer?.state.error as? QueryError == expected)
        #expect(numbers.items == [10])
    }
}
