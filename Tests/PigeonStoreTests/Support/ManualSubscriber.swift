import PigeonStore

/// A subscriber that requests values when a test says so.
final class ManualSubscriber<T, Failure: Error>: Subscriber {
    private(set) var words: [String] = []
    private(set) var subscription: (any Subscription)?
    /// The demand that it returns for each state.
    var appetite = Subscribers.Demand.none

    func receive(subscription: any Subscription) {
        self.subscription = subscription
    }

    func receive(_ input: LoadingState<T>) -> Subscribers.Demand {
        words.append(input.word)
        return appetite
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        if case .failure = completion { words.append("failed") } else { words.append("finished") }
    }

    func ask(_ demand: Subscribers.Demand) {
        subscription?.request(demand)
    }
}
