public import CombineShim

/// A piece of data that the program caches, that is fetched if the cached data is not valid, and that can be observed.
///
/// ```swift
/// let user = UserFlowableFactory(userId: id).create()
/// let subscription = user.publish().sink { state in show(state) }  // or: for await state in user.publish()
/// let data = try await user.requireData()  // once, without states
/// ```
///
/// Each function has two forms: one returns a publisher, which starts its work on subscription, and an `async` one is
/// derived from it. All functions can be called from any thread. States arrive on the thread that changes the data.
public protocol StoreFlowable<KEY, DATA>: Sendable {
    /// The type of the key, which identifies a piece of data among those of its kind.
    ///
    /// Your own type can omit the key if it does not need one.
    associatedtype KEY: Hashable & Sendable = UnitHash
    /// The type of the data.
    associatedtype DATA: Sendable

    /// Publishes the current state, and each later one.
    ///
    /// - Parameter forceRefresh: True to fetch the data even if the cached data is valid.
    func publish(forceRefresh: Bool) -> LoadingStatePublisher<DATA>

    /// Gets the data once, or `nil` where ``requireData(from:)`` fails.
    func getData(from: GettingFrom) -> AnyPublisher<DATA?, Never>

    /// Gets the data once. Fails with the error of the fetch, or with ``NoSuchElementError``.
    func requireData(from: GettingFrom) -> AnyPublisher<DATA, any Error>

    /// Fetches the data if the cached data is not valid. Completes when the fetch ends.
    func validate() -> AnyPublisher<Void, Never>

    /// Fetches the data, whatever is cached. Completes when the fetch ends.
    func refresh() -> AnyPublisher<Void, Never>

    /// Replaces the cached data and notifies observers. `nil` empties the cache.
    func update(newData: DATA?) -> AnyPublisher<Void, Never>

    /// Empties the cache. Answers to earlier requests cannot land afterwards.
    func clear() -> AnyPublisher<Void, Never>
}

extension StoreFlowable {
    /// The default empties the cache by an update to `nil`.
    public func clear() -> AnyPublisher<Void, Never> { update(newData: nil) }

    /// Publishes the current state, and each later one. Does not fetch valid cached data.
    public func publish() -> LoadingStatePublisher<DATA> { publish(forceRefresh: false) }

    /// Gets the data once, from the cache if it is valid there, otherwise from its origin.
    public func getData() -> AnyPublisher<DATA?, Never> { getData(from: .both) }

    /// Gets the data once, from the cache if it is valid there, otherwise from its origin.
    public func requireData() -> AnyPublisher<DATA, any Error> { requireData(from: .both) }
}
