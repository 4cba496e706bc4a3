public import CombineShim

// CombineExt has operators with the same names. In files that import both modules, the compiler prefers those of
// CombineExt.

extension Publisher {
    /// Publishes each value together with the newest one of another publisher.
    ///
    /// ```swift
    /// starTaps.withLatestFrom(repositories)
    ///     .sink { repository in star(repository) }
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// Requests values of this publisher once the other publisher has sent one. Values that this publisher sends before
    /// that, without demand, are dropped. Completes when this publisher does. The other one may complete earlier. Fails
    /// as soon as either fails.
    ///
    /// - Parameters:
    ///   - other: The other publisher. All its values are requested, whatever the demand.
    ///   - resultSelector: Combines both values.
    @_disfavoredOverload
    public func withLatestFrom<Other: Publisher, Result>(
        _ other: Other, resultSelector: @escaping (Output, Other.Output) -> Result
    ) -> Publishers.WithLatestFrom<Self, Other, Result> where Other.Failure == Failure {
        Publishers.WithLatestFrom(upstream: self, other: other, resultSelector: resultSelector)
    }

    /// Publishes the newest value of another publisher whenever this one sends a value.
    ///
    /// Otherwise the same as ``withLatestFrom(_:resultSelector:)``.
    @_disfavoredOverload
    public func withLatestFrom<Other: Publisher>(
        _ other: Other
    ) -> Publishers.WithLatestFrom<Self, Other, Other.Output> where Other.Failure == Failure {
        Publishers.WithLatestFrom(upstream: self, other: other) { $1 }
    }
}

extension Publishers {
    /// Publishes each value together with the newest one of another publisher.
    public struct WithLatestFrom<Upstream: Publisher, Other: Publisher, Output>: Publisher
    where Other.Failure == Upstream.Failure {
        /// The failure of either publisher.
        public typealias Failure = Upstream.Failure

        let upstream: Upstream
        let other: Other
        let resultSelector: (Upstream.Output, Other.Output) -> Output

        /// Subscribes to the other publisher first, so that its value is available when this publisher sends its first
        /// value.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let subscription = WithLatestFromSubscription<Upstream, Other, Output>(
                Delivery(to: subscriber), resultSelector)
            subscriber.receive(subscription: subscription)
            if subscription.isOpen { other.subscribe(WithLatestFromOther(main: subscription)) }
            if subscription.isOpen { upstream.subscribe(subscription) }
        }
    }
}
