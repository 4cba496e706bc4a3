import PigeonStore
import Testing

/// The names of version 3, which a program declares once in each module that uses them.
// guide: `AnyStoreFlowable<UserData>` and its two kin
enum Version3 {
    typealias BaseStoreFlowableFactory = BaseStoreFlowableFactoryV3
    typealias StoreFlowableFactory = StoreFlowableFactoryV3
    typealias PaginationStoreFlowableFactory = PaginationStoreFlowableFactoryV3
    typealias TwoWayPaginationStoreFlowableFactory = TwoWayPaginationStoreFlowableFactoryV3
    typealias AnyStoreFlowable<DATA: Sendable> = AnyStoreFlowableV3<DATA>
    typealias AnyPaginationStoreFlowable<DATA: Sendable> = AnyPaginationStoreFlowableV3<DATA>
    typealias AnyTwoWayPaginationStoreFlowable<DATA: Sendable> = AnyTwoWayPaginationStoreFlowableV3<DATA>
}

extension Version3 {
    final class UserStateManager: FlowableDataStateManager<Int>, @unchecked Sendable {
        static let shared = UserStateManager()

        private override init() {}
    }

    // guide: `param` in each function of a factory, `create(_ param)`
    struct UserFactory: StoreFlowableFactory {
        typealias PARAM = Int
        typealias DATA = User

        let flowableDataStateManager: FlowableDataStateManager<Int> = UserStateManager.shared
        static let cache = Memory<Int, User>()

        func loadDataFromCache(param: Int) -> AnyPublisher<User?, Never> { Self.cache.load(param) }

        func saveDataToCache(newData: User?, param: Int) -> AnyPublisher<Void, Never> {
            Self.cache.save(newData, param)
        }

        func fetchDataFromOrigin(param: Int) -> AnyPublisher<User, Error> { answer(User(param)) }

        func needRefresh(cachedData: User, param: Int) -> AnyPublisher<Bool, Never> {
            Just(cachedData.name == "old").eraseToAnyPublisher()
        }
    }

    struct ListFactory: PaginationStoreFlowableFactory {
        let flowableDataStateManager = FlowableDataStateManager<UnitHash>()
        let cache = Memory<UnitHash, [Int]>()

        func loadDataFromCache(param: UnitHash) -> AnyPublisher<[Int]?, Never> { cache.load(param) }

        func saveDataToCache(newData: [Int]?, param: UnitHash) -> AnyPublisher<Void, Never> {
            cache.save(newData, param)
        }

        func saveNextDataToCache(cachedData: [Int], newData: [Int], param: UnitHash) -> AnyPublisher<Void, Never> {
            cache.save(cachedData + newData, param)
        }

        func fetchDataFromOrigin(param: UnitHash) -> AnyPublisher<Fetched<[Int]>, Error> {
            answer(Fetched(data: [1], nextKey: "2"))
        }

        func fetchNextDataFromOrigin(nextKey: String, param: UnitHash) -> AnyPublisher<Fetched<[Int]>, Error> {
            answer(Fetched(data: [2], nextKey: nil))
        }

        func needRefresh(cachedData: [Int], param: UnitHash) -> AnyPublisher<Bool, Never> {
            Just(false).eraseToAnyPublisher()
        }
    }

    struct FeedFactory: TwoWayPaginationStoreFlowableFactory {
        let flowableDataStateManager = FlowableDataStateManager<String>()
        let cache = Memory<String, [Int]>()

        func loadDataFromCache(param: String) -> AnyPublisher<[Int]?, Never> { cache.load(param) }

        func saveDataToCache(newData: [Int]?, param: String) -> AnyPublisher<Void, Never> {
            cache.save(newData, param)
        }

        func saveNextDataToCache(cachedData: [Int], newData: [Int], param: String) -> AnyPublisher<Void, Never> {
            cache.save(cachedData + newData, param)
        }

        func savePrevDataToCache(cachedData: [Int], newData: [Int], param: String) -> AnyPublisher<Void, Never> {
            cache.save(newData + cachedData, param)
        }

        func fetchDataFromOrigin(param: String) -> AnyPublisher<FetchedInitial<[Int]>, Error> {
            answer(FetchedInitial(data: [5], nextKey: "6", prevKey: "4"))
        }

        func fetchNextDataFromOrigin(nextKey: String, param: String) -> AnyPublisher<FetchedNext<[Int]>, Error> {
            answer(FetchedNext(data: [6], nextKey: nil))
        }

        func fetchPrevDataFromOrigin(prevKey: String, param: String) -> AnyPublisher<FetchedPrev<[Int]>, Error> {
            answer(FetchedPrev(data: [4], prevKey: nil))
        }

        func needRefresh(cachedData: [Int], param: String) -> AnyPublisher<Bool, Never> {
            Just(false).eraseToAnyPublisher()
        }
    }

    /// A fake, whose store has no key.
    struct FakeUser: StoreFlowable {
        typealias DATA = User

        func publish(forceRefresh: Bool) -> LoadingStatePublisher<User> { Just(.done(User(1))).eraseToAnyPublisher() }

        func getData(from: GettingFrom) -> AnyPublisher<User?, Never> { Just(User(1)).eraseToAnyPublisher() }

        func requireData(from: GettingFrom) -> AnyPublisher<User, Error> { answer(User(1)) }

        func validate() -> AnyPublisher<Void, Never> { Just(()).eraseToAnyPublisher() }

        func refresh() -> AnyPublisher<Void, Never> { Just(()).eraseToAnyPublisher() }

        func update(newData: User?) -> AnyPublisher<Void, Never> { Just(()).eraseToAnyPublisher() }
    }

    /// Code that takes whatever factory it is given.
    static func cached<Factory: BaseStoreFlowableFactory>(
        _ factory: Factory, _ param: Factory.PARAM
    ) -> AnyPublisher<Factory.DATA?, Never> {
        factory.loadDataFromCache(param: param)
    }

    /// Code that takes whatever store it is given.
    static func shown<Store: StoreFlowable>(_ store: Store) async -> User? where Store.DATA == User {
        await settled(store.publish())?.content
    }
}

extension Version3.AnyStoreFlowable where DATA == User {
    func userNames() -> AnyPublisher<String, Error> { requireData().map(\.name).eraseToAnyPublisher() }
}

extension FlowableDataStateManager where PARAM == UnitHash {
    var isOnly: Bool { true }
}

extension Version3 {
    @Suite("Coming from StoreFlowable 3")
    struct StoreTests {
        @Test("One factory makes the store of each param, which its data alone names")
        func user() async throws {
            let user: AnyStoreFlowable<User> = UserFactory().create(1)
            #expect(await settled(user.publish())?.content == User(1))
            #expect(try await value(of: user.getData()) == User(1))
            #expect(try await value(of: user.getData(from: .cache)) == User(1))
            try await value(of: user.update(newData: User(1, "bob")))
            #expect(try await value(of: user.requireData()) == User(1, "bob"))
            #expect(try await value(of: user.requireData(from: .origin)) == User(1))
            try await value(of: user.validate())
            try await value(of: user.refresh())
            #expect(await settled(user.publish(forceRefresh: true))?.content == User(1))
            #expect(try await value(of: user.userNames()) == "ann")
            #expect(try await value(of: UserFactory().create(2).getData(from: .cache)) == .some(nil))
            let data: AnyStoreFlowable<User>.DATA = User(3)
            #expect(data.id == 3)
        }

        @Test("create is a function of a param")
        func create() async throws {
            let users: [AnyStoreFlowable<User>] = [10, 11].map(UserFactory().create)
            for (user, id) in zip(users, [10, 11]) { #expect(try await value(of: user.requireData()) == User(id)) }
            #expect(try await value(of: cached(UserFactory(), 10)) == User(10))
            #expect(await shown(UserFactory().create(12)) == User(12))
            #expect(await shown(FakeUser()) == User(1))
        }

        @Test("A list grows at its end")
        func list() async throws {
            let factory = ListFactory()
            let list: AnyPaginationStoreFlowable<[Int]> = factory.create(UnitHash())
            #expect(await settled(list.publish())?.text == "[1] more end")
            try await value(of: list.requestNextData())
            try await value(of: list.requestNextData(continueWhenError: false))
            #expect(await settled(list.publish())?.text == "[1, 2] end end")
            try await value(of: list.update(newData: [7], nextKey: "8"))
            #expect(await settled(list.publish())?.text == "[7] more end")
            try await value(of: list.update(newData: [7]))
            #expect(factory.flowableDataStateManager.isOnly)
            let create: (UnitHash) -> AnyPaginationStoreFlowable<[Int]> = factory.create
            #expect(try await value(of: create(UnitHash()).requireData()) == [7])
        }

        @Test("A list grows at both sides")
        func feed() async throws {
            let factory = FeedFactory()
            let feed: AnyTwoWayPaginationStoreFlowable<[Int]> = factory.create("home")
            #expect(await settled(feed.publish())?.text == "[5] more more")
            try await value(of: feed.requestNextData())
            try await value(of: feed.requestPrevData())
            try await value(of: feed.requestPrevData(continueWhenError: false))
            #expect(await settled(feed.publish())?.text == "[4, 5, 6] end end")
            try await value(of: feed.update(newData: [1], prevKey: "0"))
            try await value(of: feed.update(newData: [1], nextKey: "2", prevKey: "0"))
            #expect(await settled(feed.publish())?.text == "[1] more more")
            let create: (String) -> AnyTwoWayPaginationStoreFlowable<[Int]> = factory.create
            #expect(try await value(of: create("home").requireData()) == [1])
        }
    }
}
