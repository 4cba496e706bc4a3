public import CombineShim

extension Publisher where Output: Loadable {
    /// Has an overlay watch the newest resource, and only that.
    ///
    /// ```swift
    /// repositories
    ///     .watchedBy(statusOverlay: statusOverlay)
    ///     .flatMapLatest { $0.contentPublisher() as AnyPublisher<[Repository], Never> }
    ///     .bind(subscriber: list.itemsSubscriber())
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// The overlay lets go of a resource when the next one comes, and of the last one when the subscription is cancelled
    /// or this publisher ends. What another stream has it watch stays watched. Does not load anything.
    ///
    /// - Parameter statusOverlay: Not kept.
    public func watchedBy(statusOverlay: any ResourceStatusObserving) -> AnyPublisher<Output, Failure> {
        watched(by: statusOverlay) { $0 }
    }
}

extension Publisher {
    /// Has an overlay watch the newest resource, and only that; nothing while there is none.
    ///
    /// As ``watchedBy(statusOverlay:)`` of resources that are always there.
    public func watchedBy<Resource: Loadable>(
        statusOverlay: any ResourceStatusObserving
    ) -> AnyPublisher<Output, Failure> where Output == Resource? {
        watched(by: statusOverlay) { $0 }
    }
}

extension Publisher {
    /// Has an overlay watch what is loaded with the newest value.
    func watched(
        by overlay: any ResourceStatusObserving, _ loadable: @escaping (Output) -> (any Loadable)?
    ) -> AnyPublisher<Output, Failure> {
        WatchedPublisher(upstream: self, overlay: WeakOverlay(overlay), loadable: loadable).eraseToAnyPublisher()
    }
}

/// An overlay, as long as someone else keeps it.
struct WeakOverlay {
    private(set) weak var overlay: (any ResourceStatusObserving)?

    init(_ overlay: any ResourceStatusObserving) {
        self.overlay = overlay
    }
}

/// Passes resources on, and has an overlay watch the newest.
private struct WatchedPublisher<Upstream: Publisher>: Publisher {
    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    let upstream: Upstream
    let overlay: WeakOverlay
    let loadable: (Output) -> (any Loadable)?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        upstream.subscribe(WatchedSubscription(AnySubscriber(subscriber), overlay, loadable))
    }
}
