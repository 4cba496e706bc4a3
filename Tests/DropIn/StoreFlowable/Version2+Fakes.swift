import PigeonStore
import Testing

extension Version2 {
    /// A fake of a store, as a preview or a test has it: the requirements of `TwoWayPaginationStoreFlowable`, and no more.
    // guide: non-final class cannot conform to the 'Sendable' protocol
    final class FakeFeed: TwoWayPaginationStoreFlowable {
        typealias KEY = String
        typealias DATA = [Int]

        let calls = Memory<Int, String>()
        let state: LoadingState<[Int]>

        init(_ state: LoadingState<[Int]>) { self.state = state }

        func publish(forceRefresh: Bool) -> LoadingStatePublisher<[Int]> {
            calls[0] = "publish \(forceRefresh)"
            return Just(state).eraseToAnyPublisher()
        }

        func getData(from: GettingFrom) -> AnyPublisher<[Int]?, Never> {
            calls[1] = "get \(from)"
            return Just(state.content).eraseToAnyPublisher()
        }

        func requireData(from: GettingFrom) -> AnyPublisher<[Int], Error> {
            calls[2] = "require \(from)"
            return answer(state.content ?? [])
        }

        func validate() -> AnyPublisher<Void, Never> { note(3, "validate") }

        func refresh() -> AnyPublisher<Void, Never> { note(4, "refresh") }

        func update(newData: [Int]?) -> AnyPublisher<Void, Never> { note(5, "update") }

        func requestNextData(continueWhenError: Bool) -> AnyPublisher<Void, Never> {
            note(6, "next \(continueWhenError)")
        }

        func update(newData: [Int]?, nextKey: String?) -> AnyPublisher<Void, Never> {
            note(7, "update \(nextKey ?? "-")")
        }

        func requestPrevData(continueWhenError: Bool) -> AnyPublisher<Void, Never> {
            note(8, "prev \(continueWhenError)")
        }

        func update(newData: [Int]?, nextKey: String?, prevKey: String?) -> AnyPublisher<Void, Never> {
            note(9, "update \(nextKey ?? "-") \(prevKey ?? "-")")
        }

        private func note(_ number: Int, _ text: String) -> AnyPublisher<Void, Never> { calls.save(text, number) }
    }

    /// A fake that is a struct, of a store of one piece of data.
    struct FakeUser: StoreFlowable {
        typealias KEY = UnitHash
        typealias DATA = User

        let user: User

        func publish(forceRefresh: Bool) -> LoadingStatePublisher<User> { Just(.done(user)).eraseToAnyPublisher() }

        func getData(from: GettingFrom) -> AnyPublisher<User?, Never> { Just(user).eraseToAnyPublisher() }

        func requireData(from: GettingFrom) -> AnyPublisher<User, Error> { answer(user) }

        func validate() -> AnyPublisher<Void, Never> { Just(()).eraseToAnyPublisher() }

        func refresh() -> AnyPublisher<Void, Never> { Just(()).eraseToAnyPublisher() }

        func update(newData: User?) -> AnyPublisher<Void, Never> { Just(()).eraseToAnyPublisher() }
    }
}

/// Code that takes whatever store it is given, as a view model does.
struct Version2Reader<Store: StoreFlowable> {
    let store: Store

    func content() async -> Store.DATA? { await settled(store.publish())?.content }
}

func more<List: PaginationStoreFlowable>(_ list: List) async throws where List.KEY == String, List.DATA == [Int] {
    try await value(of: list.requestNextData())
    try await value(of: list.requestNextData(continueWhenError: false))
    try await value(of: list.update(newData: [1], nextKey: "n"))
}

func bothSides<Feed: TwoWayPaginationStoreFlowable>(_ feed: Feed) async throws where Feed.DATA == [Int] {
    try await value(of: feed.requestPrevData())
    try await value(of: feed.requestPrevData(continueWhenError: false))
    try await value(of: feed.update(newData: [1], prevKey: "p"))
    try await value(of: feed.update(newData: [1], nextKey: "n", prevKey: "p"))
}

@Suite("Coming from StoreFlowable 2: stores of a program's own")
struct Version2FakeTests {
    @Test("A fake is a store, with the defaults of the protocol")
    func store() async throws {
        let fake = Version2.FakeFeed(.done([1, 2]))
        #expect(await Version2Reader(store: fake).content() == [1, 2])
        #expect(fake.calls[0] == "publish false")
        #expect(try await value(of: fake.getData()) == [1, 2])
        #expect(fake.calls[1] == "get both")
        #expect(try await value(of: fake.requireData()) == [1, 2])
        #expect(fake.calls[2] == "require both")
        #expect(await Version2Reader(store: Version2.FakeUser(user: User(1))).content() == User(1))
    }

    @Test("A fake of a list is a list, with the defaults of the protocols")
    func lists() async throws {
        let fake = Version2.FakeFeed(.done([1, 2]))
        try await more(fake)
        #expect(fake.calls[6] == "next false")
        #expect(fake.calls[7] == "update n")
        try await value(of: fake.requestNextData())
        #expect(fake.calls[6] == "next true")
        try await bothSides(fake)
        #expect(fake.calls[8] == "prev false")
        #expect(fake.calls[9] == "update n p")
        try await value(of: fake.update(newData: nil, prevKey: "q"))
        #expect(fake.calls[9] == "update - q")
    }

    @Test("The library's stores are taken where a store is")
    func stores() async throws {
        let manager = Version2.NamedManager(name: "generic")
        let feed = Version2.FeedFactory(key: "x", flowableDataStateManager: manager).create()
        #expect(await Version2Reader(store: feed).content() == [5])
        try await more(feed)
        try await bothSides(feed)
        let list = Version2.ListFactory(key: "y", flowableDataStateManager: manager).create()
        #expect(await Version2Reader(store: list).content() == [1])
        try await more(list)
        #expect(await Version2Reader(store: Version2.UserFactory(userId: 20).create()).content() == User(20))
    }
}
