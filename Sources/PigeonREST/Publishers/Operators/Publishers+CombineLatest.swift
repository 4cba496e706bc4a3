#if !canImport(Combine)
    public import CombineShim

    extension Publishers {
        /// Sends the newest values of two publishers.
        public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where B.Failure == A.Failure {
            /// A value of each.
            public typealias Output = (A.Output, B.Output)
            /// How any of them fails.
            public typealias Failure = A.Failure

            let a: A
            let b: B

            /// Creates a publisher of the newest values of two.
            public init(_ a: A, _ b: B) {
                (self.a, self.b) = (a, b)
            }

            /// Begins with all for a subscriber.
            public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
                let latest = CombineLatestSubscription<(A.Output?, B.Output?), Output, Failure>(
                    AnySubscriber(subscriber), (nil, nil), count: 2
                ) { values in
                    guard let a = values.0, let b = values.1 else { return nil }
                    return (a, b)
                }
                subscriber.receive(subscription: latest)
                latest.join(a) { $0.0 = $1 }
                latest.join(b) { $0.1 = $1 }
            }
        }

        /// Sends the newest values of three publishers.
        public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
        where B.Failure == A.Failure, C.Failure == A.Failure {
            /// A value of each.
            public typealias Output = (A.Output, B.Output, C.Output)
            /// How any of them fails.
            public typealias Failure = A.Failure

            let a: A
            let b: B
            let c: C

            /// Creates a publisher of the newest values of three.
            public init(_ a: A, _ b: B, _ c: C) {
                (self.a, self.b, self.c) = (a, b, c)
            }

            /// Begins with all for a subscriber.
            public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
                let latest = CombineLatestSubscription<(A.Output?, B.Output?, C.Output?), Output, Failure>(
                    AnySubscriber(subscriber), (nil, nil, nil), count: 3
                ) { values in
                    guard let a = values.0, let b = values.1, let c = values.2 else { return nil }
                    return (a, b, c)
                }
                subscriber.receive(subscription: latest)
                latest.join(a) { $0.0 = $1 }
                latest.join(b) { $0.1 = $1 }
                latest.join(c) { $0.2 = $1 }
            }
        }

        /// Sends the newest values of four publishers.
        public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
        where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure {
            /// A value of each.
            public typealias Output = (A.Output, B.Output, C.Output, D.Output)
            /// How any of them fails.
            public typealias Failure = A.Failure

            let a: A
            let b: B
            let c: C
            let d: D

            /// Creates a publisher of the newest values of four.
            public init(_ a: A, _ b: B, _ c: C, _ d: D) {
                (self.a, self.b, self.c, self.d) = (a, b, c, d)
            }

            /// Begins with all for a subscriber.
            public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
                let latest = CombineLatestSubscription<(A.Output?, B.Output?, C.Output?, D.Output?), Output, Failure>(
                    AnySubscriber(subscriber), (nil, nil, nil, nil), count: 4
                ) { values in
                    guard let a = values.0, let b = values.1, let c = values.2, let d = values.3 else { return nil }
                    return (a, b, c, d)
                }
                subscriber.receive(subscription: latest)
                latest.join(a) { $0.0 = $1 }
                latest.join(b) { $0.1 = $1 }
                latest.join(c) { $0.2 = $1 }
                latest.join(d) { $0.3 = $1 }
            }
        }
    }
#endif
