import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("Code that uses the store from within")
struct StoreReentrancyTests {
    let desk = TextDesk()
    private var lab: QueryLab { desk.lab }

    /// The actions that a subscriber performs when it receives the state `a`.
    enum Act: String, CaseIterable {
        case refresh, validate, update, clear, remove, invalidate, reset, subscribe, require, look, cancel, clearCacher
    }

    private func done(_ publisher: AnyPublisher<some Any, some Error>) {
        var subscription: AnyCancellable?
        subscription = publisher.sink { _ in
        } receiveValue: { _ in
            _ = subscription
        }
    }

    private func perform(_ act: Act, on store: AnyStoreFlowable<Int, String>, _ others: Logs) {
        switch act {
        case .refresh: done(store.refresh())
        case .validate: done(store.validate())
        case .update: done(store.update(newData: "mine"))
        case .clear: done(store.clear())
        case .remove: lab.client.remove(.all)
        case .invalidate: lab.client.invalidate(.all)
        case .reset: lab.client.reset(.all)
        case .subscribe: others.add(StoreLog(store))
        case .require: done(store.requireData(from: .origin))
        case .look: done(store.getData(from: .cache))
        case .cancel: lab.client.cancel(.all)
        case .clearCacher: desk.cacher.clear()
        }
    }

    private final class Logs: Sendable {
        private let state = Locked<[StoreLog]>([])
        var all: [StoreLog] { state.withLock { $0 } }
        func add(_ log: StoreLog) { state.withLock { $0.append(log) } }
    }

    @Test("a subscriber may call every function within a state, and all see the same in order", arguments: Act.allCases)
    func subscribers(_ act: Act) async throws {
        let numbers = Locked(0)
        desk.origin.set { _ in
            let number = numbers.withLock {
                $0 += 1
                return $0
            }
            return number == 1 ? "a" : "fetched"
        }
        let store = desk.store()
        let others = Logs()
        let isDone = Locked(false)
        let before = StoreLog(store)
        await store.clear()
        _ = before.take()
        let acting = StoreLog(store) { state in
            guard state.word == "a",
                !isDone.withLock({ isDone in
                    defer { isDone = true }
                    return isDone
                })
            else { return }
            perform(act, on: store, others)
        }
        let after = StoreLog(store)
        await store.update(newData: "a")
        lab.settle()
        let expected = Self.last[act] ?? "a"
        for log in [before, acting, after] + others.all {
            #expect(log.last == expected)
            #expect(zip(log.words, log.words.dropFirst()).allSatisfy { $0 != $1 })
        }
        #expect(others.all.count == (act == .subscribe ? 1 : 0))
        #expect(await store.getData(from: .cache) == (expected == emptied ? nil : expected))
    }

    private static let last: [Act: String] = [
        .refresh: "fetched", .update: "mine", .clear: emptied, .remove: emptied, .invalidate: "fetched",
        .reset: "fetched", .require: "fetched", .clearCacher: emptied,
    ]

    @Test("a subscriber may end its own subscription, and others', within a state")
    func ending() {
        let victims = Logs()
        let self1 = Logs()
        let log = StoreLog(desk.store()) { _ in
            for log in victims.all + self1.all { log.cancel() }
        }
        self1.add(log)
        victims.add(StoreLog(desk.store()))
        desk.origin.answer("a")
        #expect(log.words.count <= 2)
        #expect(lab.client.entries().allSatisfy { $0.observerCount == 0 })
    }

    /// A cache that performs an action with the client and the store on its next use.
    private final class RestlessCacher: Cacher<Int, String>, @unchecked Sendable {  // its own property is Sendable
        let work = Locked<(@Sendable (String) async -> Void)?>(nil)

        private func act(_ name: String) async {
            guard
                let work = work.withLock({ work in
                    defer { work = nil }; return work
                })
            else { return }
            await work(name)
        }

        override func loadData(param: Int) async throws -> String? {
            await act("load")
            return try await super.loadData(param: param)
        }

        override func saveData(data: String?, param: Int) async throws {
            await act("save")
            try await super.saveData(data: data, param: param)
        }

        override func needRefresh(cachedData: String, param: Int) async throws -> Bool {
            await act("need")
            return try await super.needRefresh(cachedData: cachedData, param: param)
        }
    }

    @Test("a cache may use the client, and begin what the store does, while it is read, written and asked")
    func caches() async throws {
        let cacher = RestlessCacher()
        let store = AnyStoreFlowable.from(
            cacher: cacher, fetcher: TextFetcher(origin: Origin(lab) { _ in "a" }), param: 1, client: lab.client)
        let seen = Logs()
        let work: @Sendable (String) async -> Void = { [client = lab.client] _ in
            client.invalidate(.path(store.queryKey), refetch: .none)
            _ = client.entries()
            seen.add(StoreLog(store))
            let refresh: AnyPublisher<Void, Never> = store.refresh()
            refresh.sink { _ in }.cancel()
            let update: AnyPublisher<Void, Never> = store.update(newData: "mine")
            update.sink { _ in }.cancel()
        }
        let log = StoreLog(store)
        for call in 0..<4 {
            cacher.work.withLock { $0 = work }
            switch call {
            case 0: await store.validate()
            case 1: await store.refresh()
            case 2: await store.update(newData: "b")
            default: await store.clear()
            }
            lab.settle()
            #expect(cacher.work.withLock { $0 == nil })
        }
        await until {
            lab.settle()
            return Set(([log] + seen.all).map(\.last)).count == 1
        }
        #expect(await store.getData(from: .cache) == (log.last == emptied ? nil : log.last))
    }

    @Test("a fetcher may use its own store and client, and wait for another's")
    func fetchers() async throws {
        struct Asking: PigeonStore.Fetcher {
            let desk: TextDesk
            let cacher: Cacher<Int, String>

            func fetch(param: Int) async throws -> String {
                let mine = AnyStoreFlowable.from(cacher: cacher, fetcher: self, param: param, client: desk.lab.client)
                _ = StoreLog(mine).words
                mark(mine.queryKey)
                await mine.update(newData: "for now")
                return try await desk.store(param + 1).requireData()
            }

            private func mark(_ key: QueryKey) {
                desk.lab.client.invalidate(.path(key), refetch: .none)
            }
        }
        desk.origin.set { "other \($0)" }
        let fetcher = Asking(desk: desk, cacher: Cacher(expireSeconds: .infinity, queryKey: "asking"))
        let store = AnyStoreFlowable.from(cacher: fetcher.cacher, fetcher: fetcher, param: 1, client: lab.client)
        let log = StoreLog(store)
        lab.settle()
        // The program's write during the fetch is newer than the request of the fetch.
        #expect(log.words == ["…", "for now"])
        let required = lab.start { try await store.requireData(from: .origin) }
        #expect(required.value == "for now")
    }

    @Test("an event listener may use the store")
    func listeners() async {
        let store = desk.store()
        let others = Logs()
        let subscription = lab.client.onEvent { event in
            guard case .fresh = event.kind else { return }
            others.add(StoreLog(store))
        }
        let log = desk.follow(having: "a")
        #expect(log.words.isEmpty)
        #expect(others.all.map(\.words) == [["a"]])
        subscription.cancel()
    }
}
