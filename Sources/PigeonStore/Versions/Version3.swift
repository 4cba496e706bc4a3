public import CombineShim
public import PigeonCore

// Factories of version 3 have no key: each function receives it as `param`. They are converted to factories of version
// 2.

/// The key type of the stores of version 3, which do not name theirs. It has no values.
public enum StoreKeyV3: Hashable, Sendable {}

/// A store, as version 3 names it: by the type of its data alone.
///
/// Code of version 3 builds unchanged in a module that declares the old name:
///
/// ```swift
/// typealias AnyStoreFlowable<DATA: Sendable> = AnyStoreFlowableV3<DATA>
/// ```
public typealias AnyStoreFlowableV3<DATA: Sendable> = AnyStoreFlowable<StoreKeyV3, DATA>

/// A store of a list that grows at its end, named by the type of its data alone.
public typealias AnyPaginationStoreFlowableV3<DATA: Sendable> = AnyPaginationStoreFlowable<StoreKeyV3, DATA>

/// A store of a list that grows at both sides, named by the type of its data alone.
public typealias AnyTwoWayPaginationStoreFlowableV3<DATA: Sendable> = AnyTwoWayPaginationStoreFlowable<StoreKeyV3, DATA>

/// The cache of one kind of data, as all factories of version 3 describe it.
///
/// The functions may be called on any thread, one at a time for each `param`. See ``BaseStoreFlowableFactory``, whose
/// functions these are, without the parameter.
public protocol BaseStoreFlowableFactoryV3: Sendable {
    /// The type of the key, which identifies a piece of data among those of its kind.
    associatedtype PARAM: Hashable & Sendable
    /// The type of the data.
    associatedtype DATA: Sendable

    /// Identifies the kind of data. Must always be the same object.
    var flowableDataStateManager: FlowableDataStateManager<PARAM> { get }

    /// Reads the data from its cache. `nil` if there is none.
    func loadDataFromCache(param: PARAM) -> AnyPublisher<DATA?, Never>

    /// Writes the data to its cache. `nil` empties it.
    func saveDataToCache(newData: DATA?, param: PARAM) -> AnyPublisher<Void, Never>

    /// Decides whether cached data is fetched again.
    func needRefresh(cachedData: DATA, param: PARAM) -> AnyPublisher<Bool, Never>
}

extension FlowableDataStateManager {
    /// The key's type, by its name in version 3.
    public typealias PARAM = KEY
}

/// Makes the stores of one kind of data, as version 3 writes it.
///
/// ```swift
/// let user: AnyStoreFlowableV3<UserData> = UserFlowableFactory().create(userId)
/// ```
public protocol StoreFlowableFactoryV3: BaseStoreFlowableFactoryV3 {
    /// Fetches the data.
    func fetchDataFromOrigin(param: PARAM) -> AnyPublisher<DATA, any Error>
}

/// The cache of one kind of list, as factories of lists in version 3 describe it.
public protocol BasePaginationStoreFlowableFactoryV3: BaseStoreFlowableFactoryV3 {
    /// Writes the cached data followed by the next page.
    func saveNextDataToCache(cachedData: DATA, newData: DATA, param: PARAM) -> AnyPublisher<Void, Never>
}

/// Makes the stores of lists that grow at their end, as version 3 writes it.
public protocol PaginationStoreFlowableFactoryV3: BasePaginationStoreFlowableFactoryV3 {
    /// Fetches the first page.
    func fetchDataFromOrigin(param: PARAM) -> AnyPublisher<Fetched<DATA>, any Error>

    /// Fetches the page of a key.
    func fetchNextDataFromOrigin(nextKey: String, param: PARAM) -> AnyPublisher<Fetched<DATA>, any Error>
}

/// Makes the stores of lists that grow at both sides, as version 3 writes it.
public protocol TwoWayPaginationStoreFlowableFactoryV3: BasePaginationStoreFlowableFactoryV3 {
    /// Writes the previous page followed by the cached data.
    func savePrevDataToCache(cachedData: DATA, newData: DATA, param: PARAM) -> AnyPublisher<Void, Never>

    /// Fetches the first page to show.
    func fetchDataFromOrigin(param: PARAM) -> AnyPublisher<FetchedInitial<DATA>, any Error>

    /// Fetches the page of a key at the end.
    func fetchNextDataFromOrigin(nextKey: String, param: PARAM) -> AnyPublisher<FetchedNext<DATA>, any Error>

    /// Fetches the page of a key at the start.
    func fetchPrevDataFromOrigin(prevKey: String, param: PARAM) -> AnyPublisher<FetchedPrev<DATA>, any Error>
}

extension StoreFlowableFactoryV3 {
    /// Makes the store of one piece of data in the shared client.
    ///
    /// - Parameter param: The piece of data.
    public func create(_ param: PARAM) -> AnyStoreFlowableV3<DATA> { create(param, client: .shared) }

    /// Makes the store of one piece of data.
    ///
    /// - Parameters:
    ///   - param: The piece of data.
    ///   - client: The client that stores the state.
    public func create(_ param: PARAM, client: QueryClient) -> AnyStoreFlowableV3<DATA> {
        AnyStoreFlowable(BoundFactoryV3(factory: self, key: param).create(client: client).store)
    }
}

extension PaginationStoreFlowableFactoryV3 {
    /// Makes the store of one list in the shared client.
    ///
    /// - Parameter param: The list.
    public func create(_ param: PARAM) -> AnyPaginationStoreFlowableV3<DATA> { create(param, client: .shared) }

    /// Makes the store of one list.
    ///
    /// - Parameters:
    ///   - param: The list.
    ///   - client: The client that stores the state.
    public func create(_ param: PARAM, client: QueryClient) -> AnyPaginationStoreFlowableV3<DATA> {
        AnyPaginationStoreFlowable(BoundFactoryV3(factory: self, key: param).create(client: client).store)
    }
}

extension TwoWayPaginationStoreFlowableFactoryV3 {
    /// Makes the store of one list in the shared client.
    ///
    /// - Parameter param: The list.
    public func create(_ param: PARAM) -> AnyTwoWayPaginationStoreFlowableV3<DATA> { create(param, client: .shared) }

    /// Makes the store of one list.
    ///
    /// - Parameters:
    ///   - param: The list.
    ///   - client: The client that stores the state.
    public func create(_ param: PARAM, client: QueryClient) -> AnyTwoWayPaginationStoreFlowableV3<DATA> {
        AnyTwoWayPaginationStoreFlowable(BoundFactoryV3(factory: self, key: param).create(client: client).store)
    }
}

/// A factory of version 3 with a fixed `param`, which makes it a factory of version 2.
private struct BoundFactoryV3<Factory: BaseStoreFlowableFactoryV3>: BaseStoreFlowableFactory {
    typealias DATA = Factory.DATA

    let factory: Factory
    let key: Factory.PARAM

    var flowableDataStateManager: FlowableDataStateManager<Factory.PARAM> { factory.flowableDataStateManager }

    func loadDataFromCache() -> AnyPublisher<DATA?, Never> { factory.loadDataFromCache(param: key) }

    func saveDataToCache(newData: DATA?) -> AnyPublisher<Void, Never> {
        factory.saveDataToCache(newData: newData, param: key)
    }

    func needRefresh(cachedData: DATA) -> AnyPublisher<Bool, Never> {
        factory.needRefresh(cachedData: cachedData, param: key)
    }
}

extension BoundFactoryV3: StoreFlowableFactory where Factory: StoreFlowableFactoryV3 {
    func fetchDataFromOrigin() -> AnyPublisher<DATA, any Error> { factory.fetchDataFromOrigin(param: key) }
}

extension BoundFactoryV3: BasePaginationStoreFlowableFactory where Factory: BasePaginationStoreFlowableFactoryV3 {
    func saveNextDataToCache(cachedData: DATA, newData: DATA) -> AnyPublisher<Void, Never> {
        factory.saveNextDataToCache(cachedData: cachedData, newData: newData, param: key)
    }
}

extension BoundFactoryV3: PaginationStoreFlowableFactory where Factory: PaginationStoreFlowableFactoryV3 {
    func fetchDataFromOrigin() -> AnyPublisher<Fetched<DATA>, any Error> { factory.fetchDataFromOrigin(param: key) }

    func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<Fetched<DATA>, any Error> {
        factory.fetchNextDataFromOrigin(nextKey: nextKey, param: key)
    }
}

extension BoundFactoryV3: TwoWayPaginationStoreFlowableFactory where Factory: TwoWayPaginationStoreFlowableFactoryV3 {
    func savePrevDataToCache(cachedData: DATA, newData: DATA) -> AnyPublisher<Void, Never> {
        factory.savePrevDataToCache(cachedData: cachedData, newData: newData, param: key)
    }

    func fetchDataFromOrigin() -> AnyPublisher<FetchedInitial<DATA>, any Error> {
        factory.fetchDataFromOrigin(param: key)
    }

    func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<FetchedNext<DATA>, any Error> {
        factory.fetchNextDataFromOrigin(nextKey: nextKey, param: key)
    }

    func fetchPrevDataFromOrigin(prevKey: String) -> AnyPublisher<FetchedPrev<DATA>, any Error> {
        factory.fetchPrevDataFromOrigin(prevKey: prevKey, param: key)
    }
}
