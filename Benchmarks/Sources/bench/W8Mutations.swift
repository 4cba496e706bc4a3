internal import PigeonCore

/// W8: mutation to success.
func measureMutations(_ recorder: Recorder) async throws {
    let rounds = 10_000
    let client = QueryClient(options: .fresh)
    try client.set(User(1), for: "w8")
    let floor = try await recorder.median {
        try await nanoseconds { for id in 0..<rounds { use(try await answer(id)) } } / Double(rounds)
    }
    let plain = try await recorder.median {
        try await nanoseconds { for id in 0..<rounds { use(try await client.mutate(Touch(id: id))) } } / Double(rounds)
    }
    recorder.record(
        "W8.mutation", "a mutation, from the call to its success", .microseconds, plain / 1000, floor: floor / 1000,
        target: 3)
    let optimistic = try await recorder.median {
        try await nanoseconds { for id in 0..<rounds { use(try await client.mutate(Rename(id: id))) } } / Double(rounds)
    }
    recorder.record(
        "W8.optimistic", "a mutation with an optimistic change and an invalidation", .microseconds, optimistic / 1000,
        floor: floor / 1000)
}

/// Changes nothing that is cached.
private struct Touch: Mutating {
    let id: Int

    func run(_ context: MutationContext) async throws -> Int { try await answer(id) }
}

/// Shows its change at once, and invalidates when it is made.
private struct Rename: Mutating {
    let id: Int

    func run(_ context: MutationContext) async throws -> Int { try await answer(id) }

    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(QueryDefinition<User>.value("w8")) { $0.id = id }
    }

    func invalidates(_ output: Int) -> [KeyFilter] { [.key("w8")] }
}
