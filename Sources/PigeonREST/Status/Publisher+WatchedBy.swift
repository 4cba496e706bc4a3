public import CombineShim
internal import PigeonBase

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
    /// The overlay stops watching a resource when the next one arrives. It stops watching the last one when the
    /// subscription is cancelled or this publisher completes. It continues to watch resources that were added in other
    /// ways. The operator does not load resources.
    ///
    /// - Parameter statusOverlay: The overlay. It is not retained.
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
    func watched(
        by overlay: any ResourceStatusObserving, _ loadable: @escaping (Output) -> (any Loadable)?
    ) -> AnyPublisher<Output, Failure> {
        WatchedPublisher(upstream: self, overlay: WeakOverlay(overlay), loadable: loadable).eraseToAnyPublisher()
    }
}

private struct WeakOverlay {
    private(set) weak var overlay: (any ResourceStatusObserving)?

    init(_ overlay: any ResourceStatusObserving) {
        self.overlay = overlay
    }
}

/// Forwards the values of a publisher, and makes an overlay watch the resource of the newest one.
private struct WatchedPublisher<Upstream: Publisher>: Publisher {
    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    let upstream: Upstream
    let overlay: WeakOverlay
    let loadable: (Output) -> (any Loadable)?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let watch = NewestWatch(overlay)
        let relay = Relay<Output, Failure>(
            to: subscriber, willReceive: { watch.move(to: loadable($0)) }, ended: { _ in watch.end() })
        upstream.subscribe(relay)
    }
}

/// Makes an overlay watch one resource at a time.
private final class NewestWatch {
    private struct State {
        var loadable: (any Loadable)?
        /// True once the overlay watches the resource. Until then, if the resource is no longer wanted, the thread that
        /// adds it to the overlay must also remove it.
        var isNotified = false
        /// Distinguishes successive resources.
        var number = 0
        var isOver = false

        /// Replaces the resource.
        ///
        /// - Returns: The previous resource, if the overlay watches it.
        mutating func replace(with next: (any Loadable)?) -> (any Loadable)? {
            defer { (loadable, isNotified, number) = (next, false, number + 1) }
            return isNotified ? loadable : nil
        }
    }

    private let state = Locked(State())
    private let overlay: WeakOverlay

    init(_ overlay: WeakOverlay) {
        self.overlay = overlay
    }

    /// Adds the next resource before it removes the previous one, so that an unchanged resource stays watched.
    func move(to next: (any Loadable)?) {
        let (old, number) = state.withLock { state -> ((any Loadable)?, Int?) in
            guard !state.isOver else { return (nil, nil) }
            return (state.replace(with: next), state.number)
        }
        if let next, let number {
            overlay.overlay?.watch(next)
            let isWanted = state.withLock { state in
                guard state.number == number else { return false }
                state.isNotified = true
                return true
            }
            if !isWanted { overlay.overlay?.unwatch(next) }
        }
        if let old { overlay.overlay?.unwatch(old) }
    }

    /// Removes the resource. Further ones are ignored.
    func end() {
        let old = state.withLock { state in
            state.isOver = true
            return state.replace(with: nil)
        }
        if let old { overlay.overlay?.unwatch(old) }
    }
}
