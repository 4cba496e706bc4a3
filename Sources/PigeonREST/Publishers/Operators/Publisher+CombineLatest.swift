#if !canImport(Combine)
    public import CombineShim

    // OpenCombine 0.14 has no `combineLatest`. Should a later version have one, its own is taken.

    extension Publisher {
        /// The newest values of two publishers: first when both have sent one, then whenever either sends.
        ///
        /// Completes when both have, or one has without a value; fails as soon as either does. A subscriber without
        /// demand finds the newest values when it asks.
        @_disfavoredOverload
        public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P>
        where P.Failure == Failure {
            Publishers.CombineLatest(self, other)
        }

        /// One value made of the newest of two publishers. As ``combineLatest(_:)``.
        @_disfavoredOverload
        public func combineLatest<P: Publisher, T>(
            _ other: P, _ transform: @escaping (Output, P.Output) -> T
        ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where P.Failure == Failure {
            combineLatest(other).map(transform)
        }

        /// The newest values of three publishers. As ``combineLatest(_:)``.
        @_disfavoredOverload
        public func combineLatest<P: Publisher, Q: Publisher>(
            _ publisher1: P, _ publisher2: Q
        ) -> Publishers.CombineLatest3<Self, P, Q> where P.Failure == Failure, Q.Failure == Failure {
            Publishers.CombineLatest3(self, publisher1, publisher2)
        }

        /// One value made of the newest of three publishers. As ``combineLatest(_:)``.
        @_disfavoredOverload
        public func combineLatest<P: Publisher, Q: Publisher, T>(
            _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
        ) -> Publishers.Map<Publishers.CombineLatest3<Self, P, Q>, T> where P.Failure == Failure, Q.Failure == Failure {
            combineLatest(publisher1, publisher2).map(transform)
        }

        /// The newest values of four publishers. As ``combineLatest(_:)``.
        @_disfavoredOverload
        public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
            _ publisher1: P, _ publisher2: Q, _ publisher3: R
        ) -> Publishers.CombineLatest4<Self, P, Q, R>
        where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
            Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
        }

        /// One value made of the newest of four publishers. As ``combineLatest(_:)``.
        @_disfavoredOverload
        public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
            _ publisher1: P, _ publisher2: Q, _ publisher3: R,
            _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
        ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, T>
        where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
            combineLatest(publisher1, publisher2, publisher3).map(transform)
        }
    }
#endif
