public import CombineShim
internal import PigeonBase

/// Displays the values of a publisher in a list, on the main actor. A value that is sent on the main actor is displayed
/// immediately, other values as soon as possible.
///
/// Requests all values, and skips values that are replaced by newer ones before they can be displayed. Ignores the
/// completion. To create a subscriber, call a function of the list, such as ``ItemList/subscriber(changes:)``.
public final class ListSubscriber<Items: Sendable>: BoundSubscriber, Sendable {
    /// All items, or all sections, of the list.
    public typealias Input = Items
    /// The subscriber accepts only publishers that cannot fail.
    public typealias Failure = Never

    private let delivery: Delivery<Items, Never>
    private let upstream: UpstreamSubscription

    private final class UpstreamSubscription: Sendable {
        let subscription = Locked<(any Subscription)?>(nil)

        func cancel() {
            subscription.withLock { $0 }?.cancel()
        }
    }

    /// - Parameter show: Displays the items. Returns `false` if the list has been released.
    package init(show: @escaping @MainActor @Sendable (Items) -> Bool) {
        let upstream = UpstreamSubscription()
        self.upstream = upstream
        delivery = Delivery(.newest, on: .mainActor) { items in
            if !MainActor.assumeIsolated({ show(items) }) { upstream.cancel() }
            return Subscribers.Demand.none
        } complete: { _ in
        }
        delivery.request(.unlimited)
    }

    /// Requests all values. Cancels the subscription of a second publisher.
    public func receive(subscription: any Subscription) {
        let isWanted = upstream.subscription.withLock { upstream in
            guard upstream == nil else { return false }
            upstream = subscription
            return true
        }
        if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    /// Displays the items, unless newer items arrive before that.
    public func receive(_ input: Items) -> Subscribers.Demand {
        delivery.send(input)
        return .none
    }

    /// Does nothing. The list continues to display its items.
    public func receive(completion: Subscribers.Completion<Never>) {}

    /// Discards the values that have not been displayed. Another publisher can be bound afterwards.
    func unbind() {
        let waiting = delivery.update { $0.takeWaiting() }
        let old = upstream.subscription.withLock { upstream in
            defer { upstream = nil }
            return upstream
        }
        _ = (waiting, old)  // released while no lock is held
    }
}

extension Publisher where Failure == Never {
    /// Sends all values to a subscriber until the returned subscription is cancelled or released.
    ///
    /// ```swift
    /// repositories.contentPublisher()
    ///     .bind(subscriber: list.itemsSubscriber())
    ///     .store(in: &subscriptions)
    /// ```
    public func bind<B: Subscriber>(subscriber: B) -> AnyCancellable where B.Input == Output, B.Failure == Never {
        let unbind = (subscriber as? any BoundSubscriber)?.unbind
        let relay = Relay<Output, Never>(to: subscriber, ended: { if $0 == .cancelled { unbind?() } })
        subscribe(relay)
        return AnyCancellable(relay)
    }
}

protocol BoundSubscriber: Subscriber {
    func unbind()
}
