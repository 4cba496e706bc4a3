internal import PigeonCore

/// One reading of what the newest states of several sequences say together.
struct CombinedStateIterator<States: Sendable, OUTPUT>: AsyncIteratorProtocol {
    /// Reads one of the sequences to its end.
    typealias Input = @Sendable (_ combination: CombinedStates<States>, _ index: Int) async -> Void

    private let owner: CombinedStatesOwner<States>
    private let inputs: [Input]
    private let combine: (States) -> LoadingState<OUTPUT>?

    init(none: States, inputs: [Input], combine: @escaping (States) -> LoadingState<OUTPUT>?) {
        owner = CombinedStatesOwner(CombinedStates(LatestStates(none, count: inputs.count)))
        self.inputs = inputs
        self.combine = combine
    }

    mutating func next() async -> LoadingState<OUTPUT>? {
        await owner.combination.next(beginning: inputs).flatMap(combine)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async -> LoadingState<OUTPUT>? {
        await next()
    }
}

/// Ends what is read for an iteration once nobody holds that. Those who read do not hold it.
private final class CombinedStatesOwner<States: Sendable>: Sendable {
    let combination: CombinedStates<States>

    init(_ combination: CombinedStates<States>) {
        self.combination = combination
    }

    deinit {
        combination.cancel()
    }
}

extension AsyncSequence where Self: Sendable {
    /// This sequence as one input of a combination.
    ///
    /// - Parameter change: Puts a state in its place.
    func stateInput<States: Sendable, DATA: Sendable>(
        _ change: @escaping @Sendable (inout States, LoadingState<DATA>) -> Void
    ) -> CombinedStateIterator<States, DATA>.Input where Element == LoadingState<DATA> {
        let states = LoadingStateSequence(self)
        return { combination, index in
            for await state in states { combination.tell(index) { change(&$0, state) } }
            combination.end(index)
        }
    }
}
