public import CombineShim
internal import PigeonCore

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

    /// Empties the cache. Answers to earlier requests are not stored afterwards.
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

extension StoreFlowable {
    /// Returns a sequence of the current state and each later one. A slow reader receives only the newest.
    ///
    /// The work starts when the sequence is iterated. Iterations are independent of each other.
    ///
    /// - Parameter forceRefresh: True to fetch the data even if the cached data is valid.
    @_disfavoredOverload
    public func publish(forceRefresh: Bool) -> LoadingStateSequence<DATA> {
        let store = self
        return LoadingStateSequence { PublishedStates(of: store.publish(forceRefresh: forceRefresh)) }
    }

    /// Publishes the current state, and each later one. Does not fetch valid cached data.
    @_disfavoredOverload
    public func publish() -> LoadingStateSequence<DATA> { publish(forceRefresh: false) }

    /// Gets the data once, or `nil` where ``requireData(from:)`` fails.
    public func getData(from place: GettingFrom = .both) async -> DATA? {
        try? await requireData(from: place)
    }

    /// Gets the data once.
    ///
    /// - Throws: The error of the fetch, or ``NoSuchElementError`` if there is no data.
    public func requireData(from place: GettingFrom = .both) async throws -> DATA {
        let data: AnyPublisher<DATA, any Error> = requireData(from: place)
        return try await data.first().orThrow(NoSuchElementError())
    }

    /// Fetches the data if the cached data is not valid, and waits for it.
    public func validate() async {
        let done: AnyPublisher<Void, Never> = validate()
        _ = try? await done.first()
    }

    /// Fetches the data, whatever is cached, and waits for it.
    public func refresh() async {
        let done: AnyPublisher<Void, Never> = refresh()
        _ = try? await done.first()
    }

    /// Replaces the cached data and notifies observers. `nil` empties the cache.
    ///
    /// - Returns: A failure with the error of the cache, if it threw one. The cache is then unchanged.
    @discardableResult
    public func update(newData: DATA?) async -> Result<Void, any Error> {
        let done: AnyPublisher<Void, Never> = update(newData: newData)
        return await Result { _ = try await done.first() }
    }

    /// Empties the cache. Answers to earlier requests are not stored afterwards.
    ///
    /// - Returns: A failure with the error of the cache, if it threw one. The cache is then unchanged.
    @discardableResult
    public func clear() async -> Result<Void, any Error> {
        let done: AnyPublisher<Void, Never> = clear()
        return await Result { _ = try await done.first() }
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

private struct PublishedStates<DATA: Sendable>: AsyncIteratorProtocol {
    private let mailbox = Mailbox<LoadingState<DATA>>()
    private let subscription: AnyCancellable

    init(of publisher: LoadingStatePublisher<DATA>) {
        let mailbox = mailbox
        subscription = publisher.sink { _ in
            mailbox.close()
        } receiveValue: {
            mailbox.put($0)
        }
    }

    mutating func next() async -> LoadingState<DATA>? { await mailbox.next() }
}

/// Returns a publisher that runs `action` for each subscription, and sends its result on the thread on which it ends.
/// Cancelling a subscription stops only the delivery.
func later<Output: Sendable>(_ action: @escaping @Sendable () async -> Output) -> AnyPublisher<Output, Never> {
    Deferred {
        Future<Output, Never> { promise in
            let promise = Promise(call: promise)
            launchImmediately { promise.call(.success(await action())) }
        }
    }
    .eraseToAnyPublisher()
}

func laterThrowing<Output: Sendable>(
    _ action: @escaping @Sendable () async throws -> Output
) -> AnyPublisher<Output, any Error> {
    Deferred {
        Future<Output, any Error> { promise in
            let promise = Promise(call: promise)
            launchImmediately { promise.call(await Result { try await action() }) }
        }
    }
    .eraseToAnyPublisher()
}

private struct Promise<Output, Failure: Error>: @unchecked Sendable {  // a future may be completed on any thread
    let call: (Result<Output, Failure>) -> Void
}
