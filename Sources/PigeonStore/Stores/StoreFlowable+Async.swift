internal import CombineShim

extension StoreFlowable {
    /// The present state, and each that follows. A slow reader gets the newest.
    ///
    /// Nothing begins before it is iterated over, and each iteration is its own.
    ///
    /// - Parameter forceRefresh: Whether the data is fetched although what is cached is valid.
    @_disfavoredOverload
    public func publish(forceRefresh: Bool) -> LoadingStateSequence<DATA> {
        let store = self
        return LoadingStateSequence { PublishedStates(of: store.publish(forceRefresh: forceRefresh)) }
    }

    /// The present state, and each that follows. What is cached and valid is not fetched.
    @_disfavoredOverload
    public func publish() -> LoadingStateSequence<DATA> { publish(forceRefresh: false) }

    /// The data, once: `nil` where ``requireData(from:)`` fails.
    public func getData(from place: GettingFrom = .both) async -> DATA? {
        try? await requireData(from: place)
    }

    /// The data, once.
    ///
    /// - Throws: What the fetch threw; ``NoSuchElementError`` when there is nothing.
    public func requireData(from place: GettingFrom = .both) async throws -> DATA {
        let data: AnyPublisher<DATA, any Error> = requireData(from: place)
        return try await data.first().orThrow(NoSuchElementError())
    }

    /// Fetches the data if what is cached is not valid, and waits for it.
    public func validate() async {
        let done: AnyPublisher<Void, Never> = validate()
        _ = try? await done.first()
    }

    /// Fetches the data, whatever is cached, and waits for it.
    public func refresh() async {
        let done: AnyPublisher<Void, Never> = refresh()
        _ = try? await done.first()
    }

    /// Replaces what is cached, and tells those who follow. `nil` empties it.
    ///
    /// - Returns: What the cache threw, if it did: then it holds what it held.
    @discardableResult
    public func update(newData: DATA?) async -> Result<Void, any Error> {
        let done: AnyPublisher<Void, Never> = update(newData: newData)
        return await Result { _ = try await done.first() }
    }

    /// Empties what is cached. Nothing that was asked for before lands after.
    ///
    /// - Returns: What the cache threw, if it did: then it holds what it held.
    @discardableResult
    public func clear() async -> Result<Void, any Error> {
        let done: AnyPublisher<Void, Never> = clear()
        return await Result { _ = try await done.first() }
    }
}

extension Result where Failure == any Error {
    /// What `body` returns or throws.
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// Reads the states of a publisher.
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

import CombineShim
import PigeonCore

/// Does something at each subscription, and sends what comes of it, on the thread that brings it. Cancelling a subscription
/// stops only the sending.
func later<Output: Sendable>(_ action: @escaping @Sendable () async -> Output) -> AnyPublisher<Output, Never> {
    Deferred {
        Future<Output, Never> { promise in
            let promise = Promise(call: promise)
            launchImmediately { promise.call(.success(await action())) }
        }
    }
    .eraseToAnyPublisher()
}

/// The same of what may fail.
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

private struct Promise<Output, Failure: Error>: @unchecked Sendable {  // a future may be fulfilled on any thread
    let call: (Result<Output, Failure>) -> Void
}
