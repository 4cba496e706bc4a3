import Dispatch
import Foundation
import Pigeon
import PigeonTesting
import Testing

@MainActor
@Suite("Fetchers that are publishers")
struct FetcherTests {
    let lab = QueryLab()

    private func query(
        _ fetcher: @escaping @Sendable () -> AnyPublisher<Int, any Error>
    ) -> (Query<Void, Int>, StateLog) {
        let query = Query<Void, Int>(
            key: "number", cache: InMemoryQueryCache(), client: lab.client
        ) { fetcher() }
        return (query, StateLog(query))
    }

    @Test func `A closure may look at its fetch, and say that nothing changed`() {
        let asked = Locked<[String]>([])
        let query = Query<Void, Int>(
            key: "number", cache: InMemoryQueryCache(), client: lab.client
        ) { _, context in
            asked.withLock { $0.append("\(context.cause) \(context.validators.eTag ?? "none")") }
            guard context.previous == nil else { return try context.notModified() }
            context.validators.eTag = "one"
            return 1
        }
        query.refetch(request: ())
        lab.advance(by: .seconds(5))
        query.refetch(request: ())
        #expect(asked.withLock { $0 } == ["requested none", "requested one"])
        #expect(query.value == 1)
        #expect(query.snapshot.age == .zero)
        #expect(lab.log.last == "number not modified")
    }

    @Test func `Just succeeds before refetch returns`() {
        let (query, log) = query { Just(1).setFailureType(to: (any Error).self).eraseToAnyPublisher() }
        query.refetch(request: ())
        #expect(log.states == ["idle", "loading", "succeed(1)"])
    }

    @Test func `Fail fails, and is asked once`() {
        let calls = Locked(0)
        let (query, log) = query {
            calls.withLock { $0 += 1 }
            return Fail(error: Broken()).eraseToAnyPublisher()
        }
        query.refetch(request: ())
        #expect(log.states == ["idle", "loading", "failed(Broken)"])
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func `Empty fails with noValue, and never loads for ever`() {
        let (query, log) = query { Empty().eraseToAnyPublisher() }
        query.refetch(request: ())
        #expect(log.states == ["idle", "loading", "failed(QueryError)"])
        #expect(query.state.error as? QueryError == .noValue(key: "number"))
    }

    @Test func `several values are shown one after the other`() {
        let (query, log) = query { [1, 2, 3].publisher.setFailureType(to: (any Error).self).eraseToAnyPublisher() }
        query.refetch(request: ())
        #expect(log.states == ["idle", "loading", "succeed(1)", "succeed(2)", "succeed(3)"])
    }

    @Test func `values that come over time are shown as they come`() {
        let server = Server(lab, Void.self, Int.self)
        let (query, log) = query { server.fetch(()) }
        query.refetch(request: ())
        server.send(1)
        #expect(query.snapshot.isFetching)
        server.send(2)
        server.finish()
        #expect(!query.snapshot.isFetching)
        #expect(log.states == ["idle", "loading", "succeed(1)", "succeed(2)"])
    }

    @Test func `a failure after values leaves the last one, with the error beside it`() {
        let server = Server(lab, Void.self, Int.self)
        let (query, log) = query { server.fetch(()) }
        query.refetch(request: ())
        server.send(1)
        server.fail()
        #expect(log.states == ["idle", "loading", "succeed(1)"])
        #expect(query.snapshot.error is Broken)
    }

    @Test func `a publisher that never ends is cancelled, and what it sends later is dropped`() {
        let server = Server(lab, Void.self, Int.self)
        let (query, log) = query { server.fetch(()) }
        query.refetch(request: ())
        lab.advance(by: .seconds(86_400))
        #expect(query.state.isLoading)
        query.cancel()
        #expect(server.cancelled == [0])
        server.send(1)
        server.finish()
        #expect(log.states == ["idle", "loading", "idle"])
        #expect(query.value == nil)
    }

    @Test func `a fetcher that ignores cancellation changes nothing when it answers late`() {
        let gate = lab.fetcher(returning: Int.self, ignoringCancellation: true)
        let definition = QueryDefinition("gate", fetch: gate.fetch)
        let query = Query<Void, Int>(key: "number", cache: InMemoryQueryCache(), client: lab.client) { [lab] in
            try await lab.client.refetch(definition)
        }
        query.refetch(request: ())
        query.cancel()
        gate.succeed(with: 1)
        lab.settle()
        #expect("\(query.state)" == "idle")
        #expect(query.value == nil)
    }

    @Test func `a first load that was cancelled can be asked again`() {
        let server = Server(lab, Void.self, Int.self)
        let (query, log) = query { server.fetch(()) }
        query.refetch(request: ())
        query.cancel()
        query.refetch(request: ())
        server.succeed(with: 2)
        #expect(log.states == ["idle", "loading", "idle", "loading", "succeed(2)"])
    }

    @Test func `the subscription goes with the query when its policy is to cancel`() {
        var options = QueryOptions()
        options.whenAbandoned = .cancel
        let lab = QueryLab(options: options)
        let server = Server(lab, Void.self, [User].self)
        var users: Users? = lab.users(server, .startImmediately(()))
        #expect(users?.state.isLoading == true)
        users = nil
        lab.settle()
        #expect(server.cancelled == [0])
    }

    @Test func `by default a fetch ends after its query, and is cached`() {
        let cache = InMemoryQueryCache()
        let server = Server(lab, Void.self, [User].self)
        var users: Users? = lab.users(server, .startImmediately(()), cache: cache)
        #expect(users?.state.isLoading == true)
        users = nil
        server.succeed(with: [ann])
        let cached: [User]? = cache.get(for: "users")
        #expect(cached == [ann])
    }

    @Test func `values from other threads arrive on the main actor, the last one always`() async {
        let client = QueryClient()
        let query = Query<Void, Int>(key: "number", cache: InMemoryQueryCache(), client: client) { () in
            (1...100).publisher.setFailureType(to: (any Error).self)
                .receive(on: DispatchQueue(label: "elsewhere")).eraseToAnyPublisher()
        }
        var seen: [Int] = []
        query.refetch(request: ())
        for await value in query.valuePublisher.values(until: 100) { seen.append(value) }
        #expect(seen.last == 100)
        #expect(seen == seen.sorted())
        #expect(Set(seen).count == seen.count)
    }

    @Test func `a page's publisher may send several values, of which the last counts, and must send one`() {
        let pages = NumberList(
            key: "numbers", firstPage: NumericPaginatedQueryKey(current: 1), behavior: .startImmediately(()),
            cache: InMemoryQueryCache(), client: lab.client
        ) { _, page in
            page.current == 1
                ? [[1], [2]].publisher.setFailureType(to: (any Error).self).eraseToAnyPublisher()
                : Empty().eraseToAnyPublisher()
        }
        #expect(pages.items == [2])
        pages.fetchNextPage()
        #expect(pages.nextPageError as? QueryError == .noValue(key: "numbers"))
    }

    @Test func `a failed fetch is retried as the query says`() {
        let server = Server(lab, Void.self, Int.self)
        let query = Query<Void, Int>(
            key: "number", cache: InMemoryQueryCache(), client: lab.client,
            retry: RetryPolicy(limit: 1, delay: { _ in .seconds(1) }, hasJitter: false) { $0 is Broken },
            fetcher: server.fetch)
        query.refetch(request: ())
        server.fail()
        #expect(query.state.isLoading)
        #expect(query.snapshot.failedAttempts == 1)
        lab.advance(by: .seconds(1))
        server.fail()
        #expect(query.state.error is Broken)
        #expect(server.callCount == 2)
    }
}

extension AnyPublisher where Output: Equatable & Sendable, Failure == Never {
    /// The values up to a certain one.
    @MainActor
    func values(until last: Output) -> AsyncStream<Output> {
        let (stream, continuation) = AsyncStream.makeStream(of: Output.self)
        let subscription = sink { value in
            continuation.yield(value)
            if value == last { continuation.finish() }
        }
        let box = Locked<AnyCancellable?>(subscription)
        continuation.onTermination = { _ in box.withLock { $0 = nil } }
        return stream
    }
}
