public import CombineShim
public import PigeonCore

/// Invalidates queries, whose data is out of date.
///
/// ```swift
/// QueryInvalidator().invalidateQuery(for: "users", with: .lastData)
/// ```
public struct QueryInvalidator: Sendable {
    /// The request with which a query is refetched.
    public enum Parameters: Sendable {
        /// The newest request of the query's key. Queries of one key show one value, which is fetched once.
        case lastData
        /// A new request. A query whose requests have another type reports the misuse, and stops the program in debug
        /// builds.
        case newData(any Sendable)
    }

    /// The request with which a query is refetched, typed.
    public enum TypedParameters<Request: Sendable>: Sendable {
        /// The newest request of the query's key. Queries of one key show one value, which is fetched once.
        case lastData
        /// A new request.
        case newData(Request)
    }

    private let client: QueryClient
    private let cause: Cause

    /// Creates an invalidator of a client's queries.
    public init(client: QueryClient = .shared) {
        self.init(client: client, cause: .requested)
    }

    init(client: QueryClient, cause: Cause) {
        self.client = client
        self.cause = cause
    }

    /// Marks a key and all keys below it stale, in memory and in the caches, and refetches observed entries. Also
    /// refetches queries with this key whose adapter makes keys outside this path.
    public func invalidateQuery(for key: QueryKey, with parameters: Parameters) {
        switch parameters {
        case .lastData: client.invalidate(key, newRequest: nil, cause: cause)
        case .newData(let request): client.invalidate(key, newRequest: request, cause: cause)
        }
    }

    /// Marks a key and all keys below it stale, in memory and in the caches, and refetches observed entries. Also
    /// refetches queries with this key whose adapter makes keys outside this path.
    public func invalidateQuery<Request>(for key: QueryKey, with parameters: TypedParameters<Request>) {
        switch parameters {
        case .lastData: invalidateQuery(for: key, with: Parameters.lastData)
        case .newData(let request): invalidateQuery(for: key, with: Parameters.newData(request))
        }
    }
}

/// A type that is notified when a key is invalidated.
///
/// Queries refetch by themselves and need no listener. Your own type that stores data in another way conforms by
/// defining the type of its requests.
public protocol QueryInvalidationListener {
    /// The type of the requests.
    associatedtype Request: Sendable
}

extension QueryInvalidationListener {
    /// Publishes the invalidations of a key, and of the paths above it, by ``QueryInvalidator``, consumers and
    /// mutations. Omits invalidations with a new request of another type. Publishes on the thread that invalidates.
    public func listenQueryInvalidation(
        for key: QueryKey, client: QueryClient = .shared
    ) -> AnyPublisher<QueryInvalidator.TypedParameters<Request>, Never> {
        Deferred {
            let subject = UncheckedSubject<QueryInvalidator.TypedParameters<Request>>()
            let subscription = client.onInvalidation(of: key) { invalidation in
                guard let request = invalidation.newRequest else { return subject.value.send(.lastData) }
                guard let request = request as? Request else { return }
                subject.value.send(.newData(request))
            }
            return subject.value.handleEvents(receiveCancel: { subscription.cancel() })
        }.eraseToAnyPublisher()
    }
}

/// A subject that any thread can send to.
private struct UncheckedSubject<Output>: @unchecked Sendable {  // a PassthroughSubject locks itself
    let value = PassthroughSubject<Output, Never>()
}
