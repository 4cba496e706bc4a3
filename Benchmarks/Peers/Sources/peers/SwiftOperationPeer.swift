#if canImport(Operation)
    internal import Operation

    /// swift-operation, by its core. Its clients find the store of an operation by its path.
    struct SwiftOperationPeer: Peer {
        let name = "swift-operation"

        func read() async throws -> Double? {
            let client = try await Self.filled()
            return await time(of: Size.keys) {
                for id in 0..<Size.keys { use(client.store(for: user(id)).currentValue?.id ?? 0) }
            }
        }

        func create() async throws -> Double? {
            let client = OperationClient()
            return try await time(of: Size.keys) {
                for id in scattered { use(try await client.store(for: user(id)).fetch().id) }
            }
        }

        /// The library has no fetch that accepts a fresh value. This is the condition of its subscriptions.
        func fetch() async throws -> Double? {
            let client = try await Self.filled()
            return try await time(of: Size.keys) {
                for id in 0..<Size.keys {
                    let store = client.store(for: user(id))
                    let fresh = store.isStale ? nil : store.currentValue
                    if let fresh { use(fresh.id) } else { use(try await store.fetch().id) }
                }
            }
        }

        func notify() async throws -> Double? {
            let store = OperationClient().store(for: UserQuery(id: 1).enableAutomaticRunning(onlyWhen: .always(false)))
            let counter = Counter()
            let handler = QueryEventHandler<QueryState<User, any Error>>(
                onStateChanged: { state, _ in counter.add(state.currentValue?.id ?? 0) })
            let held = (0..<Size.observers).map { _ in store.subscribe(with: handler) }
            let before = counter.count
            let result = await time(of: Size.observers * Size.writes) {
                for number in 1...Size.writes { store.currentValue = User(number) }
            }
            precondition(counter.count - before == Size.observers * Size.writes, "\(counter.count) notifications")
            return withExtendedLifetime(held) { result }
        }

        func mutate() async throws -> Double? {
            let client = OperationClient()
            return try await time(of: Size.mutations) {
                for id in 0..<Size.mutations { use(try await client.store(for: Rename()).mutate(with: id).id) }
            }
        }

        private static func filled() async throws -> OperationClient {
            let client = OperationClient()
            for id in scattered { use(try await client.store(for: user(id)).fetch().id) }
            return client
        }
    }

    /// The same operation for each workload, because a store belongs to the type of its operation.
    private func user(_ id: Int) -> some QueryRequest<User, any Error> { UserQuery(id: id).staleWhenNoValue() }

    private struct UserQuery: QueryRequest, Hashable {
        let id: Int

        var path: OperationPath { ["users", id] }

        func fetch(
            isolation: isolated (any Actor)?, in context: OperationContext,
            with continuation: OperationContinuation<User, any Error>
        ) async throws -> User { User(id) }
    }

    private struct Rename: MutationRequest, Hashable {
        func mutate(
            isolation: isolated (any Actor)?, with id: Int, in context: OperationContext,
            with continuation: OperationContinuation<User, any Error>
        ) async throws -> User { User(id) }
    }
#endif
