public import CombineShim
public import PigeonCore

/// Makes the store of a list that grows at both sides.
public protocol TwoWayPaginationStoreFlowableFactory: BasePaginationStoreFlowableFactory {
    /// Writes the previous page followed by the cached data.
    func savePrevDataToCache(cachedData: DATA, newData: DATA) -> AnyPublisher<Void, Never>

    /// Fetches the first page to show. The publisher's first value is the page.
    func fetchDataFromOrigin() -> AnyPublisher<FetchedInitial<DATA>, any Error>

    /// Fetches the page of a key at the end. The publisher's first value is the page.
    func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<FetchedNext<DATA>, any Error>

    /// Fetches the page of a key at the start. The publisher's first value is the page.
    func fetchPrevDataFromOrigin(prevKey: String) -> AnyPublisher<FetchedPrev<DATA>, any Error>
}

extension TwoWayPaginationStoreFlowableFactory {
    /// Makes the store in the shared client.
    public func create() -> AnyTwoWayPaginationStoreFlowable<KEY, DATA> { create(client: .shared) }

    /// Makes the store.
    ///
    /// - Parameter client: The client that stores the state.
    public func create(client: QueryClient) -> AnyTwoWayPaginationStoreFlowable<KEY, DATA> {
        let origin = StoreOrigin<DATA> {
            try await fetchDataFromOrigin().first().map {
                StoreContent(whole: $0.data, keys: PageKeys(next: $0.nextKey, prev: $0.prevKey))
            }
        } fetchPage: { key, direction in
            switch direction {
            case .next:
                let page = try await page(of: fetchNextDataFromOrigin(nextKey: key))
                return (page.data, page.nextKey)
            case .previous:
                let page = try await page(of: fetchPrevDataFromOrigin(prevKey: key))
                return (page.data, page.prevKey)
            }
        }
        let pages = pages { cached, new, direction in
            switch direction {
            case .next: saveNextDataToCache(cachedData: cached, newData: new)
            case .previous: savePrevDataToCache(cachedData: cached, newData: new)
            }
        }
        return AnyTwoWayPaginationStoreFlowable(access(client, cache(pages), origin))
    }
}
