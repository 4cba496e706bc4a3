public import CombineShim
public import PigeonCore

/// The requirements that all factories share: the key of the data, and its cache.
///
/// The functions are called on any thread, one at a time for each key. A function that waits for its own store would
/// wait forever. Only the first value of a publisher is used. A publisher that completes without a value caches
/// nothing.
public protocol BaseStoreFlowableFactory: Sendable {
    /// The type of the key, which identifies a piece of data among those of its kind.
    associatedtype KEY: Hashable & Sendable
    /// The type of the data.
    associatedtype DATA: Sendable

    /// The key of the data.
    var key: KEY { get }

    /// Identifies the kind of data. Must always be the same object.
    var flowableDataStateManager: FlowableDataStateManager<KEY> { get }

    /// Reads the data from its cache. `nil` if there is none.
    func loadDataFromCache() -> AnyPublisher<DATA?, Never>

    /// Writes the data to its cache. `nil` empties it.
    func saveDataToCache(newData: DATA?) -> AnyPublisher<Void, Never>

    /// Decides whether cached data must be fetched again. A publisher that completes without a value counts as `true`.
    func needRefresh(cachedData: DATA) -> AnyPublisher<Bool, Never>

    /// Sends a value for each change of the cache outside the store, so that observers see it. The default is `nil`.
    var cacheChanges: AnyPublisher<Void, Never>? { get }
}

extension BaseStoreFlowableFactory {
    /// The default is `nil`: changes of the cache outside the store are seen when it is read the next time.
    public var cacheChanges: AnyPublisher<Void, Never>? { nil }
}

/// Makes the store of a piece of data from a cache and an origin.
///
/// ```swift
/// struct UserFlowableFactory: StoreFlowableFactory {
///     let key: UserId
///     let flowableDataStateManager: FlowableDataStateManager<UserId> = UserStateManager.shared
///
///     func loadDataFromCache() -> AnyPublisher<UserData?, Never> { userCache.load(userId: key) }
///     func saveDataToCache(newData: UserData?) -> AnyPublisher<Void, Never> {
///         userCache.save(userId: key, data: newData)
///     }
///     func fetchDataFromOrigin() -> AnyPublisher<UserData, Error> { userApi.fetch(userId: key) }
///     func needRefresh(cachedData: UserData) -> AnyPublisher<Bool, Never> { cachedData.isExpired() }
/// }
/// ```
public protocol StoreFlowableFactory: BaseStoreFlowableFactory {
    /// Fetches the data. The publisher's first value is the data, and ends the subscription. A publisher that completes
    /// without a value counts as a failure.
    func fetchDataFromOrigin() -> AnyPublisher<DATA, any Error>
}

extension StoreFlowableFactory {
    /// Makes the store in the shared client.
    public func create() -> AnyStoreFlowable<KEY, DATA> { create(client: .shared) }

    /// Makes the store.
    ///
    /// - Parameter client: The client that stores the state.
    public func create(client: QueryClient) -> AnyStoreFlowable<KEY, DATA> {
        let origin = StoreOrigin<DATA> {
            try await fetchDataFromOrigin().first().map { StoreContent(whole: $0) }
        }
        return AnyStoreFlowable(access(client, cache(), origin))
    }
}

extension BaseStoreFlowableFactory {
    /// Awaits the fetch of a page: the first value of its publisher.
    func page<Page: Sendable>(of fetch: AnyPublisher<Page, any Error>) async throws -> Page {
        try await fetch.first().orThrow(QueryError.noValue(key: flowableDataStateManager.queryKey))
    }

    func access(
        _ client: QueryClient, _ cache: StoreCache<DATA>, _ origin: StoreOrigin<DATA>
    ) -> StoreAccess<DATA> {
        let manager = flowableDataStateManager
        let identity = manager.identities.identity(
            of: key, holding: DATA.self, below: manager.queryKey, in: client)
        return StoreAccess(client, StoreSource(identity, cache, origin))
    }

    func cache(_ pages: StoreCache<DATA>.PageOperations? = nil) -> StoreCache<DATA> {
        var cache = StoreCache<DATA>(
            load: { (try await loadDataFromCache().first() ?? nil).map { .whole($0) } },
            save: { _ = try await saveDataToCache(newData: $0).first() },
            restore: { _ = try await saveDataToCache(newData: $0).first() },
            needsRefresh: { try await needRefresh(cachedData: $0).first() ?? true },
            pages: pages)
        cache.onChange = { handler in
            guard let changes = cacheChanges else { return nil }
            let held = HeldSubscription(subscription: changes.sink { handler() })
            return QuerySubscription { held.subscription.cancel() }
        }
        return cache
    }
}

private struct HeldSubscription: @unchecked Sendable {  // a subscription may be cancelled on any thread
    let subscription: AnyCancellable
}
