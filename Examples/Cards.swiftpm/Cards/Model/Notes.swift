import PigeonUI

/// What the client did, newest first, each with its cause.
@MainActor
final class Notes: ObservableObject {
    @Published private(set) var lines: [String] = []
    private var subscription: QuerySubscription?

    init(_ client: QueryClient) {
        subscription = client.onEvent { [weak self] event in
            let line = "\(event)"
            Task { @MainActor in self?.add(line) }
        }
    }

    func clear() { lines = [] }

    private func add(_ line: String) {
        lines.insert(line, at: 0)
        if lines.count > 200 { lines.removeLast() }
    }
}
