public import CombineShim

/// The common interface of queries, consumers and paginated queries.
@MainActor
public protocol QueryType<Request, Response> {
    /// The type of the request of a fetch.
    associatedtype Request: Sendable
    /// The type of the response of a fetch.
    associatedtype Response: Sendable

    /// The current state.
    var state: QueryState<Response> { get }

    /// Publishes the current state, and then every change, on the main actor.
    var statePublisher: AnyPublisher<QueryState<Response>, Never> { get }

    /// Publishes the current value, if there is one, and then every new one, on the main actor.
    var valuePublisher: AnyPublisher<Response, Never> { get }

    /// Fetches with a request. The default does nothing. A type that fetches implements this method.
    func refetch(request: Request)
}

extension QueryType {
    /// The default publishes the values of `succeed` states.
    public var valuePublisher: AnyPublisher<Response, Never> {
        statePublisher.compactMap(\.value).eraseToAnyPublisher()
    }

    /// The default does nothing, for a type that only shows the data of other queries.
    public func refetch(request: Request) {}

    /// The current state, and then every change, until the query is released. A slow reader skips states, but never the
    /// last one.
    public var states: AsyncStream<QueryState<Response>> { statePublisher.newestOutputs }

    /// Returns the query with its type erased.
    public func eraseToAnyQuery() -> AnyQuery<Request, Response> {
        AnyQuery(self)
    }
}

extension Publisher where Failure == Never, Output: Sendable {
    /// The outputs, for a reader that may skip all but the last one. The publisher sends on the main actor.
    @MainActor
    var newestOutputs: AsyncStream<Output> {
        let (stream, continuation) = AsyncStream.makeStream(of: Output.self, bufferingPolicy: .bufferingNewest(1))
        let subscription = MainActorBox(
            sink { _ in
                continuation.finish()
            } receiveValue: {
                continuation.yield($0)
            })
        continuation.onTermination = { _ in Task { @MainActor in subscription.value = nil } }
        return stream
    }
}

@MainActor
final class MainActorBox<Value> {
    var value: Value?

    init(_ value: Value) {
        self.value = value
    }
}

/// A type-erased query.
@MainActor
public final class AnyQuery<Request: Sendable, Response: Sendable>: QueryType {
    private let getState: () -> QueryState<Response>
    private let getStatePublisher: () -> AnyPublisher<QueryState<Response>, Never>
    private let onRefetch: (Request) -> Void

    /// Creates a type-erased query from a query.
    public init(_ query: some QueryType<Request, Response>) {
        getState = { query.state }
        getStatePublisher = { query.statePublisher }
        onRefetch = { query.refetch(request: $0) }
    }

    /// Creates a type-erased query from closures.
    public init(
        stateGetter: @escaping () -> QueryState<Response>,
        statePublisherGetter: @escaping () -> AnyPublisher<QueryState<Response>, Never>,
        refetch: @escaping (Request) -> Void = { _ in }
    ) {
        getState = stateGetter
        getStatePublisher = statePublisherGetter
        onRefetch = refetch
    }

    /// The current state.
    public var state: QueryState<Response> { getState() }

    /// Publishes the current state, and then every change.
    public var statePublisher: AnyPublisher<QueryState<Response>, Never> { getStatePublisher() }

    /// Fetches with a request.
    public func refetch(request: Request) {
        onRefetch(request)
    }
}
