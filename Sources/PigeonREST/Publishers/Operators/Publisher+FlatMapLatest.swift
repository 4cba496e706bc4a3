public import CombineShim

// CombineExt has operators of the same names. Where both are imported, its own are taken.

extension Publisher {
    /// What the publisher of the newest value sends: an older publisher is cancelled when a newer value comes.
    ///
    /// ```swift
    /// searchText.flatMapLatest { api.user($0).optionalContentPublisher() }
    ///     .sink { user in show(user) }
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// Nothing of an older publisher is sent once a newer value came. Completes when the values and the newest publisher
    /// have; fails as soon as the values or the newest publisher do. The newest publisher is asked for as much as the
    /// subscriber asked for and did not get yet; values are taken as they come.
    ///
    /// Sends one value at a time, where it comes from. One that comes while another is being taken, be it sent by the
    /// subscriber itself, waits for that.
    ///
    /// - Parameter transform: Makes the publisher of a value.
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(
        _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMapLatest<Self, P> where P.Failure == Failure {
        Publishers.FlatMapLatest(upstream: self, transform: transform)
    }
}

extension Publisher where Failure == Never {
    /// As ``flatMapLatest(_:)``, of publishers that may fail.
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(
        _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMapLatest<Publishers.SetFailureType<Self, P.Failure>, P> {
        Publishers.FlatMapLatest(upstream: setFailureType(to: P.Failure.self), transform: transform)
    }

    /// As ``flatMapLatest(_:)``, where nothing fails.
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(
        _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMapLatest<Self, P> where P.Failure == Never {
        Publishers.FlatMapLatest(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// Sends what the publisher of the newest value sends.
    public struct FlatMapLatest<Upstream: Publisher, Inner: Publisher>: Publisher
    where Inner.Failure == Upstream.Failure {
        /// What the newest publisher sends.
        public typealias Output = Inner.Output
        /// How the values or a publisher fail.
        public typealias Failure = Inner.Failure

        let upstream: Upstream
        let transform: (Upstream.Output) -> Inner

        /// Begins with the values for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let subscription = FlatMapLatestSubscription<Upstream, Inner>(AnySubscriber(subscriber), transform)
            subscriber.receive(subscription: subscription)
            if subscription.isOpen { upstream.subscribe(subscription) }
        }
    }
}
