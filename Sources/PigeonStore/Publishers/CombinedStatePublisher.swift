internal import CombineShim

/// Sends what the newest states of several publishers say together: first when all have sent one, then whenever one sends.
///
/// One combination is kept for a subscriber that has not asked, or is still busy with the one before: the newest.
struct CombinedStatePublisher<States, OUTPUT, Failure: Error>: Publisher {
    typealias Output = LoadingState<OUTPUT>
    typealias Combination = CombinedStateSubscription<States, OUTPUT, Failure>

    /// Nothing of each.
    let none: States
    /// Each subscribes a combination to one of the publishers.
    let inputs: [(_ combination: Combination, _ index: Int) -> Void]
    let combine: (States) -> LoadingState<OUTPUT>?

    func receive<S: Subscriber>(subscriber: S) where S.Input == LoadingState<OUTPUT>, S.Failure == Failure {
        let combination = Combination(
            AnySubscriber(subscriber), LatestStates(none, count: inputs.count), combine)
        subscriber.receive(subscription: combination)
        for (index, subscribe) in inputs.enumerated() where combination.isOpen { subscribe(combination, index) }
    }
}

extension Publisher {
    /// This publisher as one input of a combination.
    ///
    /// - Parameter change: Puts a state in its place.
    func stateInput<States, OUTPUT>(
        _ change: @escaping (inout States, Output) -> Void
    ) -> (CombinedStateSubscription<States, OUTPUT, Failure>, Int) -> Void {
        { combination, index in
            subscribe(CombinedStateInput(combination: combination, index: index, change: change))
        }
    }
}

/// Passes on what one publisher sends.
private final class CombinedStateInput<States, OUTPUT, Input, Failure: Error>: Subscriber {
    private let combination: CombinedStateSubscription<States, OUTPUT, Failure>
    private let index: Int
    private let change: (inout States, Input) -> Void

    init(
        combination: CombinedStateSubscription<States, OUTPUT, Failure>, index: Int,
        change: @escaping (inout States, Input) -> Void
    ) {
        self.combination = combination
        self.index = index
        self.change = change
    }

    func receive(subscription: any Subscription) {
        combination.begin(index, subscription)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        combination.tell(index) { change(&$0, input) }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        combination.end(index, completion)
    }
}
