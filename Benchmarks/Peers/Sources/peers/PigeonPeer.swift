internal import PigeonCore

struct PigeonPeer: Peer {
    let name = "Pigeon"

    func read() async throws -> Double? {
        let client = QueryClient()
        for id in scattered { use(try await client.fetch(.user(id)).id) }
        return await time(of: Size.keys) {
            for id in 0..<Size.keys { use(client.value(of: QueryKey("users", id), as: User.self)?.id ?? 0) }
        }
    }

    func create() async throws -> Double? {
        let client = QueryClient()
        return try await time(of: Size.keys) {
            for id in scattered { use(try await client.fetch(.user(id)).id) }
        }
    }

    func fetch() async throws -> Double? {
        let client = QueryClient()
        for id in scattered { use(try await client.fetch(.user(id)).id) }
        return try await time(of: Size.keys) {
            for id in 0..<Size.keys { use(try await client.fetch(.user(id)).id) }
        }
    }

    func notify() async throws -> Double? {
        let client = QueryClient()
        try client.set(User(0), for: .user(1))
        let counter = Counter()
        let held = (0..<Size.observers).map { _ in client.observe(.user(1)) { counter.add($0.value?.id ?? 0) } }
        let result = try await time(of: Size.observers * Size.writes) {
            for number in 1...Size.writes { try client.set(User(number), for: .user(1)) }
        }
        precondition(counter.count == Size.observers * Size.writes, "\(counter.count) notifications")
        return withExtendedLifetime(held) { result }
    }

    func mutate() async throws -> Double? {
        let client = QueryClient()
        return try await time(of: Size.mutations) {
            for id in 0..<Size.mutations { use(try await client.mutate(Rename(id: id)).id) }
        }
    }
}

private struct Rename: Mutating {
    let id: Int

    func run(_ context: MutationContext) async throws -> User { User(id) }
}

extension QueryDefinition where Value == User {
    fileprivate static func user(_ id: Int) -> Self {
        QueryDefinition("users", id) { _ in User(id) }.staleAfter(.seconds(60)).tagged("users").retry(.standard)
    }
}
