import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("what a mutation does to queries", .rule("B11"))
struct MutationEffectTests {
    let lab = QueryLab()
    let users: Users
    let consumer: Users.Consumer
    let server: Server<Void, [User]>

    init() {
        server = Server(lab)
        users = lab.users(server, .startImmediately(()))
        consumer = Users.Consumer(key: "users", client: lab.client)
        server.succeed(with: [ann])
        lab.clearLog()
    }

    @Test func `an invalidation after success refetches queries and consumers, and the log says why`() async {
        let mutation = Mutation<Int, User>(client: lab.client, name: "AddUser") { User(id: $0, name: "Pepe") }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        mutation.execute(with: 10) { _, invalidate in
            invalidate("users", .lastData)
            continuation.yield()
        }
        for await _ in stream { break }
        #expect(lab.log.contains("users fetching (invalidated by mutation AddUser)"))
        #expect(users.state.isLoading)
        #expect(consumer.state.isLoading)
        server.succeed(with: [ann, bob])
        #expect(consumer.state.value == [ann, bob])
    }

    @Test func `a consumer alone is refetched, its query having gone`() async {
        let (lab, server) = (QueryLab(), self.server)
        let local = Server(lab, Void.self, [User].self)
        var gone: Users? = lab.users(local, .startImmediately(()))
        let left = Users.Consumer(key: "users", client: lab.client)
        local.succeed(with: [ann])
        #expect(gone?.value == [ann])
        gone = nil
        let mutation = Mutation<Int, Int>(client: lab.client, name: "M") { $0 }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        mutation.execute(with: 1) { _, invalidate in
            invalidate("users", .lastData)
            continuation.yield()
        }
        for await _ in stream { break }
        #expect(lab.log.contains("users fetching (invalidated by mutation M)"))
        local.succeed(with: [bob])
        #expect(left.state.value == [bob])
        #expect(server.callCount == 1)
    }

    private func renaming(_ fetcher: Server<String, User>) -> Mutation<String, User> {
        Mutation(client: lab.client) { RenameFirst(name: $0, server: fetcher) }
    }

    @Test func `an optimistic change shows at once, and goes when the mutation fails`() async {
        let rename = Server(lab, String.self, User.self)
        let mutation = renaming(rename)
        let task = Task { try await mutation("Anna") }
        await until { rename.callCount != 0 }
        #expect(users.state.value?.first?.name == "Anna")
        #expect(consumer.state.value?.first?.name == "Anna")
        #expect(users.snapshot.isOptimistic)
        rename.fail()
        _ = await task.result
        #expect(users.state.value == [ann])
        #expect(!users.snapshot.isOptimistic)
    }

    @Test func `an optimistic change shows before the call that makes it returns`() {
        let rename = Server(lab, String.self, User.self)
        let mutation = renaming(rename)
        mutation.execute(with: "Anna")
        #expect(users.state.value?.first?.name == "Anna" && mutation.state.isLoading)
        mutation.cancel()
    }

    @Test func `a mutation that ends within its call is not under way after it`() {
        let mutation = Mutation<Int, Int>(client: lab.client) { $0 + 1 }
        mutation.execute(with: 1)
        #expect(mutation.state.value == 2)
        mutation.cancel()
        #expect(mutation.state.value == nil)
    }

    @Test func `an optimistic change stays when the mutation succeeds`() async {
        let rename = Server(lab, String.self, User.self)
        let mutation = renaming(rename)
        let task = Task { try await mutation("Anna") }
        await until { rename.callCount != 0 }
        rename.succeed(with: User(id: 1, name: "Anna"))
        _ = await task.result
        #expect(users.state.value?.first?.name == "Anna")
        #expect(!users.snapshot.isOptimistic)
    }

    @Test func `cancelling takes the optimistic change back`() async {
        let rename = Server(lab, String.self, User.self)
        let mutation = renaming(rename)
        let task = Task { try await mutation("Anna") }
        await until { rename.callCount != 0 }
        mutation.cancel()
        lab.settle()
        _ = await task.result
        #expect(users.state.value == [ann])
    }

    @Test func `a callback may execute again, cancel, and reset`() async {
        let mutation = Mutation<Int, Int>(client: lab.client) { $0 }
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        mutation.execute(with: 1) { value, _ in
            continuation.yield(value)
            mutation.execute(with: 2) { value, _ in
                mutation.reset()
                continuation.yield(value)
                continuation.finish()
            }
        }
        var seen: [Int] = []
        for await value in stream { seen.append(value) }
        #expect(seen == [1, 2])
        #expect("\(mutation.state)" == "idle")
    }
}
