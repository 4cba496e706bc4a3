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
