public import CombineShim

// CombineExt has operators of the same names. Where both are imported, the compiler prefers those.

extension Publisher {
    /// Publishes the values of the newest publisher. A newer value cancels the publisher of the one before.
    ///
    /// ```swift
    /// searchText.flatMapLatest { api.user($0).optionalContentPublisher() }
    ///     .sink { user in show(user) }
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// Sends nothing of an older publisher after a newer value. Completes when this publisher and the newest one have;
    /// fails as soon as either does. Requests from the newest publisher the demand that is left; requests all values of
    /// this one.
    ///
    /// Sends one value at a time, on the thread of its publisher. A value that is sent while the subscriber receives
    /// another one, even by the subscriber itself, waits for that.
    ///
    /// - Parameter transform: Returns the publisher of a value.
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(
        _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMapLatest<Self, P> where P.Failure == Failure {
        Publishers.FlatMapLatest(upstream: self, transform: transform)
    }
}

extension Publisher where Failure == Never {
    /// As ``flatMapLatest(_:)``, for publishers that may fail.
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
    /// Publishes the values of the publisher of the newest value.
    public struct FlatMapLatest<Upstream: Publisher, Inner: Publisher>: Publisher
    where Inner.Failure == Upstream.Failure {
        /// A value of the newest publisher.
        public typealias Output = Inner.Output
        /// The failure of either publisher.
        public typealias Failure = Inner.Failure

        let upstream: Upstream
        let transform: (Upstream.Output) -> Inner

        /// Subscribes to the values.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let subscription = FlatMapLatestSubscription<Upstream, Inner>(Delivery(to: subscriber), transform)
            subscriber.receive(subscription: subscription)
            if subscription.isOpen { upstream.subscribe(subscription) }
        }
    }
}
