public import CombineShim
public import PigeonCore

/// The requirements that all factories of lists share: adding a page to the cache, and storing the page keys.
public protocol BasePaginationStoreFlowableFactory: BaseStoreFlowableFactory {
    /// Writes the cached data followed by the next page.
    func saveNextDataToCache(cachedData: DATA, newData: DATA) -> AnyPublisher<Void, Never>

    /// Reads the keys of the pages before and after the cached data.
    ///
    /// The default reads the keys from memory. A factory whose cache outlives the program should store them in the
    /// cache, with ``saveKeysToCache(keys:)``, so that a list can continue after a restart.
    func loadKeysFromCache() -> AnyPublisher<PageKeys?, Never>

    /// Writes the keys of the pages before and after the cached data. Called after the data was written. The default
    /// stores the keys in memory.
    func saveKeysToCache(keys: PageKeys) -> AnyPublisher<Void, Never>
}

extension BasePaginationStoreFlowableFactory {
    /// The default reads the keys from memory.
    public func loadKeysFromCache() -> AnyPublisher<PageKeys?, Never> {
        Just(flowableDataStateManager.keys[slot]?.keys).eraseToAnyPublisher()
    }

    /// The default stores the keys in memory, for as long as the manager is retained.
    public func saveKeysToCache(keys: PageKeys) -> AnyPublisher<Void, Never> {
        flowableDataStateManager.keys.update(slot) { $0 = keys == PageKeys() ? nil : CachedKeys(keys) }
        return Just(()).eraseToAnyPublisher()
    }

    private var slot: StoreSlot<KEY> { StoreSlot(key, holding: DATA.self) }

    func pages(
        add: @escaping @Sendable (_ cached: DATA, _ new: DATA, PageDirection) -> AnyPublisher<Void, Never>
    ) -> StoreCache<DATA>.PageOperations {
        StoreCache<DATA>.PageOperations(
            loadKeys: { (try await loadKeysFromCache().first() ?? nil) ?? PageKeys() },
            saveKeys: { _ = try await saveKeysToCache(keys: $0).first() },
            add: { _ = try await add($0.value, $1, $2).first() })
    }
}

/// Makes the store of a list that grows at its end.
///
/// Each fetched page contains the key of the next page. If the key is `nil` or empty, the list ends.
public protocol PaginationStoreFlowableFactory: BasePaginationStoreFlowableFactory {
    /// Fetches the first page. The publisher's first value is the page.
    func fetchDataFromOrigin() -> AnyPublisher<Fetched<DATA>, any Error>

    /// Fetches the page of a key. The publisher's first value is the page.
    func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<Fetched<DATA>, any Error>
}

extension PaginationStoreFlowableFactory {
    /// Makes the store in the shared client.
    public func create() -> AnyPaginationStoreFlowable<KEY, DATA> { create(client: .shared) }

    /// Makes the store.
    ///
    /// - Parameter client: The client that stores the state.
    public func create(client: QueryClient) -> AnyPaginationStoreFlowable<KEY, DATA> {
        let origin = StoreOrigin<DATA> {
            try await fetchDataFromOrigin().first().map {
                StoreContent(whole: $0.data, keys: PageKeys(next: $0.nextKey))
            }
        } fetchPage: { key, _ in
            let page = try await page(of: fetchNextDataFromOrigin(nextKey: key))
            return (page.data, page.nextKey)
        }
        let pages = pages { cached, new, _ in saveNextDataToCache(cachedData: cached, newData: new) }
        return AnyPaginationStoreFlowable(access(client, cache(pages), origin))
    }
}
