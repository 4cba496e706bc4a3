public import CombineShim

/// A list that is cached in a place of your own, and grows at its end page by page.
///
/// Its state stays completed while pages load: what becomes of them is told beside the data, by `next`.
public protocol PaginationStoreFlowable<KEY, DATA>: StoreFlowable {
    /// Loads the next page, and adds it to what is cached. Ends with it.
    ///
    /// Does nothing before there is data, while the whole is being loaded, and at the end. A page that is being loaded is
    /// waited for, not loaded twice.
    ///
    /// - Parameter continueWhenError: Whether a page that could not be loaded is tried again.
    func requestNextData(continueWhenError: Bool) -> AnyPublisher<Void, Never>

    /// Replaces what is cached, and where the list goes on. A key of `nil` stays as it is; an empty one ends the list.
    func update(newData: DATA?, nextKey: String?) -> AnyPublisher<Void, Never>
}

extension PaginationStoreFlowable {
    /// Loads the next page, also one that could not be loaded before.
    public func requestNextData() -> AnyPublisher<Void, Never> { requestNextData(continueWhenError: true) }

    /// Loads the next page, and waits for it. See ``requestNextData(continueWhenError:)``.
    ///
    /// - Returns: Why there is no page: what loading it threw, ``AdditionalRequestOnNilException`` before there is data, and
    ///   ``AdditionalRequestOnErrorStateException`` when the whole could not be loaded. The end of the list is a success.
    @discardableResult
    public func requestNextData(continueWhenError: Bool = true) async -> Result<Void, any Error> {
        let done: AnyPublisher<Void, Never> = requestNextData(continueWhenError: continueWhenError)
        return await Result { _ = try await done.first() }
    }

    /// Replaces what is cached, and where the list goes on.
    @discardableResult
    public func update(newData: DATA?, nextKey: String?) async -> Result<Void, any Error> {
        let done: AnyPublisher<Void, Never> = update(newData: newData, nextKey: nextKey)
        return await Result { _ = try await done.first() }
    }
}

/// A store of a list that grows at its end, whatever it is made of.
public class AnyPaginationStoreFlowable<KEY: Hashable & Sendable, DATA: Sendable>: AnyStoreFlowable<KEY, DATA>,
    PaginationStoreFlowable,
    @unchecked Sendable  // it adds no property
{
    /// Loads the next page and adds it to the cache. Sends once, at the end of the load or of the list, or on a refusal.
    ///
    /// Never fails. The event stream of the client reports why there is no page; the publisher below fails with it.
    ///
    /// - Parameter continueWhenError: Whether a page that could not be loaded is tried again.
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
    /// Fails with the error of the load, with ``AdditionalRequestOnNilException`` if there is no data to add the page to, and
    /// with ``AdditionalRequestOnErrorStateException`` if the data itself could not be loaded.
    ///
    /// - Parameter continueWhenError: Whether a page that could not be loaded is tried again. If not, the publisher fails with
    ///   the error of that page.
    @_disfavoredOverload
    public func requestNextData(continueWhenError: Bool = true) -> AnyPublisher<Void, any Error> {
        laterThrowing { [store] in try await store.requestPage(.next, continueWhenError: continueWhenError) }
    }

    /// Loads the next page, and adds it to what is cached.
    ///
    /// - Returns: Why there is no page: what loading it threw, ``AdditionalRequestOnNilException`` before there is data,
    ///   ``AdditionalRequestOnErrorStateException`` when the whole could not be loaded. The end of the list is a success.
    @discardableResult
    public func requestNextData(continueWhenError: Bool = true) async -> Result<Void, any Error> {
        await Result { try await store.requestPage(.next, continueWhenError: continueWhenError) }
    }

    /// Replaces what is cached, and where the list goes on. A key of `nil` stays as it is; an empty one ends the list.
    public func update(newData: DATA?, nextKey: String?) -> AnyPublisher<Void, Never> {
        later { [store] in try? await store.update(newData, [.next: PageKeyUpdate(nextKey)]) }
    }

    /// Replaces what is cached, and where the list goes on. A key of `nil` stays as it is; an empty one ends the list.
    @discardableResult
    public func update(newData: DATA?, nextKey: String?) async -> Result<Void, any Error> {
        await Result { try await store.update(newData, [.next: PageKeyUpdate(nextKey)]) }
    }

    /// Replaces what is cached, and keeps, sets or ends where the list goes on.
    public func update(newData: DATA?, nextKey: PageKeyUpdate) -> AnyPublisher<Void, Never> {
        later { [store] in try? await store.update(newData, [.next: nextKey]) }
    }

    /// Replaces what is cached, and keeps, sets or ends where the list goes on.
    @discardableResult
    public func update(newData: DATA?, nextKey: PageKeyUpdate) async -> Result<Void, any Error> {
        await Result { try await store.update(newData, [.next: nextKey]) }
    }
}
