public import CombineShim
internal import PigeonCore

extension StatusOverlay {
    /// The status, now and after each change, where that happens. Who is slow finds the newest. Keeps the overlay.
    public var statusPublisher: AnyPublisher<ResourceStatus, Never> {
        StatusPublisher(overlay: self).eraseToAnyPublisher()
    }

    /// The status, now and after each change. Who is slow finds the newest. Keeps the overlay while it is read.
    public var statuses: AsyncStream<ResourceStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let subscription = onChange { continuation.yield($0) }
            continuation.onTermination = { [self] _ in
                subscription.cancel()
                _ = self
            }
        }
    }
}

private struct StatusPublisher: Publisher {
    typealias Output = ResourceStatus
    typealias Failure = Never

    let overlay: StatusOverlay

    func receive<S: Subscriber>(subscriber: S) where S.Input == ResourceStatus, S.Failure == Never {
        let subscription = NewestSubscription<Output>(AnySubscriber(subscriber), deliveredOn: .immediate)
        subscriber.receive(subscription: subscription)
        subscription.begin { tell in
            let listening = overlay.onChange(tell)
            return QuerySubscription { [overlay] in
                listening.cancel()
                _ = overlay
            }
        }
    }
}
