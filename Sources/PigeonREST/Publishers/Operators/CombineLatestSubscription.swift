#if !canImport(Combine)
    internal import CombineShim
    internal import PigeonBase

    /// One subscription of the newest values of several publishers.
    ///
    /// - Parameters:
    ///   - Values: The newest value of each, where there is one.
    final class CombineLatestSubscription<Values, Output, Failure: Error>: DeliveringSubscription {
        private struct State {
            var delivery: Delivery<Output, Failure>
            var values: Values
            var upstreams: [Int: any Subscription] = [:]
            /// Those that sent a value, and those that completed.
            var sent: Set<Int> = []
            var over: Set<Int> = []
            var joined = 0

            mutating func takeUpstreams() -> [Int: any Subscription] {
                defer { upstreams = [:] }
                return upstreams
            }
        }

        private let state: Locked<State>
        private let none: Values
        private let count: Int
        private let output: (Values) -> Output?

        /// - Parameters:
        ///   - count: How many publishers join.
        ///   - output: What is sent, once there is a value of each.
        init(
            _ downstream: AnySubscriber<Output, Failure>, _ none: Values, count: Int,
            _ output: @escaping (Values) -> Output?
        ) {
            state = Locked(State(delivery: Delivery(downstream), values: none))
            self.none = none
            self.count = count
            self.output = output
        }

        func withDelivery<Result>(_ body: (inout Delivery<Output, Failure>) -> Result) -> Result {
            state.withLock { body(&$0.delivery) }
        }

        /// Subscribes to one of the publishers.
        ///
        /// - Parameter set: Puts a value in its place.
        func join<P: Publisher>(_ publisher: P, _ set: @escaping (inout Values, P.Output) -> Void)
        where P.Failure == Failure {
            let index = state.withLock { state -> Int? in
                guard state.delivery.isOpen else { return nil }
                defer { state.joined += 1 }
                return state.joined
            }
            guard let index else { return }
            publisher.subscribe(CombineLatestInput(latest: self, index: index, set: set))
        }

        // MARK: From the subscriber

        func request(_ demand: Subscribers.Demand) {
            withDelivery { $0.ask(demand) }
            deliver()
        }

        func cancel() {
            let (upstreams, values, remains) = state.withLock { state in
                defer { state.values = none }
                return (state.takeUpstreams(), state.values, state.delivery.clear())
            }
            _ = (values, remains)  // freed after the lock is
            for upstream in upstreams.values { upstream.cancel() }
        }

        // MARK: From the publishers

        func begin(_ index: Int, _ upstream: any Subscription) {
            let isWanted = state.withLock { state in
                guard state.delivery.isOpen, state.upstreams[index] == nil else { return false }
                state.upstreams[index] = upstream
                return true
            }
            if isWanted { upstream.request(.unlimited) } else { upstream.cancel() }
        }

        func tell(_ index: Int, _ set: (inout Values) -> Void) {
            let old = state.withLock { state -> (Values, [Output])? in
                guard state.delivery.isOpen else { return nil }
                let old = state.values
                set(&state.values)
                state.sent.insert(index)
                return (old, output(state.values).map { state.delivery.addNewest($0) } ?? [])
            }
            _ = old  // freed after the lock is
            deliver()
        }

        func end(_ index: Int, _ completion: Subscribers.Completion<Failure>) {
            let upstreams = state.withLock { state -> [Int: any Subscription] in
                state.over.insert(index)
                let own = state.upstreams.removeValue(forKey: index)
                if case .finished = completion, state.over.count < count, state.sent.contains(index) {
                    return own.map { [index: $0] } ?? [:]
                }
                state.delivery.end(completion)
                return state.takeUpstreams()
            }
            for (other, upstream) in upstreams where other != index { upstream.cancel() }
            deliver()
        }
    }

    /// The subscriber of one of the publishers.
    private final class CombineLatestInput<Values, Output, Input, Failure: Error>: Subscriber {
        private let latest: CombineLatestSubscription<Values, Output, Failure>
        private let index: Int
        private let set: (inout Values, Input) -> Void

        init(
            latest: CombineLatestSubscription<Values, Output, Failure>, index: Int,
            set: @escaping (inout Values, Input) -> Void
        ) {
            self.latest = latest
            self.index = index
            self.set = set
        }

        func receive(subscription: any Subscription) {
            latest.begin(index, subscription)
        }

        func receive(_ input: Input) -> Subscribers.Demand {
            latest.tell(index) { set(&$0, input) }
            return .none
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            latest.end(index, completion)
        }
    }
#endif
