import Pigeon

/// The requests that the list needs. In the app, a server answers them.
protocol UserAPI: Sendable {
    func names() async throws -> [String]
}

extension QueryDefinition where Value == [String] {
    static var names: Self {
        QueryDefinition("names") { context in try await context[(any UserAPI).self].names() }
            .retry(RetryPolicy(limit: 1, hasJitter: false))
    }
}

/// The state of a screen that shows the names of all users.
@MainActor
final class UserList {
    private let names: Query<Void, [String]>

    init(client: QueryClient) {
        names = Query(.names, client: client)
    }

    var text: String {
        let snapshot = names.snapshot
        switch snapshot.phase {
        case .pending: return snapshot.isPaused ? "You are offline." : "Loading…"
        case .failure: return "That did not work. Try again?"
        case .content(let names):
            let list = names.joined(separator: ", ")
            return snapshot.error == nil ? list : "\(list) (from earlier)"
        }
    }
}
