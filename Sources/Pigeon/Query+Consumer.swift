public import CombineShim
public import Observation
public import PigeonCore

extension Query {
    /// Shows what a query with the same key knows, without fetching on its own account.
    ///
    /// ```swift
    /// let users = Query<Void, [User]>.Consumer(key: "users")
    /// ```
    ///
    /// A consumer may be made before its query, may share it with others, and may outlive it: while anyone consumes a key,
    /// its value is kept, and an invalidation refetches it. Where the query adapts its key, the consumer names the adapted
    /// one. A key that holds another type gives a state that is `failed` and names both types.
    @MainActor
    public final class Consumer: nonisolated ObservableObject, QueryType {
        /// The state's type.
        public typealias State = QueryState<Response>

        /// Sends before each change.
        public nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

        /// The key that is consumed.
        public let key: QueryKey

        private let model: QueryModel<Response>

        /// Makes a consumer of a key.
        public init(key: QueryKey, client: QueryClient = .shared) {
            self.key = key
            model = QueryModel(key: key, client: client, config: nil, objectWillChange: objectWillChange)
            model.observe(
                QueryDefinition<Response>.value(at: key).staleAfter(.never).fetchesOnAttach(false)
                    .refetchOnForeground(.never).refetchOnReconnect(.never))
        }

        /// The present state: that of the queries with this key.
        public var state: State { model.state }

        /// All that is known at this moment.
        public var snapshot: Snapshot<Response> {
            model.access()
            return model.snapshot
        }

        /// The last value.
        public var value: Response? { snapshot.value }

        /// The present state, then every change, on the main actor. Finishes when the query is let go.
        public var statePublisher: AnyPublisher<State, Never> {
            model.states
        }

        /// The value of the present state, if it shows one, then every new one, on the main actor. A value that comes again
        /// after a load, equal to the one before, is not new.
        public var valuePublisher: AnyPublisher<Response, Never> {
            model.values
        }

        /// Asks the queries with this key to fetch: with their last requests, or with a new one.
        public func refetch(for parameters: QueryInvalidator.TypedParameters<Request>) {
            QueryInvalidator(client: model.client).invalidateQuery(for: key, with: parameters)
        }

        /// Fetches again as the queries with this key last did, and waits until that has ended, well or not. Does nothing
        /// when none ever did.
        public func refresh() async {
            await model.refetch()
        }

        /// Asks the queries with this key to fetch with a request.
        public func refetch(request: Request) {
            refetch(for: .newData(request))
        }
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension Query.Consumer: nonisolated Observable {}

extension Snapshot {
    /// The cache use of the query that fetches this entry.
    var config: QueryCacheConfig? { picture.options?.values.cacheConfig }
}
