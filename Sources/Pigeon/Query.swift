public import CombineShim
public import Foundation
public import Observation
public import PigeonCore

/// A piece of server data on a screen: its value, its error, and its fetches.
///
/// ```swift
/// let me = Query(.user(42))                     // shows what is cached, and fetches it if it is stale
/// print(me.value?.name ?? "nothing yet")        // readable on the main actor, at once
/// print(me.snapshot)                            // all that is known: last value, error, times
/// ```
///
/// Here `.user(42)` is a ``/PigeonCore/QueryDefinition``, which has the key, the fetcher and the options. If each fetch has
/// a request, such as an identifier, a closure makes the definition of a request:
///
/// ```swift
/// let friend = Query { id in .user(id) }        // fetches when a request is made: friend.refetch(request: 43)
/// ```
///
/// Queries with the same key share one entry, with one fetch and one value. Each has its own last request, with which
/// ``refresh()`` fetches. Polling and invalidations repeat the newest request of the key, whose value all its queries
/// show.
///
/// Changes arrive on the main actor, whatever the fetcher's thread. Observe them with the Observation framework,
/// ``snapshots``, ``valuePublisher``, or `ObservableObject`.
///
/// When a query is released, its polling ends. A fetch in flight continues and its value is cached, unless the client's
/// options are ``/PigeonCore/AbandonPolicy/cancel`` and the key has no other observer.
@MainActor
public final class Query<Request: Sendable, Response: Sendable>: nonisolated ObservableObject, QueryType {
    /// The time of the first fetch.
    public enum FetchingBehavior {
        /// Fetches when ``Query/refetch(request:)`` is called.
        case startWhenRequested
        /// Fetches when the query is created.
        case startImmediately(Request)
    }

    /// The interval at which a query refetches.
    public enum PollingBehavior: Sendable, Hashable {
        /// Never refetches on its own.
        case noPolling
        /// Repeats the newest fetch of the key this many seconds after it, while the key has observers. A tick never
        /// overlaps a fetch in flight, and polling continues after a failure. NaN, zero and negative numbers do not
        /// poll, and are reported.
        case pollEvery(TimeInterval)
    }

    /// The value that a query shows for a new key until that key has a value.
    public enum Placeholder: Sendable, Hashable {
        /// Shows no value.
        case none
        /// Shows the value of the previous key. The snapshot marks it as a placeholder.
        case previousValue
    }

    /// The type of the state.
    public typealias State = QueryState<Response>

    /// A fetcher that is a publisher. The query shows each of its values.
    public typealias QueryFetcher = @Sendable (Request) -> AnyPublisher<Response, any Error>

    /// Sends a value before each change.
    public nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

    /// The key of the first definition, or an empty key if the query was created without a request or follows another
    /// query. For a query with a key adapter, the base key from which the adapter makes the keys of requests.
    public let key: QueryKey

    /// The request of the last call of ``refetch(request:)``. `nil` before the first call.
    public private(set) var lastRequest: Request?

    private let client: QueryClient
    private let define: (Request) -> QueryDefinition<Response>
    let model: QueryModel<Response>
    /// Follows the query from whose value the definition is made.
    private var dependence: AnyCancellable?
    private lazy var invalidations = KeyInvalidations<Request>(of: key, client: client) { [weak self] request, cause in
        self?.refetch(request: request, cause)
    }

    init(
        _ key: QueryKey, _ client: QueryClient, _ usage: CacheUsage,
        _ define: @escaping (Request) -> QueryDefinition<Response>
    ) {
        self.key = key
        self.client = client
        self.define = define
        model = QueryModel(key: key, client: client, usage: usage, objectWillChange: objectWillChange)
        _state = PublishedProperty(stateOf: model)
        invalidations.listen(to: key)
    }

    // MARK: State

    /// The current state. See ``QueryState``. `$state` is the same publisher as ``statePublisher``.
    @PublishedProperty public var state: State

    /// The current snapshot: the last value, the error, the activity and the times.
    public var snapshot: Snapshot<Response> {
        model.access()
        return model.snapshot
    }

    /// The current snapshot, and then each newer one that looks different, until the query is released. A slow reader
    /// skips snapshots, but never the last one.
    ///
    /// ```swift
    /// for await snapshot in users.snapshots { show(snapshot.value ?? []) }
    /// ```
    public var snapshots: AsyncStream<Snapshot<Response>> { model.snapshots.newestOutputs }

    /// The last value, also during a refetch and after a failure.
    public var value: Response? { snapshot.value }

    /// Publishes the current state, then every change, on the main actor. Completes when the query is released.
    public var statePublisher: AnyPublisher<State, Never> { $state }

    /// Publishes the value of the current state, if it has one, and then every new value, on the main actor. Sends
    /// nothing for a load whose value equals the previous one.
    public var valuePublisher: AnyPublisher<Response, Never> {
        model.values
    }

    // MARK: Fetching

    /// Fetches with a request, unless its value is fresh. A query with a usage policy of Pigeon 0.1 follows that instead.
    ///
    /// The newest request wins: the response to an older one is ignored. The same request joins a first load that is in
    /// flight.
    public func refetch(request: Request) {
        refetch(request: request, .requested)
    }

    /// Refetches with the query's own last request, even if a fresh value is cached, and waits until the fetch has
    /// succeeded or failed. Suits pull to refresh.
    ///
    /// Before the first request, fetches if the request is `Void`, and otherwise does nothing.
    public func refresh() async {
        if let lastRequest { return await model.refetch(follow(lastRequest), with: lastRequest) }
        guard let request = () as? Request else { return }
        refetch(request: request)
        await model.settle()
    }

    /// Cancels the fetch in flight, and restores the state from before it.
    public func cancel() {
        client.cancel(.key(model.snapshot.key))
        model.refresh()
    }

    func refetch(request: Request, _ cause: Cause) {
        model.ask(follow(request), with: request, cause)
    }

    /// Observes the definition of a request, which fetches as its options say.
    func observe(_ request: Request) {
        model.observe(follow(request))
    }

    /// Observes the definition of a request, and again after each change of the value from which it is made.
    ///
    /// - Parameter changes: Sends on the main actor.
    func observe(_ request: Request, following changes: AnyPublisher<Void, Never>) {
        observe(request)
        dependence = changes.sink { [weak self] _ in
            MainActor.assumeIsolated { self?.observe(request) }
        }
    }

    private func follow(_ request: Request) -> QueryDefinition<Response> {
        lastRequest = request
        let definition = define(request)
        invalidations.listen(to: definition.key)
        return definition
    }

    /// Shows the cached value of a definition, without a request.
    func hydrate(_ definition: QueryDefinition<Response>) {
        model.observe(definition.enabled(false))
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension Query: nonisolated Observable {}

extension Query: nonisolated QueryInvalidationListener {}

extension QueryClient {
    /// Returns how a new fetch treats one in flight: it replaces a fetch with another request, and joins a first load
    /// with the same request, whichever query started it.
    func mode<Request: Sendable>(ofFetching key: QueryKey, with request: Request) -> FetchMode {
        guard let running = requestBeingFetched(for: key) as? Request else { return .replace }
        if Request.self == Void.self { return .restart }
        guard let request = request as? any Equatable else { return .replace }
        return request.isEqual(to: running) ? .restart : .replace
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}

extension QueryDefinition {
    func fetchesOnAttach(_ fetches: Bool) -> Self { options { $0.fetchesOnAttach = fetches } }
}
