import PigeonStore
import Testing

@Suite("Coming from StoreFlowable 2: stores")
struct Version2StoreTests {
    typealias UserFactory = Version2.UserFactory
    typealias ListFactory = Version2.ListFactory
    typealias FeedFactory = Version2.FeedFactory

    func text(_ origin: @escaping @Sendable () -> AnyPublisher<String, Error>) -> Version2.TextFactory {
        Version2.TextFactory(flowableDataStateManager: FlowableDataStateManager(), origin: origin)
    }

    @Test("publish: the state, once the data is there, and anew when it is forced")
    func publish() async throws {
        let user: AnyStoreFlowable<Int, User> = UserFactory(userId: 1).create()
        let states: LoadingStatePublisher<User> = user.publish()
        #expect(await settled(states)?.content == User(1))
        try await value(of: user.update(newData: User(1, "bob")))
        #expect(await settled(user.publish(forceRefresh: false))?.content == User(1, "bob"))
        var subscriptions = Set<AnyCancellable>()
        user.publish(forceRefresh: true).sink { _ in }.store(in: &subscriptions)
        #expect(try await value(of: user.requireData(from: .origin)) == User(1))
    }

    @Test("getData and requireData, from all places")
    func once() async throws {
        let user = UserFactory(userId: 2).create()
        #expect(try await value(of: user.getData(from: .cache)) == .some(nil))
        await #expect(throws: NoSuchElementError.self) { try await value(of: user.requireData(from: .cache)) }
        #expect(try await value(of: user.getData()) == User(2))
        UserFactory.cache[2] = User(2, "cached")
        #expect(try await value(of: user.requireData()) == User(2, "cached"))
        #expect(try await value(of: user.requireData(from: .both)) == User(2, "cached"))
        #expect(try await value(of: user.getData(from: .origin)) == User(2))
        #expect(try await value(of: user.name()) == "ann")
    }

    @Test("validate fetches what is not valid, refresh whatever is there")
    func refreshing() async throws {
        let user = UserFactory(userId: 3).create()
        UserFactory.cache[3] = User(3, "valid")
        try await value(of: user.validate())
        #expect(UserFactory.cache[3] == User(3, "valid"))
        UserFactory.cache[3] = User(3, "old")
        try await value(of: user.validate())
        #expect(UserFactory.cache[3] == User(3))
        UserFactory.cache[3] = User(3, "valid")
        try await value(of: user.refresh())
        #expect(UserFactory.cache[3] == User(3))
    }

    @Test("update writes the cache and tells those who follow")
    func update() async throws {
        let user = UserFactory(userId: 4).create()
        _ = await settled(user.publish())
        try await value(of: user.update(newData: User(4, "new")))
        #expect(UserFactory.cache[4] == User(4, "new"))
        #expect(await settled(user.publish())?.content == User(4, "new"))
        try await value(of: user.update(newData: nil))
        #expect(UserFactory.cache[4] == nil)
    }

    @Test("An origin that fails is a state, and the failure of requireData")
    func failures() async throws {
        let store = text { failure() }.create()
        #expect(await settled(store.publish())?.text == "error OfflineError")
        await #expect(throws: OfflineError.self) { try await value(of: store.requireData()) }
        #expect(try await value(of: store.getData()) == .some(nil))
    }

    @Test("Of an origin the first value is the data, whether it ends or not")
    func endless() async throws {
        let store = text { CurrentValueSubject<String, Error>("first").eraseToAnyPublisher() }.create()
        #expect(await settled(store.publish())?.text == "first end end")
        let several = text { Publishers.Sequence(sequence: ["a", "b"]).eraseToAnyPublisher() }.create()
        #expect(try await value(of: several.requireData()) == "a")
    }

    @Test("One manager serves two kinds of data, as in programs that have one for all")
    func sharedManager() async throws {
        let manager = FlowableDataStateManager<String>()
        let lists = ListFactory(key: "home", flowableDataStateManager: manager).create()
        let texts = HomeFactory(flowableDataStateManager: manager).create()
        #expect(await settled(lists.publish())?.text == "[1] more end")
        #expect(await settled(texts.publish())?.text == "home end end")
        try await value(of: lists.requestNextData())
        try await value(of: texts.update(newData: "new"))
        #expect(try await value(of: lists.requireData()) == [1, 2])
        #expect(try await value(of: texts.requireData()) == "new")
    }

    @Test("One manager without keys serves two kinds of data, and clears both")
    func sharedManagerWithoutKeys() async throws {
        let manager = FlowableDataStateManager<UnitHash>()
        let texts = Version2.TextFactory(flowableDataStateManager: manager) { answer("text") }.create()
        let counts = CountFactory(flowableDataStateManager: manager).create()
        #expect(await settled(texts.publish())?.text == "text end end")
        #expect(await settled(counts.publish())?.text == "7 end end")
        manager.clearAll()
        #expect(try await value(of: texts.getData(from: .cache)) == .some(nil))
        #expect(try await value(of: counts.getData(from: .cache)) == .some(nil))
    }

    struct CountFactory: StoreFlowableFactory {
        let key = UnitHash()
        let flowableDataStateManager: FlowableDataStateManager<UnitHash>
        let cache = Memory<UnitHash, Int>()

        func loadDataFromCache() -> AnyPublisher<Int?, Never> { cache.load(key) }

        func saveDataToCache(newData: Int?) -> AnyPublisher<Void, Never> { cache.save(newData, key) }

        func fetchDataFromOrigin() -> AnyPublisher<Int, Error> { answer(7) }

        func needRefresh(cachedData: Int) -> AnyPublisher<Bool, Never> { Just(false).eraseToAnyPublisher() }
    }

    struct HomeFactory: StoreFlowableFactory {
        let key = "home"
        let flowableDataStateManager: FlowableDataStateManager<String>
        let cache = Memory<String, String>()

        func loadDataFromCache() -> AnyPublisher<String?, Never> { cache.load(key) }

        func saveDataToCache(newData: String?) -> AnyPublisher<Void, Never> { cache.save(newData, key) }

        func fetchDataFromOrigin() -> AnyPublisher<String, Error> { answer(key) }

        func needRefresh(cachedData: String) -> AnyPublisher<Bool, Never> { Just(false).eraseToAnyPublisher() }
    }

    @Test("A list grows by requestNextData")
    func list() async throws {
        let factory = ListFactory(key: "list", flowableDataStateManager: Version2.NamedManager(name: "lists"))
        let list: AnyPaginationStoreFlowable<String, [Int]> = factory.create()
        #expect(await settled(list.publish())?.text == "[1] more end")
        try await value(of: list.requestNextData())
        try await value(of: list.requestNextData(continueWhenError: false))
        #expect(await settled(list.publish(forceRefresh: false))?.text == "[1, 2, 3] end end")
        try await value(of: list.update(newData: [9], nextKey: "broken"))
        try await value(of: list.requestNextData())
        #expect(await settled(list.publish())?.text == "[9] error OfflineError end")
        // A page that failed is asked for again, unless the program says no.
        try await value(of: list.requestNextData(continueWhenError: false))
        try await value(of: list.update(newData: [8], nextKey: nil))
        #expect(await settled(list.publish())?.text == "[8] more end")
        try await value(of: list.update(newData: [7]))
        #expect(try await value(of: list.getData()) == [7])
        #expect(try await value(of: list.requireData(from: .cache)) == [7])
        try await value(of: list.validate())
        try await value(of: list.refresh())
        #expect(try await value(of: list.requireData()) == [1])
    }

    @Test("A list grows at both sides")
    func feed() async throws {
        let factory = FeedFactory(key: "feed", flowableDataStateManager: Version2.NamedManager(name: "feeds"))
        let feed: AnyTwoWayPaginationStoreFlowable<String, [Int]> = factory.create()
        #expect(await settled(feed.publish())?.text == "[5] more more")
        try await value(of: feed.requestPrevData())
        try await value(of: feed.requestPrevData(continueWhenError: false))
        try await value(of: feed.requestNextData())
        try await value(of: feed.requestNextData(continueWhenError: true))
        #expect(await settled(feed.publish(forceRefresh: false))?.text == "[4, 5, 6, 7] more end")
        try await value(of: feed.update(newData: [1], prevKey: "0"))
        #expect(await settled(feed.publish())?.text == "[1] more more")
        try await value(of: feed.update(newData: [2], nextKey: "3"))
        try await value(of: feed.update(newData: [2], nextKey: "3", prevKey: "1"))
        try await value(of: feed.requestPrevData())
        try await value(of: feed.requestNextData())
        #expect(try await value(of: feed.requireData()) == [1, 2, 3])
        try await value(of: feed.update(newData: [2]))
        try await value(of: feed.validate())
        #expect(try await value(of: feed.getData(from: .cache)) == [2])
        try await value(of: feed.refresh())
        #expect(try await value(of: feed.getData()) == [5])
    }

    @Test("Factories are as before: their functions, what they return, create as a function")
    func factories() async throws {
        let (list, feed) = (
            ListFactory(key: "a", flowableDataStateManager: FlowableDataStateManager()),
            FeedFactory(key: "b", flowableDataStateManager: FlowableDataStateManager())
        )
        #expect(try await value(of: cached(list)) == .some(nil))
        #expect(try await value(of: list.fetchNextDataFromOrigin(nextKey: "2"))?.data == [2])
        #expect(try await value(of: feed.fetchDataFromOrigin())?.prevKey == "4")
        #expect(try await value(of: feed.fetchNextDataFromOrigin(nextKey: "6"))?.nextKey == "7")
        #expect(try await value(of: feed.fetchPrevDataFromOrigin(prevKey: "4"))?.data == [4])
        let make: () -> AnyStoreFlowable<Int, User> = UserFactory(userId: 6).create
        #expect(try await value(of: make().requireData()) == User(6))
        let maker: any Version2.UserStoreMaker = UserFactory(userId: 6)
        #expect(try await value(of: maker.create().getData(from: .cache)) == User(6))
        let lists: () -> AnyPaginationStoreFlowable<String, [Int]> = list.create
        let feeds: () -> AnyTwoWayPaginationStoreFlowable<String, [Int]> = feed.create
        #expect(try await value(of: lists().requireData()) == [1])
        #expect(try await value(of: feeds().requireData()) == [5])
        #expect(Version2.UserStateManager.shared.isNumbered)
    }

    @Test("The parameters of the type-erased stores are their KEY and DATA")
    func erased() {
        let key: AnyStoreFlowable<Int, User>.KEY = 1
        let user: AnyStoreFlowable<Int, User>.DATA = User(key)
        let list: AnyPaginationStoreFlowable<String, [Int]>.DATA = [user.id]
        let listKey: AnyPaginationStoreFlowable<String, [Int]>.KEY = "list"
        let feed: AnyTwoWayPaginationStoreFlowable<String, [Int]>.DATA = list
        let feedKey: AnyTwoWayPaginationStoreFlowable<String, [Int]>.KEY = listKey
        #expect(feed == [1])
        #expect(feedKey == "list")
    }

    @Test("In an async function, a publisher that is kept first says its type")
    func asyncFunction() async throws {
        let user = UserFactory(userId: 7).create()
        // guide: `let data = user.requireData()` in an `async` function, and later `data.sink`
        let data: AnyPublisher<User, Error> = user.requireData()
        #expect(try await value(of: data) == User(7))
        // What is used at once, and `publish()`, need nothing.
        var subscriptions = Set<AnyCancellable>()
        user.refresh().sink { _ in }.store(in: &subscriptions)
        let states = user.publish()
        states.sink { _ in }.store(in: &subscriptions)
        #expect(subscriptions.count == 2)
    }
}
