import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("Stores are freed when let go")
struct StoreLifetimeTests {
    let lab = QueryLab()
    let lives = Lives()
    let origin: Origin<String>

    init() {
        origin = Origin(lab)
    }

    private func store(
        _ cacher: Cacher<Int, String> = Cacher(), client: QueryClient? = nil
    ) -> AnyStoreFlowable<Int, String> {
        let fetcher = CountedFetcher<Int>(origin: origin, token: lives.token())
        return .from(cacher: cacher, fetcher: fetcher, param: 1, client: client ?? lab.client)
    }

    @Test("a store of each kind, its cacher, its manager and its client")
    func kinds() {
        let desk = StoreLab()
        #expect(isFreed { store() })
        #expect(isFreed { desk.list() })
        #expect(isFreed { desk.twoWayList() })
        #expect(isFreed { store().options { $0.retry = .standard } })
        #expect(
            isFreed { () -> Cacher<Int, String> in
                let cacher = Cacher<Int, String>()
                _ = store(cacher)
                return cacher
            })
        #expect(
            isFreed { () -> TwoWayPaginationCacher<Int, Int> in
                let cacher = TwoWayPaginationCacher<Int, Int>()
                _ = AnyStoreFlowable.from(
                    cacher: cacher, fetcher: TwoWayListFetcher(origin: desk.origin), param: 1, client: lab.client)
                return cacher
            })
        #expect(
            isFreed { () -> TextManager in
                let manager = TextManager()
                _ = TextFactory(flowableDataStateManager: manager).create(client: lab.client)
                return manager
            })
        #expect(
            isFreed { () -> QueryClient in
                let client = QueryClient(environment: lab.environment)
                StoreLog(store(client: client)).cancel()
                return client
            })
        lab.settle()
        #expect(lives.living == 0)
    }

    @Test("what a client keeps of a store that was used goes with the time it is kept for")
    func collected() async {
        let cacher = Cacher<Int, String>()
        let log = StoreLog(store(cacher))
        origin.answer("a")
        log.cancel()
        #expect(lives.living == 1)
        lab.advance(by: .seconds(300))
        #expect(lab.client.count == 0)
        #expect(lives.living == 0)
        #expect(lab.clock.alarmCount == 0)
    }

    @Test("of many stores of one key, the client keeps the newest")
    func newest() {
        let cacher = Cacher<Int, String>()
        let log = StoreLog(store(cacher))
        origin.answer("a")
        for _ in 0..<10 { StoreLog(store(cacher)).cancel() }
        #expect(lives.made == 11)
        #expect(lives.living <= 2)
        log.cancel()
    }

    @Test("a cancelled subscription, one that is let go, and their subscriber")
    func subscriptions() {
        let cacher = Cacher<Int, String>()
        for ends in [true, false] {
            let subscriber = Lives()
            do {
                let token = subscriber.token()
                let log = StoreLog(store(cacher)) { _ in _ = token }
                if ends { log.cancel() }
                #expect(subscriber.living == 1 || ends)
            }
            lab.settle()
            #expect(subscriber.living == 0)
            #expect(lab.client.entries().allSatisfy { $0.observerCount == 0 })
        }
        #expect(lab.clock.alarmCount <= 1)
    }

    @Test("a subscription that ends within its first state, or before it")
    func earlyEnd() {
        let cacher = SlowCacher(lab)
        cacher.hold("load")
        let slow = cacher.store(lab, origin)
        let log = StoreLog(slow)
        log.cancel()
        lab.advance(by: .seconds(1))
        cacher.gate.answerAll(())
        #expect(log.words.isEmpty)
        cacher.hold()
        origin.answer("a")
        let count = Watched(0)
        let publisher: LoadingStatePublisher<String> = slow.publish()
        let first = publisher.first().sink { _ in count.update { $0 += 1 } }
        #expect(count.value == 1)
        #expect(lab.client.entries().allSatisfy { $0.observerCount == 0 })
        first.cancel()
    }

    @Test("an iteration that was left, never begun, or whose task was cancelled while it waited")
    func iterations() async {
        let cacher = Cacher<Int, String>()
        let held = store(cacher)
        let sequence: LoadingStateSequence<String> = held.publish()
        for await _ in sequence { break }
        _ = sequence.makeAsyncIterator()
        #expect(lab.client.entries().allSatisfy { $0.observerCount == 0 })
        let reading = lab.start { () -> Int in
            var count = 0
            for await _ in sequence { count += 1 }
            return count
        }
        #expect(lab.client.entries().map(\.observerCount) == [1])
        reading.cancel()
        #expect(reading.value == 1)
        #expect(lab.client.entries().map(\.observerCount) == [0])
        origin.answerAll("a")
    }

    @Test("what is asked for goes on to its end when the store and its callers have gone, and no longer")
    func underWay() async throws {
        let cacher = Cacher<Int, String>()
        do {
            let task = lab.start { [held = store(cacher)] in await held.refresh() }
            task.cancel()
        }
        #expect(origin.waiting == ["1"])
        origin.answer("a")
        #expect(try await cacher.loadData(param: 1) == "a")
        lab.client.dropUnobserved()
        lab.settle()
        #expect(lives.living == 0)
    }

    @Test("a client that is let go ends the fetches of its stores, and those who wait are answered by it before")
    func clientWithFetch() async {
        let cacher = Cacher<Int, String>()
        let isClientFreed = isFreed { () -> QueryClient in
            let client = QueryClient(environment: lab.environment)
            let log = StoreLog(store(cacher, client: client))
            #expect(origin.waiting == ["1"])
            log.cancel()
            return client
        }
        #expect(isClientFreed)
        lab.settle()
        #expect(origin.waiting.isEmpty)
        #expect(lives.living == 0)
    }

    @Test("data that is replaced is freed, whoever follows")
    func data() async {
        struct DataFetcher: PigeonStore.Fetcher {
            let lives: Lives
            func fetch(param: Int) async throws -> Lives.Token { lives.token() }
        }
        let cacher = Cacher<Int, Lives.Token>()
        let store = AnyStoreFlowable.from(
            cacher: cacher, fetcher: DataFetcher(lives: lives), param: 1, client: lab.client)
        let log = store.publish().sink { _ in }
        let slow = ManualSubscriber<Lives.Token, Never>()
        store.publish().receive(subscriber: slow)
        for _ in 0..<10 { await store.refresh() }
        #expect(lives.made == 11)
        #expect(lives.living == 1)
        await store.clear()
        #expect(lives.living == 0)
        log.cancel()
        slow.subscription?.cancel()
    }
}
