public import CombineShim

// CombineExt has operators of the same names. Where both are imported, its own are taken.

extension Publisher {
    /// Each value together with the newest of another publisher.
    ///
    /// ```swift
    /// starTaps.withLatestFrom(repositories)
    ///     .sink { repository in star(repository) }
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// Values are asked for once the other publisher has sent one; those of a publisher that does not wait to be asked
    /// are lost until then. Completes when this publisher does; the other may have completed long before. Fails as soon
    /// as either does.
    ///
    /// - Parameters:
    ///   - other: Taken from as it comes, whatever the subscriber asks for.
    ///   - resultSelector: Makes one value of both.
    @_disfavoredOverload
    public func withLatestFrom<Other: Publisher, Result>(
        _ other: Other, resultSelector: @escaping (Output, Other.Output) -> Result
    ) -> Publishers.WithLatestFrom<Self, Other, Result> where Other.Failure == Failure {
        Publishers.WithLatestFrom(upstream: self, other: other, resultSelector: resultSelector)
    }

    /// The newest value of another publisher, whenever this one sends one.
    ///
    /// As ``withLatestFrom(_:resultSelector:)``.
    @_disfavoredOverload
    public func withLatestFrom<Other: Publisher>(
        _ other: Other
    ) -> Publishers.WithLatestFrom<Self, Other, Other.Output> where Other.Failure == Failure {
        Publishers.WithLatestFrom(upstream: self, other: other) { $1 }
    }
}

extension Publishers {
    /// Sends each value together with the newest of another publisher.
    public struct WithLatestFrom<Upstream: Publisher, Other: Publisher, Output>: Publisher
    where Other.Failure == Upstream.Failure {
        /// How either publisher fails.
        public typealias Failure = Upstream.Failure

        let upstream: Upstream
        let other: Other
        let resultSelector: (Upstream.Output, Other.Output) -> Output

        /// Begins with the other publisher, so that its value is there when the first of this one comes.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let subscription = WithLatestFromSubscription<Upstream, Other, Output>(
                AnySubscriber(subscriber), resultSelector)
            subscriber.receive(subscription: subscription)
            if subscription.isOpen { other.subscribe(WithLatestFromOther(main: subscription)) }
            if subscription.isOpen { upstream.subscribe(subscription) }
        }
    }
}
