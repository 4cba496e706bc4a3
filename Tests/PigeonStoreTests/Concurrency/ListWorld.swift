import PigeonStore

/// A store of a list on real threads. The numbers of the list are consecutive, and their thousands identify the refresh
/// that they come from.
final class ListWorld: Sendable {
    private struct State {
        var generation = 0
        var calls = 0
        var broken: [[Int]] = []
        var isReliable = false
    }

    private struct WorldFetcher: TwoWayPaginationFetcher {
        let world: ListWorld

        func fetch(param: Int) async throws -> TwoWayPaginationFetcher.Result.Initial<Int> {
            let first = try await world.first()
            return Result.Initial(data: [first], nextRequestKey: "\(first + 1)", prevRequestKey: "\(first - 1)")
        }

        func fetchNext(nextKey: String, param: Int) async throws -> TwoWayPaginationFetcher.Result.Next<Int> {
            let number = try await world.page(nextKey)
            return Result.Next(data: [number], nextRequestKey: number % 1000 < 510 ? "\(number + 1)" : nil)
        }

        func fetchPrev(prevKey: String, param: Int) async throws -> TwoWayPaginationFetcher.Result.Prev<Int> {
            let number = try await world.page(prevKey)
            return Result.Prev(data: [number], prevRequestKey: number % 1000 > 490 ? "\(number - 1)" : nil)
        }
    }

    let client = QueryClient()
    let cacher = TwoWayPaginationCacher<Int, Int>(expireSeconds: .infinity, queryKey: "world")
    private let state = Locked(State())

    func list() -> AnyTwoWayPaginationStoreFlowable<Int, [Int]> {
        AnyStoreFlowable.from(cacher: cacher, fetcher: WorldFetcher(world: self), param: 0, client: client)
    }

    /// The lists that were seen whose numbers are not consecutive.
    var broken: [[Int]] { state.withLock { $0.broken } }

    func check(_ numbers: [Int]?) {
        guard let numbers, let first = numbers.first, numbers != Array(first..<first + numbers.count) else { return }
        state.withLock { $0.broken.append(numbers) }
    }

    /// From now on, no fetch fails.
    func becomeReliable() {
        state.withLock { $0.isReliable = true }
    }

    private func pause() async throws {
        let call = state.withLock { state in
            state.calls += 1
            return state.calls
        }
        for _ in 0..<(call % 3) { await Task.yield() }
        let isReliable = state.withLock { $0.isReliable }
        if !isReliable, call.isMultiple(of: 19) { throw Broken("busy") }
    }

    private func first() async throws -> Int {
        try await pause()
        return state.withLock { state in
            state.generation += 1
            return state.generation * 1000 + 500
        }
    }

    private func page(_ key: String) async throws -> Int {
        try await pause()
        guard let number = Int(key) else { throw Broken("key") }
        return number
    }
}
