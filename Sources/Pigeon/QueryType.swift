public import CombineShim

/// What queries, consumers and paginated queries have in common.
@MainActor
public protocol QueryType<Request, Response> {
    /// What a fetch is asked with.
    associatedtype Request: Sendable
    /// What it brings.
    associatedtype Response: Sendable

    /// The present state.
    var state: QueryState<Response> { get }

    /// The present state, then every change, on the main actor.
    var statePublisher: AnyPublisher<QueryState<Response>, Never> { get }

    /// The present value, if there is one, then every new one, on the main actor.
    var valuePublisher: AnyPublisher<Response, Never> { get }

    /// Fetches with a request. By default nothing happens: a type of your own that fetches implements it.
    func refetch(request: Request)
}

extension QueryType {
    /// The value of the present state's `succeed`.
    public var valuePublisher: AnyPublisher<Response, Never> {
        statePublisher.compactMap(\.value).eraseToAnyPublisher()
    }

    /// Does nothing. Suits a type that shows what others fetch.
    public func refetch(request: Request) {}

    /// The present state, then every change, until the query is let go. A slow reader skips states, but never the last.
    public var states: AsyncStream<QueryState<Response>> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: QueryState<Response>.self, bufferingPolicy: .bufferingNewest(1))
        let subscription = MainActorBox(
            statePublisher.sink { _ in
                continuation.finish()
            } receiveValue: {
                continuation.yield($0)
            })
        continuation.onTermination = { _ in Task { @MainActor in subscription.value = nil } }
        return stream
    }

    /// The same query with its type erased.
    public func eraseToAnyQuery() -> AnyQuery<Request, Response> {
        AnyQuery(self)
    }
}

/// Holds something that only the main actor touches.
@MainActor
final class MainActorBox<Value> {
    var value: Value?

    init(_ value: Value) {
        self.value = value
    }
}

/// A query of any kind.
@MainActor
public final class AnyQuery<Request: Sendable, Response: Sendable>: QueryType {
    private let getState: () -> QueryState<Response>
    private let getStatePublisher: () -> AnyPublisher<QueryState<Response>, Never>
    private let onRefetch: (Request) -> Void

    /// Erases a query.
    public init(_ query: some QueryType<Request, Response>) {
        getState = { query.state }
        getStatePublisher = { query.statePublisher }
        onRefetch = { query.refetch(request: $0) }
    }

    /// Makes a query of closures.
    public init(
        stateGetter: @escaping () -> QueryState<Response>,
        statePublisherGetter: @escaping () -> AnyPublisher<QueryState<Response>, Never>,
        refetch: @escaping (Request) -> Void = { _ in }
    ) {
        getState = stateGetter
        getStatePublisher = statePublisherGetter
        onRefetch = refetch
    }

    /// The present state.
    public var state: QueryState<Response> { getState() }

    /// The present state, then every change.
    public var statePublisher: AnyPublisher<QueryState<Response>, Never> { getStatePublisher() }

    /// Fetches with a request.
    public func refetch(request: Request) {
        onRefetch(request)
    }
}
