public import CombineShim

// CombineExt has operators with the same names. In files that import both modules, the compiler prefers those of
// CombineExt.

extension Publisher {
    /// Publishes the values of the newest publisher. A new value cancels the publisher for the previous value.
    ///
    /// ```swift
    /// searchText.flatMapLatest { api.user($0).optionalContentPublisher() }
    ///     .sink { user in show(user) }
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// Sends no values of an older publisher after a new value. Completes when this publisher and the newest one have
    /// completed. Fails as soon as either fails. Requests all values of this publisher, and the remaining demand from
    /// the newest one.
    ///
    /// Sends one value at a time, on the thread of its publisher. A value that arrives while the subscriber receives
    /// another one, even from the subscriber itself, is sent afterwards.
    ///
    /// - Parameter transform: Returns the publisher for a value.
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(
        _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMapLatest<Self, P> where P.Failure == Failure {
        Publishers.FlatMapLatest(upstream: self, transform: transform)
    }
}

extension Publisher where Failure == Never {
    /// Same as ``flatMapLatest(_:)``, for inner publishers that may fail.
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(
        _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMapLatest<Publishers.SetFailureType<Self, P.Failure>, P> {
        Publishers.FlatMapLatest(upstream: setFailureType(to: P.Failure.self), transform: transform)
    }

    /// Same as ``flatMapLatest(_:)``, for publishers that never fail.
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(
        _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMapLatest<Self, P> where P.Failure == Never {
        Publishers.FlatMapLatest(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// Publishes the values of the publisher for the newest value.
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
