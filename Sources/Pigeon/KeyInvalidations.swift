import PigeonCore

/// Listens for the invalidations that an entry does not handle by itself: those with a new request, and those of the
/// query's given key while the query observes a key outside that path.
@MainActor
final class KeyInvalidations<Request: Sendable> {
    private let key: QueryKey
    private let client: QueryClient
    private let onRequest: (Request, Cause) -> Void
    private var watched: QueryKey?
    private var subscriptions: [QueryKey: QuerySubscription] = [:]

    /// - Parameter onRequest: Called with each new request, and with its cause.
    init(of key: QueryKey, client: QueryClient, onRequest: @escaping (Request, Cause) -> Void) {
        self.key = key
        self.client = client
        self.onRequest = onRequest
    }

    /// Listens for the given key and for the observed key. An invalidation that concerns both is received once, for the
    /// given key.
    func listen(to watched: QueryKey) {
        self.watched = watched
        let keys = [key, watched]
        subscriptions = subscriptions.filter { keys.contains($0.key) }
        for listened in keys where subscriptions[listened] == nil {
            subscriptions[listened] = client.onInvalidation(of: listened) { [weak self, key] invalidation in
                guard listened == key || !key.isWithin(invalidation.path) else { return }
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

    /// Refetches the observed key with its newest request, unless it lies within the path, whose invalidation refetches
    /// it.
    private func refetchElsewhere(_ invalidation: KeyInvalidation) {
        guard let watched, !watched.isWithin(invalidation.path) else { return }
        client.invalidate(.key(watched), refetch: .active, cause: invalidation.cause)
    }
}

package enum Misuse {
    /// True in a test that makes a mistake on purpose.
    @TaskLocal package static var isExpected = false

    /// Reports a new request of a wrong type as an event, and fails loudly in debug builds.
    static func report<Request>(
        newRequest: any Sendable, expected: Request.Type, key: QueryKey, _ client: QueryClient
    ) {
        let text = "invalidated with a \(type(of: newRequest)) as its new request, but it is asked with \(expected)"
        client.reportMisuse(text, key: key)
        guard !isExpected else { return }
        assertionFailure("\(key) was \(text)")
    }
}
