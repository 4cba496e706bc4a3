public import CombineShim
public import PigeonCore

/// A store, made from a factory or from a cacher and a fetcher.
///
/// Create a store with a factory's `create()`, or with `from(cacher:fetcher:param:client:)`. All stores of one key
/// share an entry of their client, and so its fetch and its state. Stores are cheap, so create them where they are
/// used.
public class AnyStoreFlowable<KEY: Hashable & Sendable, DATA: Sendable>: StoreFlowable,
    @unchecked Sendable  // its one property is immutable and Sendable
{
    let store: StoreAccess<DATA>

    required init(_ store: StoreAccess<DATA>) {
        self.store = store
    }

    /// The key of the store in its client. Use it with `QueryClient.invalidate(_:refetch:)`, with events, and in a
    /// query that only observes.
    public var queryKey: QueryKey { store.source.identity.key }

    package var client: QueryClient { store.client }

    /// Returns the same store with other options, such as retries, a time limit or polling.
    ///
    /// ```swift
    /// let users = UserListFlowableFactory().create().options { $0.retry = .standard }
    /// ```
    public func options(_ change: @escaping @Sendable (inout QueryOptions) -> Void) -> Self {
        Self(StoreAccess(store, change))
    }

    // MARK: Publishers

    /// Publishes the current state, and each later one, on the thread that changes the data.
    ///
    /// A subscriber receives each state once. Each subscription reads the cache. If the data is valid, the state is
    /// completed at once. Otherwise it is loading until the data is fetched.
    public func publish(forceRefresh: Bool = false) -> LoadingStatePublisher<DATA> {
        StatePublisher(store: store, forceRefresh: forceRefresh).eraseToAnyPublisher()
    }

    /// Gets the data once, or `nil` where `requireData(from:)` fails. Never fails.
    ///
    /// - Parameter place: The places from which the data may come.
    public func getData(from place: GettingFrom = .both) -> AnyPublisher<DATA?, Never> {
        later { [store] in try? await store.data(from: place) }
    }

    /// Gets the data once: from the cache if it is valid there, otherwise from a fetch, as `place` allows.
    ///
    /// Fails with the error of the fetch unless the cached data is valid, and with ``NoSuchElementError`` if there is
    /// no data. A read from the cache alone waits for a running fetch.
    ///
    /// - Parameter place: The places from which the data may come.
    public func requireData(from place: GettingFrom = .both) -> AnyPublisher<DATA, any Error> {
        laterThrowing { [store] in try await store.data(from: place) }
    }

    /// Fetches the data if the cached data is not valid. Sends once, when that fetch, or one it joined, has ended.
    public func validate() -> AnyPublisher<Void, Never> {
        later { [store] in await store.validate() }
    }

    /// Fetches the data, whatever is cached. Sends once, when that fetch, or one it joined, has ended.
    public func refresh() -> AnyPublisher<Void, Never> {
        later { [store] in await store.refresh() }
    }

    /// Replaces the cached data and notifies observers. `nil` empties the cache. Sends once, when the cache has
    /// answered.
    ///
    /// Cancels a fetch that was requested earlier, because its answer predates the update. If the cache throws,
    /// observers see no change, and the client's event stream reports the error.
    public func update(newData: DATA?) -> AnyPublisher<Void, Never> {
        later { [store] in try? await store.update(newData) }
    }

    /// Records a mutation that sends new data to the server, whatever happens to the process or the network. Then replaces
    /// the cached data and notifies observers, as `update(newData:)` does.
    ///
    /// ```swift
    /// try await settings.update(newData: new, enqueuing: SendSettings(new))
    /// ```
    ///
    /// - Parameters:
    ///   - newData: The new data. `nil` empties the cache.
    ///   - mutation: Sends the data. The store's client must have an ``/PigeonOutbox/Outbox``, to which the type is
    ///     registered.
    /// - Returns: The recorded mutation, with which a caller can wait for the server's answer.
    /// - Throws: ``/PigeonOutbox/OutboxError`` if the mutation cannot be recorded, before anything has changed. The error of
    ///   the cache if it cannot be updated. The mutation is then made all the same.
    @discardableResult
    public func update<M: DurableMutation>(
        newData: DATA?, enqueuing mutation: M
    ) async throws -> EnqueuedMutation<M.Output> {
        let enqueued = try await store.client.enqueue(mutation)
        try await store.update(newData)
        return enqueued
    }

    /// Empties the cache. Answers to earlier requests are not stored afterwards.
    ///
    /// Observers receive a state whose ``LoadingState/hasNoData`` is true. Nothing is fetched until the store is
    /// published, validated or refreshed again.
    public func clear() -> AnyPublisher<Void, Never> {
        later { [store] in try? await store.clear() }
    }

    // MARK: Async

    /// Returns a sequence of the current state and each later one. A slow reader receives only the newest.
    ///
    /// The work starts when the sequence is iterated. Iterations are independent of each other.
    @_disfavoredOverload
    public func publish(forceRefresh: Bool = false) -> LoadingStateSequence<DATA> {
        LoadingStateSequence { [store] in StateReading(store, forceRefresh: forceRefresh) }
    }

    /// Gets the data once, or `nil` where `requireData(from:)` throws.
    public func getData(from place: GettingFrom = .both) async -> DATA? {
        try? await store.data(from: place)
    }

    /// Gets the data once: from the cache if it is valid there, otherwise from a fetch, as `place` allows.
    ///
    /// Cancelling the caller cancels neither the fetch nor other callers.
    ///
    /// - Throws: The error of the fetch unless the cached data is valid, or ``NoSuchElementError`` if there is no data.
    public func requireData(from place: GettingFrom = .both) async throws -> DATA {
        try await store.data(from: place)
    }

    /// Fetches the data if the cached data is not valid, and waits for that fetch, or one that is running.
    public func validate() async {
        await store.validate()
    }

    /// Fetches the data, whatever is cached, and waits for that fetch, or one that is running.
    public func refresh() async {
        await store.refresh()
    }

    /// Replaces the cached data and notifies observers. `nil` empties the cache.
    ///
    /// - Returns: A failure with the error of the cache, if it threw one. Observers then see no change.
    @discardableResult
    public func update(newData: DATA?) async -> Result<Void, any Error> {
        await Result { try await store.update(newData) }
    }

    /// Empties the cache. Answers to earlier requests are not stored afterwards.
    ///
    /// - Returns: A failure with the error of the cache, if it threw one.
    @discardableResult
    public func clear() async -> Result<Void, any Error> {
        await Result { try await store.clear() }
    }
}
