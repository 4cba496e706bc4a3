public import CombineShim

/// A piece of data that is cached in a place of your own, fetched when that has nothing valid, and followed by whoever asks.
///
/// ```swift
/// let user = UserFlowableFactory(userId: id).create()
/// let subscription = user.publish().sink { state in show(state) }  // or: for await state in user.publish()
/// let data = try await user.requireData()  // once, without states
/// ```
///
/// Each function comes as a publisher, which does its work when it is subscribed to, and as an `async` one, which is derived
/// from it. All may be called from any thread; states arrive on the thread that changes the data.
public protocol StoreFlowable<KEY, DATA>: Sendable {
    /// What tells one piece of data from another of its kind.
    ///
    /// A type of your own that has no use for a key leaves it out.
    associatedtype KEY: Hashable & Sendable = UnitHash
    /// The data.
    associatedtype DATA: Sendable

    /// The present state, and each that follows.
    ///
    /// - Parameter forceRefresh: Whether the data is fetched although what is cached is valid.
    func publish(forceRefresh: Bool) -> LoadingStatePublisher<DATA>

    /// The data, once: `nil` where ``requireData(from:)`` fails.
    func getData(from: GettingFrom) -> AnyPublisher<DATA?, Never>

    /// The data, once. Fails with what the fetch failed with, or with ``NoSuchElementError``.
    func requireData(from: GettingFrom) -> AnyPublisher<DATA, any Error>

    /// Fetches the data if what is cached is not valid. Ends with the fetch.
    func validate() -> AnyPublisher<Void, Never>

    /// Fetches the data, whatever is cached. Ends with the fetch.
    func refresh() -> AnyPublisher<Void, Never>

    /// Replaces what is cached, and tells those who follow. `nil` empties it.
    func update(newData: DATA?) -> AnyPublisher<Void, Never>

    /// Empties what is cached. Nothing that was asked for before lands after.
    func clear() -> AnyPublisher<Void, Never>
}

extension StoreFlowable {
    /// Empties what is cached, as updating it to `nil` does.
    public func clear() -> AnyPublisher<Void, Never> { update(newData: nil) }

    /// The present state, and each that follows. What is cached and valid is not fetched.
    public func publish() -> LoadingStatePublisher<DATA> { publish(forceRefresh: false) }

    /// The data, from the cache if it is valid there, else from its origin.
    public func getData() -> AnyPublisher<DATA?, Never> { getData(from: .both) }

    /// The data, from the cache if it is valid there, else from its origin.
    public func requireData() -> AnyPublisher<DATA, any Error> { requireData(from: .both) }
}
