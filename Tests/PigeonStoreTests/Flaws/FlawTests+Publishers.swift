import Dispatch
import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("Flaws of StoreFlowable 2.0: publishers and options", .timeLimit(.minutes(1)))
struct PublisherFlawTests {
    let lab = QueryLab()

    @Test("publishers that never finish hold up no thread, and no other store", .rule("StoreFlowable F25"))
    func f25Threads() async throws {
        let client = QueryClient()
        let never: @Sendable () -> AnyPublisher<String?, Never> = {
            Empty(completeImmediately: false).eraseToAnyPublisher()
        }
        let manager = TextManager(queryKey: "texts")
        let stuck = (1...200).map { key in
            let factory = TextFactory(key: key, flowableDataStateManager: manager, load: never)
            return StoreLog(factory.create(client: client))
        }
        let factory = TextFactory(key: 0, flowableDataStateManager: manager)
        #expect(try await factory.create(client: client).requireData() == "fetched")
        for log in stuck { log.cancel() }
    }

    @Test(
        "a publisher that ends without a value is a miss, a need, or an error, and no crash", .rule("StoreFlowable F25")
    )
    func f25Values() async throws {
        var factory = TextFactory(drawer: Drawer("cached"))
        factory.load = { Empty().eraseToAnyPublisher() }
        #expect(try await factory.create(client: lab.client).requireData() == "fetched")
        factory.load = nil
        factory.drawer.text = "cached"
        factory.need = { Empty().eraseToAnyPublisher() }
        #expect(try await factory.create(client: lab.client).requireData() == "fetched")
        factory.save = { Empty().eraseToAnyPublisher() }
        #expect(await factory.create(client: lab.client).update(newData: "mine").error == nil)
        #expect(factory.drawer.text == "mine")
        factory.fetch = { Empty().eraseToAnyPublisher() }
        let store = factory.create(client: lab.client)
        await #expect(throws: QueryError.noValue(key: store.queryKey)) { try await store.requireData(from: .origin) }
        #expect(factory.drawer.text == "mine")
    }

    @Test("a fetch that answers later, from a queue, is held until it does", .rule("StoreFlowable F26"))
    func f26() async throws {
        let gate = DispatchQueue(label: "gate")
        gate.suspend()
        let factory = TextFactory(fetch: {
            ["late"].publisher.setFailureType(to: (any Error).self).receive(on: gate)
                .eraseToAnyPublisher()
        })
        let log = StoreLog(factory.create(client: QueryClient()))
        #expect(log.words == ["…"])
        gate.resume()
        await until { log.last == "late" }
        #expect(factory.drawer.text == "late")
    }

    @Test("all stores of a manager can be cleared, from any thread, while others are made", .rule("StoreFlowable F29"))
    func f29() async throws {
        let manager = TextManager(queryKey: "texts")
        let client = QueryClient()
        let drawer = Drawer()
        let factory = TextFactory(key: 0, flowableDataStateManager: manager, drawer: drawer)
        let log = StoreLog(factory.create(client: client))
        await withTaskGroup(of: Void.self) { group in
            for task in 1...8 {
                group.addTask {
                    for round in 0..<25 {
                        let factory = TextFactory(key: task * 100 + round, flowableDataStateManager: manager)
                        await factory.create(client: client).validate()
                        if round.isMultiple(of: 5) { manager.clearAll() }
                    }
                }
            }
        }
        await factory.create(client: client).update(newData: "mine")
        manager.clearAll()
        await until { log.last == emptied && drawer.text == nil }
        #expect(drawer.text == nil)
    }

    @Test("a store repeats a fetch, limits its time, and is forgotten when it is not used", .rule("StoreFlowable F30"))
    func f30() async throws {
        let desk = TextDesk()
        let store = desk.store().options {
            $0.retry = RetryPolicy(limit: 1, delay: { _ in .seconds(1) }, hasJitter: false, shouldRetry: { _ in true })
            $0.timeLimit = .seconds(10)
            $0.keepFor = .seconds(60)
        }
        let log = StoreLog(store)
        desk.origin.fail()
        #expect(log.words == ["…"])
        desk.lab.advance(by: .seconds(1))
        #expect(desk.origin.waiting.count == 1)
        desk.origin.answer("a")
        #expect(log.words == ["…", "a"])
        let refresh = desk.lab.start { try await store.requireData(from: .origin) }
        desk.lab.advance(by: .seconds(10))
        #expect(refresh.error as? QueryError == .timedOut(key: store.queryKey, limit: .seconds(10)))
        log.cancel()
        desk.lab.advance(by: .seconds(60))
        #expect(desk.lab.client.count == 0)
        #expect(try await desk.cacher.loadData(param: 1) == "a")
        #expect(desk.lab.log.contains("texts/1 retrying in 1.0 s after Broken"))
    }
}
