#if !canImport(Combine)
    public import OpenCombine

    // OpenCombine 0.14 has no `combineLatest`. If a later version adds one, the compiler prefers it.

    extension Publisher {
        /// Publishes the newest values of two publishers: first when both have sent one, then whenever either sends.
        ///
        /// Completes when both have completed, or when one completes without a value. Fails as soon as either fails. A
        /// subscriber without demand receives the newest values when it requests some.
        @_disfavoredOverload
        public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P>
        where P.Failure == Failure {
            Publishers.CombineLatest(self, other)
        }

        /// Publishes a value made from the newest values of two publishers. See ``combineLatest(_:)``.
        @_disfavoredOverload
        public func combineLatest<P: Publisher, T>(
            _ other: P, _ transform: @escaping (Output, P.Output) -> T
        ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where P.Failure == Failure {
            combineLatest(other).map(transform)
        }

        /// Publishes the newest values of three publishers. See ``combineLatest(_:)``.
        @_disfavoredOverload
        public func combineLatest<P: Publisher, Q: Publisher>(
            _ publisher1: P, _ publisher2: Q
        ) -> Publishers.CombineLatest3<Self, P, Q> where P.Failure == Failure, Q.Failure == Failure {
            Publishers.CombineLatest3(self, publisher1, publisher2)
        }

        /// Publishes a value made from the newest values of three publishers. See ``combineLatest(_:)``.
        @_disfavoredOverload
        public func combineLatest<P: Publisher, Q: Publisher, T>(
            _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
        ) -> Publishers.Map<Publishers.CombineLatest3<Self, P, Q>, T> where P.Failure == Failure, Q.Failure == Failure {
            combineLatest(publisher1, publisher2).map(transform)
        }

        /// Publishes the newest values of four publishers. See ``combineLatest(_:)``.
        @_disfavoredOverload
        public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
            _ publisher1: P, _ publisher2: Q, _ publisher3: R
        ) -> Publishers.CombineLatest4<Self, P, Q, R>
        where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
            Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
        }

        /// Publishes a value made from the newest values of four publishers. See ``combineLatest(_:)``.
        @_disfavoredOverload
        public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
            _ publisher1: P, _ publisher2: Q, _ publisher3: R,
            _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
        ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, T>
        where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
            combineLatest(publisher1, publisher2, publisher3).map(transform)
        }
    }

    extension Publishers {
        /// Publishes the newest values of two publishers.
        public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where B.Failure == A.Failure {
            /// The newest value of each publisher.
            public typealias Output = (A.Output, B.Output)
            /// The failure of any of the publishers.
            public typealias Failure = A.Failure

            let a: A
            let b: B

            /// Creates a publisher of the newest values of two publishers.
            public init(_ a: A, _ b: B) {
                (self.a, self.b) = (a, b)
            }

            /// Subscribes to both publishers.
            public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
                LatestPair(a, b, .newestWithoutDemand).receive(subscriber: subscriber)
            }
        }

        /// Publishes the newest values of three publishers.
        public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
        where B.Failure == A.Failure, C.Failure == A.Failure {
            /// The newest value of each publisher.
            public typealias Output = (A.Output, B.Output, C.Output)
            /// The failure of any of the publishers.
            public typealias Failure = A.Failure

            let a: A
            let b: B
            let c: C

            /// Creates a publisher of the newest values of three publishers.
            public init(_ a: A, _ b: B, _ c: C) {
                (self.a, self.b, self.c) = (a, b, c)
            }

            /// Subscribes to all publishers.
            public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
                a.combineLatest(b).combineLatest(c) { ($0.0, $0.1, $1) }.receive(subscriber: subscriber)
            }
        }

        /// Publishes the newest values of four publishers.
        public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
        where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure {
            /// The newest value of each publisher.
            public typealias Output = (A.Output, B.Output, C.Output, D.Output)
            /// The failure of any of the publishers.
            public typealias Failure = A.Failure

            let a: A
            let b: B
            let c: C
            let d: D

            /// Creates a publisher of the newest values of four publishers.
            public init(_ a: A, _ b: B, _ c: C, _ d: D) {
                (self.a, self.b, self.c, self.d) = (a, b, c, d)
            }

            /// Subscribes to all publishers.
            public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
                a.combineLatest(b, c).combineLatest(d) { ($0.0, $0.1, $0.2, $1) }.receive(subscriber: subscriber)
            }
        }
    }
#endif
