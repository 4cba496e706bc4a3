public import CombineShim
public import PigeonCore

/// What all factories say: which piece of data they are about, and how it is cached.
///
/// The functions may be called on any thread, one at a time for each key: one that waits for the store it is a part of would
/// wait for ever. Of a publisher, the first value counts; one that ends without a value caches nothing.
public protocol BaseStoreFlowableFactory: Sendable {
    /// What tells one piece of data from another of its kind.
    associatedtype KEY: Hashable & Sendable
    /// The data.
    associatedtype DATA: Sendable

    /// Which piece of data it is.
    var key: KEY { get }

    /// Names the kind of data. Always the same object.
    var flowableDataStateManager: FlowableDataStateManager<KEY> { get }

    /// Reads the data from its cache. `nil` when there is none.
    func loadDataFromCache() -> AnyPublisher<DATA?, Never>

    /// Writes the data to its cache. `nil` empties it.
    func saveDataToCache(newData: DATA?) -> AnyPublisher<Void, Never>

    /// Whether what is cached is to be fetched again. A publisher that ends without a value says that it is.
    func needRefresh(cachedData: DATA) -> AnyPublisher<Bool, Never>

    /// Sends whenever the cache was changed by somebody else, so that those who follow see it. By default there is none.
    var cacheChanges: AnyPublisher<Void, Never>? { get }
}

extension BaseStoreFlowableFactory {
    /// None: what others change in the cache is seen when it is read the next time.
    public var cacheChanges: AnyPublisher<Void, Never>? { nil }
}

/// Makes the store of a piece of data out of a cache and an origin.
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
    /// Fetches the data. The publisher's first value is the data, and ends the subscription. A publisher that ends without a
    /// value fails.
    func fetchDataFromOrigin() -> AnyPublisher<DATA, any Error>
}

extension StoreFlowableFactory {
    /// Makes the store. The client that the program shares keeps its state.
    public func create() -> AnyStoreFlowable<KEY, DATA> { create(client: .shared) }

    /// Makes the store.
    ///
    /// - Parameter client: Keeps the state of the store.
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

    func cache(_ pages: StoreCache<DATA>.Pages? = nil) -> StoreCache<DATA> {
        var cache = StoreCache<DATA>(
            load: { (try await loadDataFromCache().first() ?? nil).map { .whole($0) } },
            save: { _ = try await saveDataToCache(newData: $0).first() },
            needsRefresh: { try await needRefresh(cachedData: $0).first() ?? true },
            pages: pages)
        cache.onChange = { handler in
            guard let changes = cacheChanges else { return nil }
            let subscription = HeldSubscription(changes.sink { handler() })
            return QuerySubscription { subscription.cancel() }
        }
        return cache
    }
}

/// Keeps a subscription for a closure that may end it on any thread.
private final class HeldSubscription: Sendable {
    private let subscription: Locked<AnyCancellable?>

    init(_ subscription: AnyCancellable) {
        self.subscription = Locked(subscription)
    }

    func cancel() {
        let old = subscription.withLock { subscription in
            defer { subscription = nil }
            return subscription
        }
        old?.cancel()
    }
}
