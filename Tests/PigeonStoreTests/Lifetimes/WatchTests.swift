import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("A cache is watched for as long as a store is followed")
struct WatchTests {
    /// Counts who listens to a cache.
    private final class WatchedCache: Sendable {
        private let count = Watched(0)
        private let subject = Locked(Box())

        private struct Box: @unchecked Sendable {  // used on the test's thread alone
            let subject = PassthroughSubject<Void, Never>()
        }

        var listeners: Int { count.value }

        var changes: AnyPublisher<Void, Never> {
            subject.withLock { $0 }.subject.handleEvents(
                receiveSubscription: { [count] _ in count.update { $0 += 1 } },
                receiveCancel: { [count] in count.update { $0 -= 1 } }
            ).eraseToAnyPublisher()
        }

        func send() {
            subject.withLock { $0 }.subject.send()
        }
    }

    private final class StreamCacher: Cacher<Int, String>, @unchecked Sendable {  // its own property is Sendable
        let open = Watched<[AsyncStream<Void>.Continuation]>([])

        override func changes(param: Int) -> AsyncStream<Void>? {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            continuation.onTermination = { [open] _ in open.update { _ = $0.removeFirst() } }
            open.update { $0.append(continuation) }
            return stream
        }
    }

    let lab = QueryLab()

    @Test("once, however many follow, and not after the last")
    func publisher() {
        let watched = WatchedCache()
        let factory = TextFactory(drawer: Drawer("a"), changes: { watched.changes })
        let store = factory.create(client: lab.client)
        #expect(watched.listeners == 0)
        let logs = (0..<3).map { _ in StoreLog(store) }
        #expect(watched.listeners == 1)
        factory.drawer.text = "b"
        watched.send()
        lab.settle()
        for log in logs { #expect(log.words == ["a", "b"]) }
        for log in logs.dropFirst() { log.cancel() }
        #expect(watched.listeners == 1)
        logs[0].cancel()
        lab.settle()
        #expect(watched.listeners == 0)
        let again = StoreLog(store)
        #expect(watched.listeners == 1)
        again.cancel()
        #expect(watched.listeners == 0)
    }

    @Test("who asks once does not watch")
    func once() async {
        let watched = WatchedCache()
        let factory = TextFactory(drawer: Drawer("a"), changes: { watched.changes })
        let store = factory.create(client: lab.client)
        await store.validate()
        await store.refresh()
        _ = await store.getData()
        await store.update(newData: "b")
        #expect(watched.listeners == 0)
    }

    @Test("an entry that goes takes the watching with it")
    func removed() {
        let watched = WatchedCache()
        let factory = TextFactory(drawer: Drawer("a"), changes: { watched.changes })
        let isClientFreed = isFreed { () -> QueryClient in
            let client = QueryClient(environment: lab.environment)
            let log = StoreLog(factory.create(client: client))
            #expect(watched.listeners == 1)
            client.remove(.all)
            lab.settle()
            #expect(watched.listeners == 1)
            log.cancel()
            return client
        }
        #expect(isClientFreed)
        #expect(watched.listeners == 0)
    }

    @Test("a cacher's changes are read until the last one who follows leaves")
    func stream() async throws {
        let cacher = StreamCacher()
        let store = AnyStoreFlowable.from(
            cacher: cacher, fetcher: TextFetcher(origin: Origin(lab) { _ in "a" }), param: 1, client: lab.client)
        let first = StoreLog(store)
        let second = StoreLog(store)
        #expect(cacher.open.value.count == 1)
        try await cacher.saveData(data: "theirs", param: 1)
        cacher.open.value[0].yield()
        await until {
            lab.settle()
            return first.last == "theirs" && second.last == "theirs"
        }
        first.cancel()
        #expect(cacher.open.value.count == 1)
        second.cancel()
        await cacher.open.wait { $0.isEmpty }
        #expect(cacher.open.value.isEmpty)
    }
}
