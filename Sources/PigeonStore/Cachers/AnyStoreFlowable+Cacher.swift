public import PigeonCore

extension AnyStoreFlowable {
    /// Makes the store of a piece of data from a cacher and a fetcher.
    ///
    /// ```swift
    /// let user = AnyStoreFlowable.from(cacher: users, fetcher: UserFetcher(), param: 42)
    /// for await state in user.publish() { show(state) }
    /// ```
    ///
    /// - Parameters:
    ///   - cacher: Caches the data.
    ///   - fetcher: Fetches the data from its origin.
    ///   - param: Identifies the piece of data.
    ///   - client: The client that stores the state.
    public static func from<F: Fetcher>(
        cacher: Cacher<KEY, DATA>, fetcher: F, param: KEY, client: QueryClient = .shared
    ) -> AnyStoreFlowable<KEY, DATA> where F.PARAM == KEY, F.DATA == DATA {
        let origin = StoreOrigin<DATA> { StoreContent(whole: try await fetcher.fetch(param: param)) }
        return AnyStoreFlowable(cacher.access(client, param, cacher.cache(param), origin))
    }

    /// Makes the store of a list that grows at its end.
    public static func from<Item, F: PaginationFetcher>(
        cacher: PaginationCacher<KEY, Item>, fetcher: F, param: KEY, client: QueryClient = .shared
    ) -> AnyPaginationStoreFlowable<KEY, DATA> where DATA == [Item], F.PARAM == KEY, F.DATA == Item {
        let origin = StoreOrigin<[Item]> {
            let page = try await fetcher.fetch(param: param)
            return StoreContent(whole: page.data, keys: PageKeys(next: page.nextRequestKey))
        } fetchPage: { key, _ in
            let page = try await fetcher.fetchNext(nextKey: key, param: param)
            return (page.data, page.nextRequestKey)
        }
        let cache = cacher.cache(param) {
            PageKeys(next: try await cacher.loadNextRequestKey(param: param))
        } saveKeys: {
            try await cacher.saveNextRequestKey(requestKey: $0.next, param: param)
        } add: { cached, new, _ in
            try await cacher.saveNextData(cachedData: cached, newData: new, param: param)
        }
        return AnyPaginationStoreFlowable(cacher.access(client, param, cache, origin))
    }

    /// Makes the store of a list that grows at both sides.
    public static func from<Item, F: TwoWayPaginationFetcher>(
        cacher: TwoWayPaginationCacher<KEY, Item>, fetcher: F, param: KEY, client: QueryClient = .shared
    ) -> AnyTwoWayPaginationStoreFlowable<KEY, DATA> where DATA == [Item], F.PARAM == KEY, F.DATA == Item {
        let origin = StoreOrigin<[Item]> {
            let page = try await fetcher.fetch(param: param)
            return StoreContent(
                whole: page.data, keys: PageKeys(next: page.nextRequestKey, prev: page.prevRequestKey))
        } fetchPage: { key, direction in
            switch direction {
            case .next:
                let page = try await fetcher.fetchNext(nextKey: key, param: param)
                return (page.data, page.nextRequestKey)
            case .previous:
                let page = try await fetcher.fetchPrev(prevKey: key, param: param)
                return (page.data, page.prevRequestKey)
            }
        }
        let cache = cacher.cache(param) {
            PageKeys(
                next: try await cacher.loadNextRequestKey(param: param),
                prev: try await cacher.loadPrevRequestKey(param: param))
        } saveKeys: {
            try await cacher.saveNextRequestKey(requestKey: $0.next, param: param)
            try await cacher.savePrevRequestKey(requestKey: $0.prev, param: param)
        } add: { cached, new, direction in
            switch direction {
            case .next: try await cacher.saveNextData(cachedData: cached, newData: new, param: param)
            case .previous: try await cacher.savePrevData(cachedData: cached, newData: new, param: param)
            }
        }
        return AnyTwoWayPaginationStoreFlowable(cacher.access(client, param, cache, origin))
    }
}

extension AnyStoreFlowable where KEY == UnitHash {
    /// Makes the store of data that needs no key.
    public static func from<F: Fetcher>(
        cacher: Cacher<UnitHash, DATA>, fetcher: F, client: QueryClient = .shared
    ) -> AnyStoreFlowable<UnitHash, DATA> where F.PARAM == UnitHash, F.DATA == DATA {
        from(cacher: cacher, fetcher: fetcher, param: UnitHash(), client: client)
    }

    /// Makes the store of a list that needs no key and grows at its end.
    public static func from<Item, F: PaginationFetcher>(
        cacher: PaginationCacher<UnitHash, Item>, fetcher: F, client: QueryClient = .shared
    ) -> AnyPaginationStoreFlowable<UnitHash, DATA> where DATA == [Item], F.PARAM == UnitHash, F.DATA == Item {
        from(cacher: cacher, fetcher: fetcher, param: UnitHash(), client: client)
    }

    /// Makes the store of a list that needs no key and grows at both sides.
    public static func from<Item, F: TwoWayPaginationFetcher>(
        cacher: TwoWayPaginationCacher<UnitHash, Item>, fetcher: F, client: QueryClient = .shared
    ) -> AnyTwoWayPaginationStoreFlowable<UnitHash, DATA>
    where DATA == [Item], F.PARAM == UnitHash, F.DATA == Item {
        from(cacher: cacher, fetcher: fetcher, param: UnitHash(), client: client)
    }
}

extension Cacher {
    func access(
        _ client: QueryClient, _ param: PARAM, _ cache: StoreCache<DATA>, _ origin: StoreOrigin<DATA>
    ) -> StoreAccess<DATA> {
        StoreAccess(
            client,
            StoreSource(identities.identity(of: param, holding: DATA.self, below: queryKey, in: client), cache, origin))
    }

    private func onChange(
        _ param: PARAM
    ) -> @Sendable (@escaping @Sendable () -> Void) -> QuerySubscription? {
        { handler in
            guard let changes = self.changes(param: param) else { return nil }
            let task = Task { for await _ in changes { handler() } }
            return QuerySubscription { task.cancel() }
        }
    }

    private func now(_ param: PARAM) -> SourceContent? {
        guard let cached = entries[param], let payload = cached.payload else { return nil }
        return SourceContent(payload, .known(isStale: isExpired(cached.facts.cachedAt)))
    }

    func cache(_ param: PARAM, _ pages: StoreCache<DATA>.PageOperations? = nil) -> StoreCache<DATA> {
        let now: (@Sendable () -> SourceContent?)? = if isPlain { { self.now(param) } } else { nil }
        return StoreCache(
            now: now,
            load: { try await self.loadData(param: param).map { .whole($0) } },
            save: { data in
                try await self.saveData(data: data, param: param)
                guard data != nil else { return }
                try await self.saveDataCachedAt(epochSeconds: self.epochSeconds, param: param)
            },
            restore: { try await self.saveData(data: $0, param: param) },
            needsRefresh: { try await self.needRefresh(cachedData: $0, param: param) },
            markStale: { try await self.saveDataCachedAt(epochSeconds: 0, param: param) },
            onChange: isPlain ? nil : onChange(param), pages: pages)
    }
}
