public import CombineShim
public import Observation
public import PigeonCore

extension Query {
    /// Shows the state of the queries with a key, and does not fetch on its own.
    ///
    /// ```swift
    /// let users = Query<Void, [User]>.Consumer(key: "users")
    /// ```
    ///
    /// A consumer can be created before its query, and can outlive it. While a key has consumers, its value is retained
    /// and an invalidation refetches it. For a query that adapts its key, use the adapted key. If the key holds another
    /// type, the state is `failed`, with an error that names both types.
    @MainActor
    public final class Consumer: nonisolated ObservableObject, QueryType {
        /// The type of the state.
        public typealias State = QueryState<Response>

        /// Sends a value before each change.
        public nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

        /// The key of the queries.
        public let key: QueryKey

        let model: QueryModel<Response>

        /// Creates a consumer of a definition's key.
        public convenience init(of definition: QueryDefinition<Response>, client: QueryClient = .shared)
        where Request == Void {
            self.init(key: definition.key, client: client)
        }

        /// Creates a consumer of a key.
        public init(key: QueryKey, client: QueryClient = .shared) {
            self.key = key
            model = QueryModel(key: key, client: client, usage: .ofFetchingQuery, objectWillChange: objectWillChange)
            model.observe(
                QueryDefinition<Response>.value(key).staleAfter(.never).options { $0.disableTriggers() })
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

        /// Publishes the current state, then every change, on the main actor. Completes when the consumer is released.
        public var statePublisher: AnyPublisher<State, Never> {
            model.states
        }

        /// Publishes the value of the current state, if it has one, and then every new value, on the main actor. Sends
        /// nothing for a load whose value equals the previous one.
        public var valuePublisher: AnyPublisher<Response, Never> {
            model.values
        }

        /// Makes the queries with this key fetch, with the newest request of the key or with a new one.
        public func refetch(for parameters: QueryInvalidator.TypedParameters<Request>) {
            QueryInvalidator(client: model.client).invalidateQuery(for: key, with: parameters)
        }

        /// Repeats the last fetch of the queries with this key, and waits until it has succeeded or failed. Does
        /// nothing if there was none.
        public func refresh() async {
            await model.refetch()
        }

        /// Makes the queries with this key fetch with a request.
        public func refetch(request: Request) {
            refetch(for: .newData(request))
        }
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension Query.Consumer: nonisolated Observable {}
