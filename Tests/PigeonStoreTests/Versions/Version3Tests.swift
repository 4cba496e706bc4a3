import PigeonStore
import PigeonTesting
import TestSupport
import Testing

// The declarations that code of version 3 needs.
private typealias StoreFlowableFactory = StoreFlowableFactoryV3
private typealias PaginationStoreFlowableFactory = PaginationStoreFlowableFactoryV3
private typealias TwoWayPaginationStoreFlowableFactory = TwoWayPaginationStoreFlowableFactoryV3
private typealias AnyStoreFlowable<DATA: Sendable> = AnyStoreFlowableV3<DATA>
private typealias AnyPaginationStoreFlowable<DATA: Sendable> = AnyPaginationStoreFlowableV3<DATA>
private typealias AnyTwoWayPaginationStoreFlowable<DATA: Sendable> = AnyTwoWayPaginationStoreFlowableV3<DATA>

@Suite("Code of StoreFlowable 3")
struct Version3Tests {
    final class UserManager: FlowableDataStateManager<Int>, @unchecked Sendable {}  // it adds no property

    /// The state that the factories share: a cache, and an origin whose answers name the param.
    final class Shelf: Sendable {
        private let texts = Locked<[Int: String]>([:])

        subscript(param: Int) -> String? {
            get { texts.withLock { $0[param] } }
            set { texts.withLock { $0[param] = newValue } }
        }

        func save(_ text: String?, _ param: Int) -> AnyPublisher<Void, Never> {
            self[param] = text
            return Just(()).eraseToAnyPublisher()
        }
    }

    private struct UserFactory: StoreFlowableFactory {
        let flowableDataStateManager: FlowableDataStateManager<Int>
        let shelf = Shelf()

        func loadDataFromCache(param: Int) -> AnyPublisher<String?, Never> { Just(shelf[param]).eraseToAnyPublisher() }
        func saveDataToCache(newData: String?, param: Int) -> AnyPublisher<Void, Never> { shelf.save(newData, param) }
        func needRefresh(cachedData: String, param: Int) -> AnyPublisher<Bool, Never> {
            Just(cachedData == "old \(param)").eraseToAnyPublisher()
        }
        func fetchDataFromOrigin(param: Int) -> AnyPublisher<String, any Error> { origin("user \(param)") }
    }

    private struct ListFactory: PaginationStoreFlowableFactory {
        let flowableDataStateManager: FlowableDataStateManager<Int>
        let shelf = Shelf()

        func loadDataFromCache(param: Int) -> AnyPublisher<String?, Never> { Just(shelf[param]).eraseToAnyPublisher() }
        func saveDataToCache(newData: String?, param: Int) -> AnyPublisher<Void, Never> { shelf.save(newData, param) }
        func saveNextDataToCache(cachedData: String, newData: String, param: Int) -> AnyPublisher<Void, Never> {
            shelf.save(cachedData + newData, param)
        }
        func needRefresh(cachedData: String, param: Int) -> AnyPublisher<Bool, Never> {
            Just(false).eraseToAnyPublisher()
        }
        func fetchDataFromOrigin(param: Int) -> AnyPublisher<Fetched<String>, any Error> {
            origin(Fetched(data: "a\(param)", nextKey: "b"))
        }
        func fetchNextDataFromOrigin(nextKey: String, param: Int) -> AnyPublisher<Fetched<String>, any Error> {
            origin(Fetched(data: "\(nextKey)\(param)", nextKey: nextKey == "b" ? "c" : nil))
        }
    }

    private struct FeedFactory: TwoWayPaginationStoreFlowableFactory {
        let flowableDataStateManager: FlowableDataStateManager<Int>
        let shelf = Shelf()

        func loadDataFromCache(param: Int) -> AnyPublisher<String?, Never> { Just(shelf[param]).eraseToAnyPublisher() }
        func saveDataToCache(newData: String?, param: Int) -> AnyPublisher<Void, Never> { shelf.save(newData, param) }
        func saveNextDataToCache(cachedData: String, newData: String, param: Int) -> AnyPublisher<Void, Never> {
            shelf.save(cachedData + newData, param)
        }
        func savePrevDataToCache(cachedData: String, newData: String, param: Int) -> AnyPublisher<Void, Never> {
            shelf.save(newData + cachedData, param)
        }
        func needRefresh(cachedData: String, param: Int) -> AnyPublisher<Bool, Never> {
            Just(false).eraseToAnyPublisher()
        }
        func fetchDataFromOrigin(param: Int) -> AnyPublisher<FetchedInitial<String>, any Error> {
            origin(FetchedInitial(data: "m\(param)", nextKey: "n", prevKey: "l"))
        }
        func fetchNextDataFromOrigin(nextKey: String, param: Int) -> AnyPublisher<FetchedNext<String>, any Error> {
            origin(FetchedNext(data: "\(nextKey)\(param)", nextKey: nil))
        }
        func fetchPrevDataFromOrigin(prevKey: String, param: Int) -> AnyPublisher<FetchedPrev<String>, any Error> {
            origin(FetchedPrev(data: "\(prevKey)\(param)", prevKey: nil))
        }
    }

    private static func origin<Value>(_ value: Value) -> AnyPublisher<Value, any Error> {
        Just(value).setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }

    let lab = QueryLab()

    @Test("A factory of version 3 makes a store for each param", .rule("U17"))
    func plain() async throws {
        let factory = UserFactory(flowableDataStateManager: UserManager(queryKey: "users"))
        factory.shelf[2] = "old 2"
        let one: AnyStoreFlowable<String> = factory.create(1, client: lab.client)
        let two: AnyStoreFlowable<String> = factory.create(2, client: lab.client)
        let (logOne, logTwo) = (StoreLog(one), StoreLog(two))
        #expect(logOne.last == "user 1")
        #expect(logTwo.words == ["old 2…", "user 2"])
        #expect(factory.shelf[1] == "user 1")
        let same = StoreLog(factory.create(1, client: lab.client))
        _ = one.update(newData: "mine").sink { _ in }
        #expect(same.last == "mine")
        #expect(logTwo.last == "user 2")
        #expect(one.queryKey == QueryKey("users", 1))
    }

    @Test("A list of version 3 grows page by page", .rule("U17"))
    func pages() async throws {
        let factory = ListFactory(flowableDataStateManager: UserManager(queryKey: "lists"))
        let list: AnyPaginationStoreFlowable<String> = factory.create(7, client: lab.client)
        let log = StoreLog(list)
        #expect(log.last == "a7 more end")
        _ = list.requestNextData().sink { _ in }
        _ = list.requestNextData().sink { _ in }
        #expect(log.last == "a7b7c7")
    }

    @Test("A list of version 3 grows at both sides", .rule("U17"))
    func twoWay() async throws {
        let factory = FeedFactory(flowableDataStateManager: UserManager(queryKey: "feeds"))
        let feed: AnyTwoWayPaginationStoreFlowable<String> = factory.create(1, client: lab.client)
        let log = StoreLog(feed)
        _ = feed.requestPrevData().sink { _ in }
        #expect(log.last == "l1m1 more end")
        _ = feed.requestNextData().sink { _ in }
        #expect(log.last == "l1m1n1")
        _ = feed.update(newData: "x", prevKey: "k").sink { _ in }
        #expect(log.last == "x end more")
    }
}
