public import CombineShim

/// A list that is cached in a place of your own, and grows at both sides page by page.
public protocol TwoWayPaginationStoreFlowable<KEY, DATA>: PaginationStoreFlowable {
    /// Loads the previous page, as ``PaginationStoreFlowable/requestNextData(continueWhenError:)`` does the next. Both may be
    /// loaded at the same time.
    func requestPrevData(continueWhenError: Bool) -> AnyPublisher<Void, Never>

    /// Replaces what is cached, and where the list goes on. A key of `nil` stays as it is; an empty one ends the list.
    func update(newData: DATA?, nextKey: String?, prevKey: String?) -> AnyPublisher<Void, Never>
}

extension TwoWayPaginationStoreFlowable {
    /// Loads the previous page, also one that could not be loaded before.
    public func requestPrevData() -> AnyPublisher<Void, Never> { requestPrevData(continueWhenError: true) }

    /// Replaces what is cached, and where the list goes on at its start. At its end the key stays as it is.
    public func update(newData: DATA?, prevKey: String?) -> AnyPublisher<Void, Never> {
        update(newData: newData, nextKey: nil, prevKey: prevKey)
    }

    /// Replaces what is cached, and where the list goes on at its start. At its end the key stays as it is.
    @discardableResult
    public func update(newData: DATA?, prevKey: String?) async -> Result<Void, any Error> {
        await update(newData: newData, nextKey: nil, prevKey: prevKey)
    }

    /// Loads the previous page, and waits for it.
    ///
    /// - Returns: Why there is no page, as for the next.
    @discardableResult
    public func requestPrevData(continueWhenError: Bool = true) async -> Result<Void, any Error> {
        let done: AnyPublisher<Void, Never> = requestPrevData(continueWhenError: continueWhenError)
        return await Result { _ = try await done.first() }
    }

    /// Replaces what is cached, and where the list goes on.
    @discardableResult
    public func update(newData: DATA?, nextKey: String?, prevKey: String?) async -> Result<Void, any Error> {
        let done: AnyPublisher<Void, Never> = update(newData: newData, nextKey: nextKey, prevKey: prevKey)
        return await Result { _ = try await done.first() }
    }
}

/// A store of a list that grows at both sides, whatever it is made of.
public final class AnyTwoWayPaginationStoreFlowable<KEY: Hashable & Sendable, DATA: Sendable>:
    AnyPaginationStoreFlowable<KEY, DATA>, TwoWayPaginationStoreFlowable,
    @unchecked Sendable  // it adds no property
{
    /// Loads the previous page and adds it to the cache. Sends once, at the end of the load or of the list, or on a refusal.
    ///
    /// Never fails. The event stream of the client reports why there is no page; the publisher below fails with it.
    ///
    /// - Parameter continueWhenError: Whether a page that could not be loaded is tried again.
    public func requestPrevData(continueWhenError: Bool = true) -> AnyPublisher<Void, Never> {
        later { [store] in try? await store.requestPage(.previous, continueWhenError: continueWhenError) }
    }

    /// Loads the previous page and adds it to the cache. Fails if there is no page, as the next page's publisher does.
    ///
    /// - Parameter continueWhenError: Whether a page that could not be loaded is tried again. If not, the publisher fails with
    ///   the error of that page.
    @_disfavoredOverload
    public func requestPrevData(continueWhenError: Bool = true) -> AnyPublisher<Void, any Error> {
        laterThrowing { [store] in try await store.requestPage(.previous, continueWhenError: continueWhenError) }
    }

    /// Loads the previous page, and adds it to what is cached.
    ///
    /// - Returns: Why there is no page, as for the next.
    @discardableResult
    public func requestPrevData(continueWhenError: Bool = true) async -> Result<Void, any Error> {
        await Result { try await store.requestPage(.previous, continueWhenError: continueWhenError) }
    }

    /// Replaces what is cached, and where the list goes on. A key of `nil` stays as it is; an empty one ends the list.
    public func update(newData: DATA?, nextKey: String?, prevKey: String?) -> AnyPublisher<Void, Never> {
        update(newData: newData, nextKey: PageKeyUpdate(nextKey), prevKey: PageKeyUpdate(prevKey))
    }

    /// Replaces what is cached, and where the list goes on. A key of `nil` stays as it is; an empty one ends the list.
    @discardableResult
    public func update(newData: DATA?, nextKey: String?, prevKey: String?) async -> Result<Void, any Error> {
        await update(newData: newData, nextKey: PageKeyUpdate(nextKey), prevKey: PageKeyUpdate(prevKey))
    }

    /// Replaces what is cached, and keeps, sets or ends where the list goes on at each side.
    public func update(
        newData: DATA?, nextKey: PageKeyUpdate, prevKey: PageKeyUpdate
    ) -> AnyPublisher<Void, Never> {
        later { [store] in try? await store.update(newData, [.next: nextKey, .previous: prevKey]) }
    }

    /// Replaces what is cached, and keeps, sets or ends where the list goes on at each side.
    @discardableResult
    public func update(
        newData: DATA?, nextKey: PageKeyUpdate, prevKey: PageKeyUpdate
    ) async -> Result<Void, any Error> {
        await Result { try await store.update(newData, [.next: nextKey, .previous: prevKey]) }
    }
}
