import PigeonStore
import TestSupport

/// A base sequence that sends the states of a test, from the beginning for each iteration, and counts its calls.
final class StateFeed: AsyncSequence, Sendable {
    typealias Element = LoadingState<String>

    enum Step: Sendable {
        case state(LoadingState<String>)
        case end
        case failure(any Error)
    }

    struct Facts: Sendable {
        var steps: [Step] = []
        /// Number of iterations that began, of states that were requested, and of iterators that were released.
        var begun = 0
        var asked = 0
        var freed = 0
    }

    let facts: Watched<Facts>

    init(_ states: LoadingState<String>..., ends: Bool = false) {
        facts = Watched(Facts(steps: states.map { .state($0) } + (ends ? [.end] : [])))
    }

    func send(_ state: LoadingState<String>) {
        facts.update { $0.steps.append(.state(state)) }
    }

    /// Sends a state, and waits until it has been read and another one is requested.
    func sendAndSettle(_ state: LoadingState<String>) async {
        let asked = facts.update { facts in
            facts.steps.append(.state(state))
            return facts.asked
        }
        await facts.wait { $0.asked > asked }
    }

    func end() {
        facts.update { $0.steps.append(.end) }
    }

    func fail(_ error: any Error = Broken("base")) {
        facts.update { $0.steps.append(.failure(error)) }
    }

    func untilAsked(_ times: Int) async {
        await facts.wait { $0.asked >= times }
    }

    func untilFreed(_ times: Int = 1) async {
        await facts.wait { $0.freed >= times }
    }

    func makeAsyncIterator() -> Iterator {
        facts.update { $0.begun += 1 }
        return Iterator(lifetime: Lifetime(facts))
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let lifetime: Lifetime
        private var position = 0

        fileprivate init(lifetime: Lifetime) {
            self.lifetime = lifetime
        }

        mutating func next() async throws -> LoadingState<String>? {
            let position = position
            lifetime.facts.update { $0.asked += 1 }
            await lifetime.facts.wait { $0.steps.count > position }
            try Task.checkCancellation()
            self.position += 1
            switch lifetime.facts.value.steps[position] {
            case .state(let state): return state
            case .end: return nil
            case .failure(let error): throw error
            }
        }
    }

    fileprivate final class Lifetime: Sendable {
        let facts: Watched<Facts>

        init(_ facts: Watched<Facts>) {
            self.facts = facts
        }

        deinit {
            facts.update { $0.freed += 1 }
        }
    }
}
