public import CombineShim
public import PigeonCore

/// What factories of lists say beside: how a page is added to the cache, and where the list goes on.
public protocol BasePaginationStoreFlowableFactory: BaseStoreFlowableFactory {
    /// Writes the cached data with the next page after it.
    func saveNextDataToCache(cachedData: DATA, newData: DATA) -> AnyPublisher<Void, Never>

    /// Reads what the pages before and after what is cached are asked by.
    ///
    /// By default the library remembers that for as long as the program runs. A factory whose cache outlives the program
    /// keeps it there, with ``saveKeysToCache(keys:)``, so that a list goes on after a restart.
    func loadKeysFromCache() -> AnyPublisher<PageKeys?, Never>

    /// Writes what the pages before and after what is cached are asked by. Called after the data was written.
    func saveKeysToCache(keys: PageKeys) -> AnyPublisher<Void, Never>
}

extension BasePaginationStoreFlowableFactory {
    /// What was remembered.
    public func loadKeysFromCache() -> AnyPublisher<PageKeys?, Never> {
        Just(flowableDataStateManager.keys[key]?.keys).eraseToAnyPublisher()
    }

    /// Remembers it.
    public func saveKeysToCache(keys: PageKeys) -> AnyPublisher<Void, Never> {
        flowableDataStateManager.keys.update(key) { $0 = keys == PageKeys() ? nil : KeptKeys(keys) }
        return Just(()).eraseToAnyPublisher()
    }

    func pages(
        add: @escaping @Sendable (_ cached: DATA, _ new: DATA, PageDirection) -> AnyPublisher<Void, Never>
    ) -> StoreCache<DATA>.Pages {
        StoreCache<DATA>.Pages(
            loadKeys: { (try await loadKeysFromCache().first() ?? nil) ?? PageKeys() },
            saveKeys: { _ = try await saveKeysToCache(keys: $0).first() },
            add: { _ = try await add($0.value, $1, $2).first() })
    }
}

/// Makes the store of a list that grows at its end.
///
/// A page that is fetched names the key of the one after it; without one, or with an empty one, the list ends.
public protocol PaginationStoreFlowableFactory: BasePaginationStoreFlowableFactory {
    /// Fetches the first page. The publisher's first value is the page.
    func fetchDataFromOrigin() -> AnyPublisher<Fetched<DATA>, any Error>

    /// Fetches the page of a key. The publisher's first value is the page.
    func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<Fetched<DATA>, any Error>
}

extension PaginationStoreFlowableFactory {
    /// Makes the store. The client that the program shares keeps its state.
    public func create() -> AnyPaginationStoreFlowable<KEY, DATA> { create(client: .shared) }

    /// Makes the store.
    ///
    /// - Parameter client: Keeps the state of the store.
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
