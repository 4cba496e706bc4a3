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
