public import CombineShim

/// A list that the program caches, and that grows at its end page by page.
///
/// The state stays completed while pages load. Its `next` value describes the page load.
public protocol PaginationStoreFlowable<KEY, DATA>: StoreFlowable {
    /// Loads the next page, and adds it to the cached data. Completes when the load ends.
    ///
    /// Does nothing if there is no data yet, while the data itself is being loaded, and at the end of the list. Joins a
    /// running load of the page.
    ///
    /// - Parameter continueWhenError: True to retry a page that failed to load before.
    func requestNextData(continueWhenError: Bool) -> AnyPublisher<Void, Never>

    /// Replaces the cached data and the keys of further pages. A key of `nil` stays unchanged. An empty key ends the
    /// list.
    func update(newData: DATA?, nextKey: String?) -> AnyPublisher<Void, Never>
}

extension PaginationStoreFlowable {
    /// Loads the next page, even if it failed to load before.
    public func requestNextData() -> AnyPublisher<Void, Never> { requestNextData(continueWhenError: true) }

    /// Loads the next page, and waits for it. See ``requestNextData(continueWhenError:)``.
    ///
    /// - Returns: A failure if there is no page: the error of the load, ``AdditionalRequestOnNilException`` if there is
    ///   no data to add the page to, or ``AdditionalRequestOnErrorStateException`` if the data itself could not be
    ///   loaded. The end of the list is a success.
    @discardableResult
    public func requestNextData(continueWhenError: Bool = true) async -> Result<Void, any Error> {
        let done: AnyPublisher<Void, Never> = requestNextData(continueWhenError: continueWhenError)
        return await Result { _ = try await done.first() }
    }

    /// Replaces the cached data and the keys of further pages.
    @discardableResult
    public func update(newData: DATA?, nextKey: String?) async -> Result<Void, any Error> {
        let done: AnyPublisher<Void, Never> = update(newData: newData, nextKey: nextKey)
        return await Result { _ = try await done.first() }
    }
}

/// A store of a list that grows at its end, made from a factory or from a cacher and a fetcher.
public class AnyPaginationStoreFlowable<KEY: Hashable & Sendable, DATA: Sendable>: AnyStoreFlowable<KEY, DATA>,
    PaginationStoreFlowable,
    @unchecked Sendable  // it adds no property
{
    /// Loads the next page and adds it to the cache. Sends once, at the end of the load or of the list, or on a
    /// refusal.
    ///
    /// Never fails. If there is no page, the client's event stream reports the reason. The failing variant of this
    /// function fails with it.
    ///
    /// - Parameter continueWhenError: True to retry a page that failed to load before.
    public func requestNextData(continueWhenError: Bool = true) -> AnyPublisher<Void, Never> {
        later { [store] in try? await store.requestPage(.next, continueWhenError: continueWhenError) }
    }

    /// Loads the next page and adds it to the cache. Fails if there is no page, unless the list ends there.
    ///
    /// Give the type to choose this form:
    ///
    /// ```swift
    /// let page: AnyPublisher<Void, any Error> = users.requestNextData()
    /// ```
    ///
    /// Fails with the error of the load, with ``AdditionalRequestOnNilException`` if there is no data to add the page
    /// to, and with ``AdditionalRequestOnErrorStateException`` if the data itself could not be loaded.
    ///
    /// - Parameter continueWhenError: True to retry a page that failed to load before. If not, the publisher fails with
    ///   the error of that page.
    @_disfavoredOverload
    public func requestNextData(continueWhenError: Bool = true) -> AnyPublisher<Void, any Error> {
        laterThrowing { [store] in try await store.requestPage(.next, continueWhenError: continueWhenError) }
    }

    /// Loads the next page, and adds it to the cached data.
    ///
    /// - Returns: A failure if there is no page: the error of the load, ``AdditionalRequestOnNilException`` if there is
    ///   no data to add the page to, or ``AdditionalRequestOnErrorStateException`` if the data itself could not be
    ///   loaded. The end of the list is a success.
    @discardableResult
    public func requestNextData(continueWhenError: Bool = true) async -> Result<Void, any Error> {
        await Result { try await store.requestPage(.next, continueWhenError: continueWhenError) }
    }

    /// Replaces the cached data and the keys of further pages. A key of `nil` stays unchanged. An empty key ends the
    /// list.
    public func update(newData: DATA?, nextKey: String?) -> AnyPublisher<Void, Never> {
        later { [store] in try? await store.update(newData, [.next: PageKeyUpdate(nextKey)]) }
    }

    /// Replaces the cached data and the keys of further pages. A key of `nil` stays unchanged. An empty key ends the
    /// list.
    @discardableResult
    public func update(newData: DATA?, nextKey: String?) async -> Result<Void, any Error> {
        await Result { try await store.update(newData, [.next: PageKeyUpdate(nextKey)]) }
    }

    /// Replaces the cached data. Keeps, sets or removes the key of the next page.
    public func update(newData: DATA?, nextKey: PageKeyUpdate) -> AnyPublisher<Void, Never> {
        later { [store] in try? await store.update(newData, [.next: nextKey]) }
    }

    /// Replaces the cached data. Keeps, sets or removes the key of the next page.
    @discardableResult
    public func update(newData: DATA?, nextKey: PageKeyUpdate) async -> Result<Void, any Error> {
        await Result { try await store.update(newData, [.next: nextKey]) }
    }
}
