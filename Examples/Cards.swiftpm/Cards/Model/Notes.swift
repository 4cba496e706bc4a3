import PigeonUI

/// What the client did, newest first, each with its cause.
@MainActor
final class Notes: ObservableObject {
    @Published private(set) var lines: [String] = []
    private var subscription: QuerySubscription?

    init(_ client: QueryClient) {
        subscription = client.onEvent { [weak self] event in
            Task { @MainActor in self?.add(event) }
        }
    }

    private func add(_ event: QueryEvent) {
        // The user has signed out, and the lines about that user go too.
        if case .cleared = event.kind { lines = [] }
        lines.insert("\(event)", at: 0)
        if lines.count > 200 { lines.removeLast() }
    }
}
