public import PigeonCore

// Stores of version 4 have only async functions, and no type for the key. Here they are stores with the key type
// `StoreKeyV4`. If a function has several forms, overload resolution prefers the form of version 4.

/// The key type of the stores of version 4, which do not name theirs. It has no values.
public enum StoreKeyV4: Hashable, Sendable {}

/// A store, as version 4 names and uses it: by the type of its data alone, with async functions first.
///
/// Code of version 4 builds unchanged in a module that declares the old names:
///
/// ```swift
/// typealias AnyStoreFlowable<DATA: Sendable> = AnyStoreFlowableV4<DATA>
/// ```
public typealias AnyStoreFlowableV4<DATA: Sendable> = AnyStoreFlowable<StoreKeyV4, DATA>

/// A store of a list that grows at its end, as version 4 names and uses it.
public typealias AnyPaginationStoreFlowableV4<DATA: Sendable> = AnyPaginationStoreFlowable<StoreKeyV4, DATA>

/// A store of a list that grows at both sides, as version 4 names and uses it.
public typealias AnyTwoWayPaginationStoreFlowableV4<DATA: Sendable> = AnyTwoWayPaginationStoreFlowable<StoreKeyV4, DATA>

/// A store with the functions of version 4, such as a fake in tests and previews.
public protocol StoreFlowableV4<DATA>: Sendable {
    /// The type of the data.
    associatedtype DATA: Sendable

    /// Publishes the current state, and each later one.
    ///
    /// - Parameter forceRefresh: True to fetch the data even if the cached data is valid.
    func publish(forceRefresh: Bool) -> LoadingStateSequence<DATA>

    /// Gets the data once, or `nil` where ``requireData(from:)`` throws.
    func getData(from: GettingFrom) async -> DATA?

    /// Gets the data once.
    func requireData(from: GettingFrom) async throws -> DATA

    /// Fetches the data if the cached data is not valid, and waits for the fetch.
    func validate() async

    /// Fetches the data, whatever is cached, and waits for the fetch.
    func refresh() async

    /// Replaces the cached data and notifies observers. `nil` empties the cache.
    func update(newData: DATA?) async

    /// Empties the cache.
    func clear() async
}

/// A store of a list that grows at its end, with the functions of version 4.
public protocol PaginationStoreFlowableV4<DATA>: StoreFlowableV4 {
    /// Loads the next page and adds it to the cache.
    ///
    /// - Parameter continueWhenError: True to retry a page that failed to load before.
    func requestNextData(continueWhenError: Bool) async

    /// Replaces the cached data and the key of the next page. A key of `nil` stays unchanged. An empty key ends the
    /// list.
    func update(newData: DATA?, nextKey: String?) async
}

/// A store of a list that grows at both sides, with the functions of version 4.
public protocol TwoWayPaginationStoreFlowableV4<DATA>: PaginationStoreFlowableV4 {
    /// Loads the previous page and adds it to the cache.
    ///
    /// - Parameter continueWhenError: True to retry a page that failed to load before.
    func requestPrevData(continueWhenError: Bool) async

    /// Replaces the cached data and the keys of both sides. A key of `nil` stays unchanged. An empty key ends the list.
    func update(newData: DATA?, nextKey: String?, prevKey: String?) async
}

extension StoreFlowableV4 {
    /// Publishes the current state, and each later one. Does not fetch valid cached data.
    public func publish() -> LoadingStateSequence<DATA> { publish(forceRefresh: false) }

    /// Gets the data once, from the cache if it is valid there, otherwise from its origin.
    public func getData() async -> DATA? { await getData(from: .both) }

    /// Gets the data once, from the cache if it is valid there, otherwise from its origin.
    public func requireData() async throws -> DATA { try await requireData(from: .both) }
}

extension PaginationStoreFlowableV4 {
    /// Loads the next page, even if it failed to load before.
    public func requestNextData() async { await requestNextData(continueWhenError: true) }
}

extension TwoWayPaginationStoreFlowableV4 {
    /// Loads the previous page, even if it failed to load before.
    public func requestPrevData() async { await requestPrevData(continueWhenError: true) }

    /// Replaces the cached data and the key of the previous page. The key of the next page stays unchanged.
    public func update(newData: DATA?, prevKey: String?) async {
        await update(newData: newData, nextKey: nil, prevKey: prevKey)
    }
}

// MARK: The stores

extension AnyStoreFlowable: StoreFlowableV4 where KEY == StoreKeyV4 {
    /// Returns a sequence of the current state and each later one. A slow reader receives only the newest.
    public func publish(forceRefresh: Bool = false) -> LoadingStateSequence<DATA> {
        LoadingStateSequence { [store] in StateReading(store, forceRefresh: forceRefresh) }
    }

    /// Replaces the cached data and notifies observers. `nil` empties the cache.
    public func update(newData: DATA?) async {
        try? await store.update(newData)
    }

    /// Empties the cache. Answers to earlier requests are not stored afterwards.
    public func clear() async {
        try? await store.clear()
    }
}

extension AnyPaginationStoreFlowable: PaginationStoreFlowableV4 where KEY == StoreKeyV4 {
    /// Loads the next page and adds it to the cache. If there is none, the client's event stream reports the reason.
    ///
    /// - Parameter continueWhenError: True to retry a page that failed to load before.
    public func requestNextData(continueWhenError: Bool = true) async {
        try? await store.requestPage(.next, continueWhenError: continueWhenError)
    }

    /// Replaces the cached data and the key of the next page. A key of `nil` stays unchanged. An empty key ends the
    /// list.
    public func update(newData: DATA?, nextKey: String?) async {
        try? await store.update(newData, [.next: PageKeyUpdate(nextKey)])
    }
}

extension AnyTwoWayPaginationStoreFlowable: TwoWayPaginationStoreFlowableV4 where KEY == StoreKeyV4 {
    /// Loads the previous page and adds it to the cache. If there is none, the client's event stream reports the
    /// reason.
    ///
    /// - Parameter continueWhenError: True to retry a page that failed to load before.
    public func requestPrevData(continueWhenError: Bool = true) async {
        try? await store.requestPage(.previous, continueWhenError: continueWhenError)
    }

    /// Replaces the cached data and the key of the previous page. The key of the next page stays unchanged.
    public func update(newData: DATA?, prevKey: String?) async {
        await update(newData: newData, nextKey: nil, prevKey: prevKey)
    }

    /// Replaces the cached data and the keys of both sides. A key of `nil` stays unchanged. An empty key ends the list.
    public func update(newData: DATA?, nextKey: String?, prevKey: String?) async {
        try? await store.update(newData, [.next: PageKeyUpdate(nextKey), .previous: PageKeyUpdate(prevKey)])
    }
}

// MARK: Making stores

extension AnyStoreFlowable where KEY == StoreKeyV4 {
    /// Makes the store of a piece of data from a cacher and a fetcher.
    ///
    /// ```swift
    /// let user: AnyStoreFlowableV4<User> = AnyStoreFlowable.from(
    ///     cacher: users, fetcher: UserFetcher(), param: 42)
    /// ```
    @_disfavoredOverload
    public static func from<F: Fetcher>(
        cacher: Cacher<F.PARAM, DATA>, fetcher: F, param: F.PARAM, client: QueryClient = .shared
    ) -> AnyStoreFlowableV4<DATA> where F.DATA == DATA {
        AnyStoreFlowable(
            AnyStoreFlowable<F.PARAM, DATA>.from(cacher: cacher, fetcher: fetcher, param: param, client: client).store)
    }

    /// Makes the store of a list that grows at its end. `DATA` is the type of one item, as in version 4.
    @_disfavoredOverload
    public static func from<F: PaginationFetcher>(
        cacher: PaginationCacher<F.PARAM, DATA>, fetcher: F, param: F.PARAM, client: QueryClient = .shared
    ) -> AnyPaginationStoreFlowableV4<[DATA]> where F.DATA == DATA {
        let store: AnyPaginationStoreFlowable<F.PARAM, [DATA]> = AnyStoreFlowable<F.PARAM, [DATA]>
            .from(cacher: cacher, fetcher: fetcher, param: param, client: client)
        return AnyPaginationStoreFlowable(store.store)
    }

    /// Makes the store of a list that grows at both sides. `DATA` is the type of one item, as in version 4.
    @_disfavoredOverload
    public static func from<F: TwoWayPaginationFetcher>(
        cacher: TwoWayPaginationCacher<F.PARAM, DATA>, fetcher: F, param: F.PARAM, client: QueryClient = .shared
    ) -> AnyTwoWayPaginationStoreFlowableV4<[DATA]> where F.DATA == DATA {
        let store: AnyTwoWayPaginationStoreFlowable<F.PARAM, [DATA]> = AnyStoreFlowable<F.PARAM, [DATA]>
            .from(cacher: cacher, fetcher: fetcher, param: param, client: client)
        return AnyTwoWayPaginationStoreFlowable(store.store)
    }

    /// Makes the store of data that needs no key.
    @_disfavoredOverload
    public static func from<F: Fetcher>(
        cacher: Cacher<UnitHash, DATA>, fetcher: F, client: QueryClient = .shared
    ) -> AnyStoreFlowableV4<DATA> where F.PARAM == UnitHash, F.DATA == DATA {
        from(cacher: cacher, fetcher: fetcher, param: UnitHash(), client: client)
    }

    /// Makes the store of a list that needs no key and grows at its end.
    @_disfavoredOverload
    public static func from<F: PaginationFetcher>(
        cacher: PaginationCacher<UnitHash, DATA>, fetcher: F, client: QueryClient = .shared
    ) -> AnyPaginationStoreFlowableV4<[DATA]> where F.PARAM == UnitHash, F.DATA == DATA {
        from(cacher: cacher, fetcher: fetcher, param: UnitHash(), client: client)
    }

    /// Makes the store of a list that needs no key and grows at both sides.
    @_disfavoredOverload
    public static func from<F: TwoWayPaginationFetcher>(
        cacher: TwoWayPaginationCacher<UnitHash, DATA>, fetcher: F, client: QueryClient = .shared
    ) -> AnyTwoWayPaginationStoreFlowableV4<[DATA]> where F.PARAM == UnitHash, F.DATA == DATA {
        from(cacher: cacher, fetcher: fetcher, param: UnitHash(), client: client)
    }
}
