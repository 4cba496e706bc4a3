public import CombineShim

extension Publisher where Output: Loadable {
    /// Makes an overlay watch only the newest resource.
    ///
    /// ```swift
    /// repositories
    ///     .watchedBy(statusOverlay: statusOverlay)
    ///     .flatMapLatest { $0.contentPublisher() as AnyPublisher<[Repository], Never> }
    ///     .bind(subscriber: list.itemsSubscriber())
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// The overlay stops watching a resource when the next one arrives, and the last one when the subscription is
    /// cancelled or this publisher completes. Resources that it watches for other reasons stay watched. The operator
    /// does not load resources.
    ///
    /// - Parameter statusOverlay: The overlay. Not retained.
    public func watchedBy(statusOverlay: any ResourceStatusObserving) -> AnyPublisher<Output, Failure> {
        watched(by: statusOverlay) { $0 }
    }
}

extension Publisher {
    /// Makes an overlay watch only the newest resource, or nothing while there is none.
    ///
    /// Otherwise the same as ``watchedBy(statusOverlay:)`` for non-optional resources.
    public func watchedBy<Resource: Loadable>(
        statusOverlay: any ResourceStatusObserving
    ) -> AnyPublisher<Output, Failure> where Output == Resource? {
        watched(by: statusOverlay) { $0 }
    }
}

extension Publisher {
    /// Makes an overlay watch the loadable of the newest value.
    func watched(
        by overlay: any ResourceStatusObserving, _ loadable: @escaping (Output) -> (any Loadable)?
    ) -> AnyPublisher<Output, Failure> {
        WatchedPublisher(upstream: self, overlay: WeakOverlay(overlay), loadable: loadable).eraseToAnyPublisher()
    }
}

/// A weak reference to an overlay.
struct WeakOverlay {
    private(set) weak var overlay: (any ResourceStatusObserving)?

    init(_ overlay: any ResourceStatusObserving) {
        self.overlay = overlay
    }
}

/// Passes resources on, and makes an overlay watch the newest one.
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
