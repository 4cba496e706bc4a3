import PigeonStore

/// Records the states that a reader of a store receives, as text.
final class StoreLog: Sendable {
    private let lines = Locked<[String]>([])
    private let reading = Locked<AnyCancellable?>(nil)

    init() {}

    /// Subscribes to a store.
    ///
    /// - Parameter react: Called within each state.
    convenience init<DATA: Sendable>(
        _ store: some StoreFlowable<some Hashable & Sendable, DATA>, forceRefresh: Bool = false,
        react: @escaping @Sendable (LoadingState<DATA>) -> Void = { _ in }
    ) {
        self.init()
        let subscription = store.publish(forceRefresh: forceRefresh).sink { [weak self] state in
            self?.add(state.word)
            react(state)
        }
        hold(subscription)
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

    func add(_ word: String) {
        lines.withLock { $0.append(word) }
    }

    /// Holds what sends the states. It is cancelled with the log.
    func hold(_ new: AnyCancellable) {
        reading.withLock { $0 = new }
    }

    func cancel() {
        let old = reading.withLock { reading in
            defer { reading = nil }
            return reading
        }
        old?.cancel()
    }
}

/// The state of a store that has no data and loads none.
let emptied = "!\(NoSuchElementError())"
