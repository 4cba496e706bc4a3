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

/// Forwards the values of a publisher, and makes an overlay watch the resource of the newest one.
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

/// The subscription of a downstream subscriber, and the subscriber of a publisher of resources that an overlay watches.
final class WatchedSubscription<Input, Failure: Error>: Subscription, Subscriber {
    private struct Watching {
        let loadable: any Loadable
        /// True once the overlay watches the resource. Until then, if the resource is no longer wanted, the thread that
        /// adds it to the overlay must also remove it.
        var isTold = false
    }

    private struct State {
        var downstream: AnySubscriber<Input, Failure>?
        var upstream: (any Subscription)?
        var watching: Watching?
        /// Distinguishes successive resources.
        var number = 0

        mutating func takeTold() -> (any Loadable)? {
            defer {
                watching = nil
                number += 1
            }
            return watching?.isTold == true ? watching?.loadable : nil
        }
    }

    private let state: Locked<State>
    private let overlay: WeakOverlay
    private let loadable: (Input) -> (any Loadable)?

    init(
        _ downstream: AnySubscriber<Input, Failure>, _ overlay: WeakOverlay,
        _ loadable: @escaping (Input) -> (any Loadable)?
    ) {
        state = Locked(State(downstream: downstream))
        self.overlay = overlay
        self.loadable = loadable
    }

    // MARK: From the subscriber

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.upstream }?.request(demand)
    }

    func cancel() {
        let (upstream, _) = end()
        upstream?.cancel()
    }

    // MARK: From the resources

    func receive(subscription: any Subscription) {
        let downstream = state.withLock { state -> AnySubscriber<Input, Failure>? in
            guard state.upstream == nil else { return nil }
            state.upstream = subscription
            return state.downstream
        }
        if let downstream { downstream.receive(subscription: self) } else { subscription.cancel() }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        watch(loadable(input))
        return state.withLock { $0.downstream }?.receive(input) ?? .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        let (_, downstream) = end()
        downstream?.receive(completion: completion)
    }

    /// Adds the next resource before it removes the previous one, so that an unchanged resource stays watched.
    private func watch(_ next: (any Loadable)?) {
        let (old, number) = state.withLock { state -> ((any Loadable)?, Int?) in
            guard state.downstream != nil else { return (nil, nil) }
            let old = state.takeTold()
            state.watching = next.map { Watching(loadable: $0) }
            return (old, state.number)
        }
        if let next, let number {
            overlay.overlay?.watch(next)
            let isWanted = state.withLock { state in
                guard state.number == number, state.downstream != nil else { return false }
                state.watching?.isTold = true
                return true
            }
            if !isWanted { overlay.overlay?.unwatch(next) }
        }
        if let old { overlay.overlay?.unwatch(old) }
    }

    private func end() -> ((any Subscription)?, AnySubscriber<Input, Failure>?) {
        let (upstream, downstream, told) = state.withLock { state in
            defer { (state.upstream, state.downstream) = (nil, nil) }
            return (state.upstream, state.downstream, state.takeTold())
        }
        if let told { overlay.overlay?.unwatch(told) }
        return (upstream, downstream)
    }
}
