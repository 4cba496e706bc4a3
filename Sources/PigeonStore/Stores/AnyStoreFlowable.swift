public import CombineShim
public import PigeonCore

/// A store, whatever it is made of.
///
/// Make one with a factory's `create()`, or with `from(cacher:fetcher:param:client:)`. Stores of one key share one entry of
/// their client: one fetch and one state, whoever made them. Make them where they are used; they cost next to nothing.
public class AnyStoreFlowable<KEY: Hashable & Sendable, DATA: Sendable>: StoreFlowable,
    @unchecked Sendable  // its one property is immutable and Sendable
{
    let store: StoreAccess<DATA>

    required init(_ store: StoreAccess<DATA>) {
        self.store = store
    }

    /// Names the store in its client: for `QueryClient.invalidate(_:refetch:)`, for events, for a query that only watches.
    public var queryKey: QueryKey { store.source.identity.key }

    /// The same store with other options: how often a fetch is repeated, how long it may take, when it is polled.
    ///
    /// ```swift
    /// let users = UserListFlowableFactory().create().options { $0.retry = .standard }
    /// ```
    public func options(_ change: @escaping @Sendable (inout QueryOptions) -> Void) -> Self {
        Self(StoreAccess(store, change))
    }

    // MARK: Publishers

    /// The present state, and each that follows, on the thread that changes the data.
    ///
    /// A subscriber gets each state once. What is cached is read anew for each subscription: valid data is completed at once,
    /// other data is loading until it is fetched.
    public func publish(forceRefresh: Bool = false) -> LoadingStatePublisher<DATA> {
        StatePublisher(store: store, forceRefresh: forceRefresh).eraseToAnyPublisher()
    }

    /// The data, once: `nil` where `requireData(from:)` fails. Never fails.
    ///
    /// - Parameter place: Where it may come from.
    public func getData(from place: GettingFrom = .both) -> AnyPublisher<DATA?, Never> {
        later { [store] in try? await store.data(from: place) }
    }

    /// The data, once: from the cache if it is valid there, else fetched, as `place` allows.
    ///
    /// Fails with what the fetch failed with, unless what is cached is valid, and with ``NoSuchElementError`` when there is
    /// nothing. From the cache alone, a fetch that is running is waited for.
    ///
    /// - Parameter place: Where it may come from.
    public func requireData(from place: GettingFrom = .both) -> AnyPublisher<DATA, any Error> {
        laterThrowing { [store] in try await store.data(from: place) }
    }

    /// Fetches the data if what is cached is not valid. Sends once, when that fetch, or one it joined, has ended.
    public func validate() -> AnyPublisher<Void, Never> {
        later { [store] in await store.validate() }
    }

    /// Fetches the data, whatever is cached. Sends once, when that fetch, or one it joined, has ended.
    public func refresh() -> AnyPublisher<Void, Never> {
        later { [store] in await store.refresh() }
    }

    /// Replaces the cached data and notifies observers. `nil` empties the cache. Sends once, when the cache has answered.
    ///
    /// A fetch that was requested before is cancelled, since its answer is older than the update. If the cache throws, observers
    /// see what they saw, and the event stream of the client reports the error.
    public func update(newData: DATA?) -> AnyPublisher<Void, Never> {
        later { [store] in try? await store.update(newData) }
    }

    /// Empties the cache. Nothing that was requested before lands after it.
    ///
    /// Observers receive a state whose ``LoadingState/hasNoData`` is true. Nothing is fetched until the store is published,
    /// validated or refreshed again.
    public func clear() -> AnyPublisher<Void, Never> {
        later { [store] in try? await store.clear() }
    }

    // MARK: Async

    /// The present state, and each that follows; the newest, for a slow reader.
    ///
    /// Nothing begins before it is iterated over, and each iteration is its own.
    @_disfavoredOverload
    public func publish(forceRefresh: Bool = false) -> LoadingStateSequence<DATA> {
        LoadingStateSequence { [store] in StateReading(store, forceRefresh: forceRefresh) }
    }

    /// The data, once: `nil` where `requireData(from:)` throws.
    public func getData(from place: GettingFrom = .both) async -> DATA? {
        try? await store.data(from: place)
    }

    /// The data, once: from the cache if it is valid there, else fetched, as `place` allows.
    ///
    /// Cancelling the caller cancels nobody else's wait, and not the fetch.
    ///
    /// - Throws: What the fetch threw, unless what is cached is valid; ``NoSuchElementError`` when there is nothing.
    public func requireData(from place: GettingFrom = .both) async throws -> DATA {
        try await store.data(from: place)
    }

    /// Fetches the data if what is cached is not valid, and waits for that fetch, or one that is running.
    public func validate() async {
        await store.validate()
    }

    /// Fetches the data, whatever is cached, and waits for that fetch, or one that is running.
    public func refresh() async {
        await store.refresh()
    }

    /// Replaces what is cached, and tells those who follow. `nil` empties it.
    ///
    /// - Returns: What the cache threw, if it did: those who follow see what they saw.
    @discardableResult
    public func update(newData: DATA?) async -> Result<Void, any Error> {
        await Result { try await store.update(newData) }
    }

    /// Empties what is cached. Nothing that was asked for before lands after.
    ///
    /// - Returns: What the cache threw, if it did.
    @discardableResult
    public func clear() async -> Result<Void, any Error> {
        await Result { try await store.clear() }
    }
}
