import PigeonStore
import TestSupport

/// Stores of texts on real threads. A text tells whose it is: `user 3, 17`.
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

    /// - Parameter isReliable: Whether no fetch fails.
    init(isReliable: Bool) {
        state = Locked(State(isReliable: isReliable))
    }

    /// How many fetches of one key ran at once at the most.
    var mostAtOnce: Int { state.withLock { $0.most } }
    /// How many fetches began.
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

    /// Waits until all is valid, and nothing is under way.
    func settle(_ keys: Int) async {
        await until { self.client.entries().allSatisfy { $0.activity == .idle } }
        for key in 0..<keys {
            await store(key).validate()
            _ = await store(key).getData(from: .cache)
        }
    }

    /// Whether nobody waits, and nobody watches.
    var isQuiet: Bool {
        client.inspect().places.values.allSatisfy { $0.waiters == 0 && $0.observers == 0 && !$0.isRunning }
    }

    /// From now on, what is fetched is another user's.
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
