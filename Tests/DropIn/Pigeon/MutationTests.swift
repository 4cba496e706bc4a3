import Foundation
import Pigeon
import Testing

@MainActor
@Suite("Pigeon 0.1: mutations", OwnSharedState(), .timeLimit(.minutes(1)))
struct MutationTests {
    // uses: Mutation, Mutation.init(fetcher:), Mutation.execute(with:), Mutation.state
    @Test func `a mutation has a state`() {
        let mutation = Mutation<Int, User> { (number) -> AnyPublisher<User, Error> in
            Just(User(id: number, name: "Pepe"))
                .tryMap({ $0 })
                .eraseToAnyPublisher()
        }
        #expect(mutation.state.label == "idle")
        mutation.execute(with: 10)
        #expect(mutation.state.value?.id == 10)
    }

    // uses: Mutation.execute(with:onSuccess:)
    @Test func `a success has queries fetched again`() {
        let fetched = Notes<Int>()
        let users = Query<Void, [User]>(
            key: .users, behavior: .startImmediately(()),
            fetcher: {
                fetched.add(1)
                return answer([ann])
            })
        let mutation = Mutation<Int, User>(fetcher: { API(name: "Ann").user($0) })
        var created: [Int] = []
        mutation.execute(with: 10) { (user: User, invalidate) in
            created.append(user.id)
            invalidate(QueryKey(value: "users"), .lastData)
        }
        #expect(created == [10] && fetched.all.count == 2)
        mutation.execute(
            with: 11,
            onSuccess: { user, invalidate in
                created.append(user.id)
                invalidate(.users, .newData(()))
            })
        #expect(created == [10, 11] && fetched.all.count == 3)
        withExtendedLifetime(users) {}
    }

    @Test func `a failure is a state, and no success`() {
        let mutation = Mutation<Int, User>(fetcher: { _ in failure() })
        var successes = 0
        mutation.execute(with: 1) { _, _ in successes += 1 }
        guard case let .failed(error) = mutation.state else {
            Issue.record("\(mutation.state)")
            return
        }
        #expect(error is Broken && successes == 0)
    }

    // uses: Mutation.State, Mutation.QueryFetcher, Mutation.$state, Mutation.objectWillChange
    @Test func `a mutation publishes its states`() async {
        let server = Server<String, User>()
        let fetcher: Mutation<String, User>.QueryFetcher = { name in server.fetch(name) }
        let mutation = Mutation<String, User>(fetcher: fetcher)
        var (states, changes): ([Mutation<String, User>.State], Int) = ([], 0)
        var cancellables = Set<AnyCancellable>()
        mutation.$state.sink { states.append($0) }.store(in: &cancellables)
        mutation.objectWillChange.sink { _ in changes += 1 }.store(in: &cancellables)
        mutation.execute(with: "Ann")
        server.succeed(with: ann)
        await until { mutation.state.label == "succeed" }
        #expect(states.map(\.label) == ["idle", "loading", "succeed"])
        #expect(changes == 2)
    }

    // uses: Mutation.state (set)
    // guide: `mutation.state = …`
    @Test func `a state is forgotten`() {
        let mutation = Mutation<Int, User>(fetcher: { API(name: "Ann").user($0) })
        mutation.execute(with: 1)
        mutation.reset()
        #expect(mutation.state.label == "idle")
    }

    @Test func `a mutation whose owner lets go ends all the same`() async {
        let server = Server<Int, User>()
        var created: [Int] = []
        func create() {
            Mutation<Int, User>(fetcher: { server.fetch($0) }).execute(with: 1) { user, _ in created.append(user.id) }
        }
        create()
        server.succeed(with: ann)
        await until { !created.isEmpty }
        #expect(created == [1])
    }

    // guide: a fetcher of a paginated query or of a mutation that sends several values
    @Test func `the answer is the last value, and each execution has one success`() {
        let mutation = Mutation<Void, Int>(fetcher: {
            [1, 2].publisher.setFailureType(to: Error.self).eraseToAnyPublisher()
        })
        var successes: [Int] = []
        mutation.execute(with: ()) { value, _ in successes.append(value) }
        #expect(successes == [2] && mutation.state.value == 2)
    }
}
