public import CombineShim

/// A list that the program caches, and that grows at both sides page by page.
public protocol TwoWayPaginationStoreFlowable<KEY, DATA>: PaginationStoreFlowable {
    /// Loads the previous page, as ``PaginationStoreFlowable/requestNextData(continueWhenError:)`` loads the next one.
    /// Both can be loaded at the same time.
    func requestPrevData(continueWhenError: Bool) -> AnyPublisher<Void, Never>

    /// Replaces the cached data and the keys of further pages. A key of `nil` stays unchanged. An empty key ends the
    /// list.
    func update(newData: DATA?, nextKey: String?, prevKey: String?) -> AnyPublisher<Void, Never>
}

extension TwoWayPaginationStoreFlowable {
    /// Loads the previous page, even if it failed to load before.
    public func requestPrevData() -> AnyPublisher<Void, Never> { requestPrevData(continueWhenError: true) }

    /// Replaces the cached data and the key of the previous page. The key of the next page stays unchanged.
    public func update(newData: DATA?, prevKey: String?) -> AnyPublisher<Void, Never> {
        update(newData: newData, nextKey: nil, prevKey: prevKey)
    }

    /// Replaces the cached data and the key of the previous page. The key of the next page stays unchanged.
    @discardableResult
    public func update(newData: DATA?, prevKey: String?) async -> Result<Void, any Error> {
        await update(newData: newData, nextKey: nil, prevKey: prevKey)
    }

    /// Loads the previous page, and waits for it.
    ///
    /// - Returns: The reason why there is no page, as for the next page.
    @discardableResult
    public func requestPrevData(continueWhenError: Bool = true) async -> Result<Void, any Error> {
        let done: AnyPublisher<Void, Never> = requestPrevData(continueWhenError: continueWhenError)
        return await Result { _ = try await done.first() }
    }

    /// Replaces the cached data and the keys of further pages.
    @discardableResult
    public func update(newData: DATA?, nextKey: String?, prevKey: String?) async -> Result<Void, any Error> {
        let done: AnyPublisher<Void, Never> = update(newData: newData, nextKey: nextKey, prevKey: prevKey)
        return await Result { _ = try await done.first() }
    }
}

/// A store of a list that grows at both sides, made from a factory or from a cacher and a fetcher.
public final class AnyTwoWayPaginationStoreFlowable<KEY: Hashable & Sendable, DATA: Sendable>:
    AnyPaginationStoreFlowable<KEY, DATA>, TwoWayPaginationStoreFlowable,
    @unchecked Sendable  // it adds no property
{
    /// Loads the previous page and adds it to the cache. Sends once, at the end of the load or of the list, or on a
    /// refusal.
    ///
    /// Never fails. If there is no page, the client's event stream reports the reason. The failing variant of this
    /// function fails with it.
    ///
    /// - Parameter continueWhenError: True to retry a page that failed to load before.
    public func requestPrevData(continueWhenError: Bool = true) -> AnyPublisher<Void, Never> {
        later { [store] in try? await store.requestPage(.previous, continueWhenError: continueWhenError) }
    }

    /// Loads the previous page and adds it to the cache. Fails if there is no page, as the next page's publisher does.
    ///
    /// - Parameter continueWhenError: True to retry a page that failed to load before. If not, the publisher fails with
    ///   the error of that page.
    @_disfavoredOverload
    public func requestPrevData(continueWhenError: Bool = true) -> AnyPublisher<Void, any Error> {
        laterThrowing { [store] in try await store.requestPage(.previous, continueWhenError: continueWhenError) }
    }

    /// Loads the previous page, and adds it to the cached data.
    ///
    /// - Returns: The reason why there is no page, as for the next page.
    @discardableResult
    public func requestPrevData(continueWhenError: Bool = true) async -> Result<Void, any Error> {
        await Result { try await store.requestPage(.previous, continueWhenError: continueWhenError) }
    }

    /// Replaces the cached data and the keys of further pages. A key of `nil` stays unchanged. An empty key ends the
    /// list.
    public func update(newData: DATA?, nextKey: String?, prevKey: String?) -> AnyPublisher<Void, Never> {
        update(newData: newData, nextKey: PageKeyUpdate(nextKey), prevKey: PageKeyUpdate(prevKey))
    }

    /// Replaces the cached data and the keys of further pages. A key of `nil` stays unchanged. An empty key ends the
    /// list.
    @discardableResult
    public func update(newData: DATA?, nextKey: String?, prevKey: String?) async -> Result<Void, any Error> {
        await update(newData: newData, nextKey: PageKeyUpdate(nextKey), prevKey: PageKeyUpdate(prevKey))
    }

    /// Replaces the cached data. Keeps, sets or removes the key at each side of the list.
    public func update(
        newData: DATA?, nextKey: PageKeyUpdate, prevKey: PageKeyUpdate
    ) -> AnyPublisher<Void, Never> {
        later { [store] in try? await store.update(newData, [.next: nextKey, .previous: prevKey]) }
    }

    /// Replaces the cached data. Keeps, sets or removes the key at each side of the list.
    @discardableResult
    public func update(
        newData: DATA?, nextKey: PageKeyUpdate, prevKey: PageKeyUpdate
    ) async -> Result<Void, any Error> {
        await Result { try await store.update(newData, [.next: nextKey, .previous: prevKey]) }
    }
}
