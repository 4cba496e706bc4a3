public import CombineShim
public import PigeonCore

/// Tells queries that what they know is out of date.
///
/// ```swift
/// QueryInvalidator().invalidateQuery(for: "users", with: .lastData)
/// ```
public struct QueryInvalidator: Sendable {
    /// What a query is refetched with.
    public enum Parameters: Sendable {
        /// Its own last request.
        case lastData
        /// A new request. A query that is asked with another type reports it, and fails loudly in debug builds.
        case newData(any Sendable)
    }

    /// What a query is refetched with, typed.
    public enum TypedParameters<Request: Sendable>: Sendable {
        /// Its own last request.
        case lastData
        /// A new request.
        case newData(Request)
    }

    private let client: QueryClient
    private let cause: Cause

    /// Makes an invalidator.
    public init(client: QueryClient = .shared) {
        self.init(client: client, cause: .requested)
    }

    init(client: QueryClient, cause: Cause) {
        self.client = client
        self.cause = cause
    }

    /// Marks a key and all below it stale, in memory and in the caches, and refetches what is observed. Queries whose
    /// adapter makes a key elsewhere are refetched as well.
    public func invalidateQuery(for key: QueryKey, with parameters: Parameters) {
        switch parameters {
        case .lastData: client.invalidate(key, newRequest: nil, cause: cause)
        case .newData(let request): client.invalidate(key, newRequest: request, cause: cause)
        }
    }

    /// Marks a key and all below it stale, in memory and in the caches, and refetches what is observed. Queries whose
    /// adapter makes a key elsewhere are refetched as well.
    public func invalidateQuery<Request>(for key: QueryKey, with parameters: TypedParameters<Request>) {
        switch parameters {
        case .lastData: invalidateQuery(for: key, with: Parameters.lastData)
        case .newData(let request): invalidateQuery(for: key, with: Parameters.newData(request))
        }
    }
}

/// Something that wants to know when a key is invalidated.
///
/// Queries are listeners themselves, and refetch on their own. A type of your own that knows data in another way conforms to
/// it by naming the requests that it understands.
public protocol QueryInvalidationListener {
    /// The type of the requests.
    associatedtype Request: Sendable
}

extension QueryInvalidationListener {
    /// Publishes the invalidations of a key, and of the paths above it, by ``QueryInvalidator``, consumers and mutations.
    /// Those with a new request of another type are left out. Publishes on the thread of the caller who invalidates.
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

/// A subject that is sent to from any thread.
private struct UncheckedSubject<Output>: @unchecked Sendable {  // a PassthroughSubject locks itself
    let value = PassthroughSubject<Output, Never>()
}
