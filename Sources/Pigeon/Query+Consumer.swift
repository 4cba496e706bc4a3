public import CombineShim
public import Observation
public import PigeonCore

extension Query {
    /// Shows the state of the queries with the same key, without fetching by itself.
    ///
    /// ```swift
    /// let users = Query<Void, [User]>.Consumer(key: "users")
    /// ```
    ///
    /// A consumer can be created before its query, share it with other consumers, and outlive it. While a key has a
    /// consumer, its value stays in memory, and an invalidation refetches it. If the query adapts its key, pass the
    /// adapted key to the consumer. If the key holds another type, the state is `failed` with an error that names both
    /// types.
    @MainActor
    public final class Consumer: nonisolated ObservableObject, QueryType {
        /// The type of the state.
        public typealias State = QueryState<Response>

        /// Sends a value before each change.
        public nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

        /// The key of the consumed query.
        public let key: QueryKey

        private let model: QueryModel<Response>

        /// Creates a consumer of a key.
        public init(key: QueryKey, client: QueryClient = .shared) {
            self.key = key
            model = QueryModel(key: key, client: client, config: nil, objectWillChange: objectWillChange)
            model.observe(
                QueryDefinition<Response>.value(at: key).staleAfter(.never).fetchesOnAttach(false)
                    .refetchOnForeground(.never).refetchOnReconnect(.never))
        }

        /// The current state of the queries with this key.
        public var state: State { model.state }

        /// The current snapshot.
        public var snapshot: Snapshot<Response> {
            model.access()
            return model.snapshot
        }

        /// The last value, or `nil` if there is none.
        public var value: Response? { snapshot.value }

        /// Publishes the current state, and then every change, on the main actor. Finishes when the query is released.
        public var statePublisher: AnyPublisher<State, Never> {
            model.statePublisher { [weak model] in model?.state }
        }

        /// Publishes the value of the current state, if it has one, and then every new value, on the main actor. Does
        /// not publish a loaded value that equals the previous one.
        public var valuePublisher: AnyPublisher<Response, Never> {
            model.valuePublisher { [weak self] in self?.model.snapshot.value }
        }

        /// Refetches the queries with this key, with their last requests or with a new one.
        public func refetch(for parameters: QueryInvalidator.TypedParameters<Request>) {
            QueryInvalidator(client: model.client).invalidateQuery(for: key, with: parameters)
        }

        /// Repeats the last fetch of the queries with this key, and waits until the fetch has succeeded or failed. Does
        /// nothing if there was none.
        public func refresh() async {
            await model.refetch()
        }

        /// Refetches the queries with this key with a new request.
        public func refetch(request: Request) {
            refetch(for: .newData(request))
        }
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension Query.Consumer: nonisolated Observable {}

extension Snapshot {
    /// The cache configuration of the query that fetches this entry.
    var config: QueryCacheConfig? { picture.options?.values.cacheConfig }
}
