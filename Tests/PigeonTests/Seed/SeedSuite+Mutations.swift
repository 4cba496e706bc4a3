import Pigeon
import Testing

extension SeedSuite {
    @MainActor
    struct Mutations {
        @Test func `a mutation has the query refetched`() async {
            begin()
            let fetches = Locked(0)
            let users = Query<Void, [User]>(key: QueryKey(value: "users"), behavior: .startImmediately(())) {
                fetches.withLock { $0 += 1 }
                return Just([ann]).setFailureType(to: (any Error).self).eraseToAnyPublisher()
            }
            let sampleMutation = Mutation<Int, User> { (number) -> AnyPublisher<User, any Error> in
                Just(User(id: number, name: "Pepe"))
                    .tryMap({ $0 })
                    .eraseToAnyPublisher()
            }
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            sampleMutation.execute(with: 10) { (user: User, invalidate) in
                // Invalidate triggers a new query on the "users" key
                invalidate(QueryKey(value: "users"), .lastData)
                continuation.yield()
            }
            for await _ in stream { break }
            #expect(sampleMutation.state.value == User(id: 10, name: "Pepe"))
            #expect(fetches.withLock { $0 } == 2)
            #expect(users.state.value == [ann])
        }
    }
}
