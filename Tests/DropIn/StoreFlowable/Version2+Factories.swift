import Foundation
import PigeonStore

// The data layer of a program that was written for version 2.

/// Version 2 needs no other names: its own are those of the library.
enum Version2 {}

extension Version2 {
    // guide: class must restate inherited '@unchecked Sendable' conformance
    final class UserStateManager: FlowableDataStateManager<Int>, @unchecked Sendable {
        static let shared = UserStateManager()

        private override init() {}
    }

    /// A manager with an initialiser of its own.
    final class NamedManager: FlowableDataStateManager<String>, @unchecked Sendable {
        let name: String

        init(name: String) {
            self.name = name
            super.init()
        }
    }

    struct UserFactory: StoreFlowableFactory {
        typealias KEY = Int
        typealias DATA = User

        let key: Int
        let flowableDataStateManager: FlowableDataStateManager<Int> = UserStateManager.shared
        static let cache = Memory<Int, User>()

        init(userId: Int) { key = userId }

        func loadDataFromCache() -> AnyPublisher<User?, Never> { Self.cache.load(key) }

        func saveDataToCache(newData: User?) -> AnyPublisher<Void, Never> { Self.cache.save(newData, key) }

        func fetchDataFromOrigin() -> AnyPublisher<User, Error> { answer(User(key)) }

        func needRefresh(cachedData: User) -> AnyPublisher<Bool, Never> {
            Just(cachedData.name == "old").eraseToAnyPublisher()
        }
    }

    /// A store of the only piece of data of its kind, whose origin can fail.
    struct TextFactory: StoreFlowableFactory {
        let key = UnitHash()
        let flowableDataStateManager: FlowableDataStateManager<UnitHash>
        let cache = Memory<UnitHash, String>()
        let origin: @Sendable () -> AnyPublisher<String, Error>

        func loadDataFromCache() -> AnyPublisher<String?, Never> { cache.load(key) }

        func saveDataToCache(newData: String?) -> AnyPublisher<Void, Never> { cache.save(newData, key) }

        func fetchDataFromOrigin() -> AnyPublisher<String, Error> { origin() }

        func needRefresh(cachedData: String) -> AnyPublisher<Bool, Never> { Just(false).eraseToAnyPublisher() }
    }

    struct ListFactory: PaginationStoreFlowableFactory {
        let key: String
        let flowableDataStateManager: FlowableDataStateManager<String>
        let cache = Memory<String, [Int]>()

        func loadDataFromCache() -> AnyPublisher<[Int]?, Never> { cache.load(key) }

        func saveDataToCache(newData: [Int]?) -> AnyPublisher<Void, Never> { cache.save(newData, key) }

        func saveNextDataToCache(cachedData: [Int], newData: [Int]) -> AnyPublisher<Void, Never> {
            cache.save(cachedData + newData, key)
        }

        func fetchDataFromOrigin() -> AnyPublisher<Fetched<[Int]>, Error> {
            answer(Fetched(data: [1], nextKey: "2"))
        }

        func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<Fetched<[Int]>, Error> {
            guard let page = Int(nextKey) else { return failure() }
            return answer(Fetched(data: [page], nextKey: page < 3 ? String(page + 1) : nil))
        }

        func needRefresh(cachedData: [Int]) -> AnyPublisher<Bool, Never> { Just(false).eraseToAnyPublisher() }
    }

    struct FeedFactory: TwoWayPaginationStoreFlowableFactory {
        let key: String
        let flowableDataStateManager: FlowableDataStateManager<String>
        let cache = Memory<String, [Int]>()

        func loadDataFromCache() -> AnyPublisher<[Int]?, Never> { cache.load(key) }

        func saveDataToCache(newData: [Int]?) -> AnyPublisher<Void, Never> { cache.save(newData, key) }

        func saveNextDataToCache(cachedData: [Int], newData: [Int]) -> AnyPublisher<Void, Never> {
            cache.save(cachedData + newData, key)
        }

        func savePrevDataToCache(cachedData: [Int], newData: [Int]) -> AnyPublisher<Void, Never> {
            cache.save(newData + cachedData, key)
        }

        func fetchDataFromOrigin() -> AnyPublisher<FetchedInitial<[Int]>, Error> {
            answer(FetchedInitial(data: [5], nextKey: "6", prevKey: "4"))
        }

        func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<FetchedNext<[Int]>, Error> {
            guard let page = Int(nextKey) else { return failure() }
            return answer(FetchedNext(data: [page], nextKey: String(page + 1)))
        }

        func fetchPrevDataFromOrigin(prevKey: String) -> AnyPublisher<FetchedPrev<[Int]>, Error> {
            guard let page = Int(prevKey) else { return failure() }
            return answer(FetchedPrev(data: [page], prevKey: nil))
        }

        func needRefresh(cachedData: [Int]) -> AnyPublisher<Bool, Never> { Just(false).eraseToAnyPublisher() }
    }
}

extension Version2 {
    /// A program's own protocol, of which a factory's `create()` is the witness.
    protocol UserStoreMaker {
        func create() -> AnyStoreFlowable<Int, User>
    }
}

extension Version2.UserFactory: Version2.UserStoreMaker {}

/// Code that takes whatever factory it is given.
func cached<Factory: BaseStoreFlowableFactory>(_ factory: Factory) -> AnyPublisher<Factory.DATA?, Never> {
    factory.saveDataToCache(newData: nil).flatMap { factory.loadDataFromCache() }.eraseToAnyPublisher()
}

/// A program's own extension of the library's types, constrained by their parameters.
extension AnyStoreFlowable where KEY == Int, DATA == User {
    func name() -> AnyPublisher<String, Error> {
        requireData().map(\.name).eraseToAnyPublisher()
    }
}

extension FlowableDataStateManager where KEY == Int {
    var isNumbered: Bool { true }
}
