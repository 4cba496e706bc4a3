import PigeonCore

/// Listens to the new requests that a query's keys are invalidated with.
@MainActor
final class NewRequests<Request: Sendable> {
    private let key: QueryKey
    private let client: QueryClient
    private let onRequest: (Request, Cause) -> Void
    private var subscriptions: [QueryKey: QuerySubscription] = [:]

    /// - Parameter onRequest: Called with each new request, and with what led to it.
    init(key: QueryKey, client: QueryClient, onRequest: @escaping (Request, Cause) -> Void) {
        self.key = key
        self.client = client
        self.onRequest = onRequest
    }

    /// Listens for the key as given, and for the one that is watched: where the adapter makes keys below the given one,
    /// the watched key hears both.
    func listen(to watched: QueryKey) {
        let keys = watched.isWithin(key) ? [watched] : [key, watched]
        subscriptions = subscriptions.filter { keys.contains($0.key) }
        for key in keys where subscriptions[key] == nil {
            subscriptions[key] = client.onNewRequest(for: key) { [weak self] request, cause in
                MainActor.runSoon { self?.receive(request, cause) }
            }
        }
    }

    private func receive(_ request: any Sendable, _ cause: Cause) {
        guard let request = request as? Request else {
            return Misuse.report(newRequest: request, expected: Request.self, key: key, client)
        }
        onRequest(request, .invalidated(by: cause))
    }
}
