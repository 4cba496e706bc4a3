import PigeonStore
import TestSupport

/// Stores of texts on real threads. A text names the user that it belongs to, such as `user 3, 17`.
final class TextWorld: Sendable {
    private struct State {
        var running: [Int: Int] = [:]
        var most = 0
        var fetches = 0
        var user = 0
        var isReliable: Bool
    }

    private struct WorldFetcher: PigeonStore.Fetcher {
        let world: TextWorld
        func fetch(param: Int) async throws -> String { try await world.fetch(param) }
    }

    let client = QueryClient()
    let cacher = Cacher<Int, String>(expireSeconds: .infinity, queryKey: "world")
    private let state: Locked<State>

    /// - Parameter isReliable: True if no fetch fails.
    init(isReliable: Bool) {
        state = Locked(State(isReliable: isReliable))
    }

    /// The largest number of fetches of one key that ran at the same time.
    var mostAtOnce: Int { state.withLock { $0.most } }
    /// Number of fetches that began.
    var fetches: Int { state.withLock { $0.fetches } }

    func becomeReliable() {
        state.withLock { $0.isReliable = true }
    }

    func store(_ key: Int) -> AnyStoreFlowable<Int, String> {
        .from(cacher: cacher, fetcher: WorldFetcher(world: self), param: key, client: client)
    }

    func cached(_ key: Int) async throws -> String? { try await cacher.loadData(param: key) }

    private func fetch(_ key: Int) async throws -> String {
        let (number, user) = state.withLock { state in
            state.running[key, default: 0] += 1
            state.most = max(state.most, state.running[key] ?? 0)
            state.fetches += 1
            return (state.fetches, state.user)
        }
        for _ in 0..<(number % 4) { await Task.yield() }
        let isReliable = state.withLock { state in
            state.running[key, default: 0] -= 1
            return state.isReliable
        }
        if !isReliable, number.isMultiple(of: 7) { throw Broken("busy") }
        return "user \(user), \(number)"
    }

    /// Waits until all data is valid, and nothing is in flight.
    func settle(_ keys: Int) async {
        await until { self.client.entries().allSatisfy { $0.activity == .idle } }
        for key in 0..<keys {
            await store(key).validate()
            _ = await store(key).getData(from: .cache)
        }
    }

    /// True if no caller waits, no store is observed, and nothing is being fetched.
    var isQuiet: Bool {
        client.inspect().entries.values.allSatisfy { $0.entry.callers.isEmpty && $0.observers == 0 && !$0.isRunning }
    }

    /// Makes all later fetches return the data of a new user. Returns the number of that user.
    func changeUser() -> Int {
        state.withLock { state in
            state.user += 1
            return state.user
        }
    }

    static func user(of text: String) -> Int {
        text.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? .max
    }
}
