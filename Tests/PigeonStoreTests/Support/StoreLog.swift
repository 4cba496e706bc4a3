import PigeonStore

/// Records the states that a subscriber of a store receives.
final class StoreLog<DATA: Sendable>: Sendable {
    private let lines = Locked<[String]>([])
    private let subscription = Locked<AnyCancellable?>(nil)

    /// - Parameter react: Called within each state.
    init(
        _ store: some StoreFlowable<some Hashable & Sendable, DATA>, forceRefresh: Bool = false,
        react: @escaping @Sendable (LoadingState<DATA>) -> Void = { _ in }
    ) {
        let made = store.publish(forceRefresh: forceRefresh).sink { [weak self] state in
            self?.add(state.word)
            react(state)
        }
        subscription.withLock { $0 = made }
    }

    var words: [String] { lines.withLock { $0 } }
    var last: String? { words.last }

    /// Returns the states since the last call.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    func cancel() {
        let old = subscription.withLock { subscription in
            defer { subscription = nil }
            return subscription
        }
        old?.cancel()
    }

    private func add(_ word: String) {
        lines.withLock { $0.append(word) }
    }
}

/// The state of a store that has no data and loads none.
let emptied = "!\(NoSuchElementError())"
