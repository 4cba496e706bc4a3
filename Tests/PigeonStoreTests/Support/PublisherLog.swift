import PigeonStore

/// Records the values that publishers send, and the calls that they receive.
final class PublisherLog {
    private var lines: [String] = []
    private var subscriptions: Set<AnyCancellable> = []

    /// Returns the lines since the last call.
    func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    func add(_ line: String) {
        lines.append(line)
    }

    func follow<T, Failure: Error>(_ publisher: some Publisher<LoadingState<T>, Failure>) {
        publisher.sink { [weak self] completion in
            switch completion {
            case .finished: self?.add("finished")
            case .failure(let error): self?.add("failed \((error as? Broken)?.name ?? "\(error)")")
            }
        } receiveValue: { [weak self] state in
            self?.add(state.word)
        }.store(in: &subscriptions)
    }

    func cancel() {
        subscriptions = []
    }
}

extension Publisher {
    /// Records subscriptions, requests and cancellations.
    func watched(by log: PublisherLog, _ name: String) -> Publishers.HandleEvents<Self> {
        handleEvents(
            receiveSubscription: { _ in log.add("\(name) subscribed") },
            receiveCancel: { log.add("\(name) cancelled") },
            receiveRequest: { _ in log.add("\(name) asked") })
    }
}
