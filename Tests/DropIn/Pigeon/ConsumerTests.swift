import Foundation
import Pigeon
import Testing

@MainActor
@Suite("Pigeon 0.1: consumers", OwnSharedState(), .timeLimit(.minutes(1)))
struct ConsumerTests {
    // uses: Query.Consumer, Query.Consumer.init(key:), Query.Consumer.state, Query.Consumer.State
    @Test func `a consumer shows the query with its key`() {
        let query = Query<Void, [User]>(key: QueryKey(value: "users"), fetcher: { answer([ann]) })
        let users = Query<Void, [User]>.Consumer(key: QueryKey(value: "users"))
        let state: Query<Void, [User]>.Consumer.State = users.state
        #expect(state.label == "idle")
        query.refetch(request: ())
        #expect(users.state.value?.map(\.name) == ["Ann"])
        #expect(query.state.value?.map(\.name) == ["Ann"])
    }

    // uses: Query.Consumer.statePublisher, Query.Consumer.valuePublisher, Query.Consumer.objectWillChange
    @Test func `a consumer publishes what its query does`() async {
        let server = Server<Void, [User]>()
        let query = Query<Void, [User]>(key: .users, fetcher: { server.fetch(()) })
        let users = Query<Void, [User]>.Consumer(key: .users)
        var (states, names, changes): ([String], [String], Int) = ([], [], 0)
        var cancellables = Set<AnyCancellable>()
        users.statePublisher.sink { states.append($0.label) }.store(in: &cancellables)
        users.valuePublisher.sink { names += $0.map(\.name) }.store(in: &cancellables)
        users.objectWillChange.sink { _ in changes += 1 }.store(in: &cancellables)
        query.refetch(request: ())
        server.succeed(with: [ann])
        // A consumer may skip a state that another one has replaced before its turn on the main actor.
        await until { states.last == "succeed" }
        query.refetch(request: ())
        await until { states.last == "loading" }
        server.succeed(with: [bob])
        await until { states.last == "succeed" && changes >= 4 }
        #expect(states == ["idle", "loading", "succeed", "loading", "succeed"])
        #expect(names == ["Ann", "Bob"])
        #expect(changes >= 4)
    }

    // uses: Query.Consumer.refetch(for:)
    @Test func `a consumer has its query fetch again`() {
        let fetched = Notes<Int>()
        let query = Query<Int, User>(
            key: QueryKey(value: "user"), behavior: .startImmediately(1),
            fetcher: {
                fetched.add($0)
                return answer(User(id: $0, name: "Ann"))
            })
        let user = Query<Int, User>.Consumer(key: QueryKey(value: "user"))
        user.refetch(for: .lastData)
        user.refetch(for: .newData(2))
        user.refetch(for: QueryInvalidator.TypedParameters<Int>.lastData)
        #expect(fetched.all == [1, 1, 2, 2])
        #expect(user.state.value?.id == 2 && query.state.value?.id == 2)
    }

    @Test func `a consumer shows a paginated query`() {
        let cards = PaginatedQuery<Void, NumericPaginatedQueryKey, [Int]>(
            key: QueryKey(value: "cards"), firstPage: NumericPaginatedQueryKey(current: 0),
            behavior: .startImmediately(()), fetcher: { _, page in answer([page.current]) })
        let consumer = Query<Void, [Int]>.Consumer(key: QueryKey(value: "cards"))
        cards.fetchNextPage()
        #expect(consumer.state.value == [0, 1])
        consumer.refetch(for: .newData(()))
        #expect(consumer.state.value == [0])
    }

    // uses: Query.Consumer.eraseToAnyQuery()
    @Test func `a consumer is erased too`() {
        let query = Query<Void, [User]>(key: .users, behavior: .startImmediately(()), fetcher: { answer([ann]) })
        let users: AnyQuery<Void, [User]> = Query<Void, [User]>.Consumer(key: .users).eraseToAnyQuery()
        #expect(users.state.value?.count == query.state.value?.count)
    }

    // guide: `Query.Consumer(key:)` of a query with a key adapter
    @Test func `a consumer of an adapted query names the adapted key`() {
        let query = Query<Int, User>(
            key: .users, keyAdapter: { key, id in key.appending(id.description) }, behavior: .startImmediately(42),
            fetcher: { API(name: "Ann").user($0) })
        let user = Query<Int, User>.Consumer(key: "users/42")
        #expect(user.state.value?.id == 42)
        #expect(Query<Int, User>.Consumer(key: .users).state.label == "idle")
        withExtendedLifetime(query) {}
    }

    @Test func `P15: a consumer may come before its query`() {
        let users = Query<Void, [User]>.Consumer(key: .users)
        let query = Query<Void, [User]>(key: .users, behavior: .startImmediately(()), fetcher: { answer([ann]) })
        #expect(users.state.value?.count == query.state.value?.count)
    }

    // guide: a query that its owner does not keep
    @Test func `P13: a query ends with its owner, and its consumers keep what it fetched`() {
        let fetched = Notes<Int>()
        func start() {
            _ = Query<Void, [User]>(
                key: .users, behavior: .startImmediately(()),
                fetcher: {
                    fetched.add(1)
                    return answer([ann])
                })
        }
        let users = Query<Void, [User]>.Consumer(key: .users)
        start()
        #expect(users.state.value?.count == 1)
        users.refetch(for: .lastData)
        #expect(fetched.all.count == 2)
        users.refetch(for: .newData(()))
        #expect(fetched.all.count == 2)
    }
}
