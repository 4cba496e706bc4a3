import PigeonCore

/// Hears of the invalidations of a query's keys that refetch it in another way than those of its entry do: the ones that
/// carry a new request, and the ones of the given key while the query watches a key elsewhere.
@MainActor
final class KeyInvalidations<Request: Sendable> {
    private let key: QueryKey
    private let client: QueryClient
    private let onRequest: (Request, Cause) -> Void
    private var watched: QueryKey?
    private var subscriptions: [QueryKey: QuerySubscription] = [:]

    /// - Parameter onRequest: Called with each new request, and with what led to it.
    init(of key: QueryKey, client: QueryClient, onRequest: @escaping (Request, Cause) -> Void) {
        self.key = key
        self.client = client
        self.onRequest = onRequest
    }

    /// Listens for the key as given, and for the one that is watched: where the adapter makes keys below the given one,
    /// the watched key hears both.
    func listen(to watched: QueryKey) {
        self.watched = watched
        let keys = watched.isWithin(key) ? [watched] : [key, watched]
        subscriptions = subscriptions.filter { keys.contains($0.key) }
        for key in keys where subscriptions[key] == nil {
            subscriptions[key] = client.onInvalidation(of: key) { [weak self] invalidation in
                MainActor.runSoon { self?.receive(invalidation) }
            }
        }
    }

    private func receive(_ invalidation: KeyInvalidation) {
        guard let request = invalidation.newRequest else { return refetchElsewhere(invalidation) }
        guard let request = request as? Request else {
            return Misuse.report(newRequest: request, expected: Request.self, key: key, client)
        }
        onRequest(request, .invalidated(by: invalidation.cause))
    }

    /// Refetches the watched key with its last request, unless it lies on the path and is refetched by that.
    private func refetchElsewhere(_ invalidation: KeyInvalidation) {
        guard let watched, !watched.isWithin(invalidation.path) else { return }
        client.invalidate(.key(watched), refetch: .active, cause: invalidation.cause)
    }
}
