import PigeonStore
import Testing

extension Version4 {
    struct UserFetcher: Fetcher {
        typealias PARAM = Int
        typealias DATA = User

        func fetch(param: Int) async throws -> User {
            guard param >= 0 else { throw OfflineError() }
            return User(param)
        }
    }

    struct OnlyFetcher: Fetcher {
        func fetch(param: UnitHash) async throws -> String { "only" }
    }

    /// The type of a result is reached by the name of the protocol, as in the original's README.
    struct ListFetcher: PaginationFetcher {
        typealias PARAM = UnitHash
        typealias DATA = Int

        func fetch(param: UnitHash) async throws -> PaginationFetcher.Result<Int> {
            PaginationFetcher.Result(data: [1], nextRequestKey: "2")
        }

        func fetchNext(nextKey: String, param: UnitHash) async throws -> PaginationFetcherResult<Int> {
            guard let page = Int(nextKey) else { throw OfflineError() }
            return PaginationFetcherResult(data: [page], nextRequestKey: page < 3 ? String(page + 1) : nil)
        }
    }

    struct FeedFetcher: TwoWayPaginationFetcher {
        typealias PARAM = String
        typealias DATA = Int

        func fetch(param: String) async throws -> TwoWayPaginationFetcher.Result.Initial<Int> {
            TwoWayPaginationFetcher.Result.Initial(data: [5], nextRequestKey: "6", prevRequestKey: "4")
        }

        func fetchNext(nextKey: String, param: String) async throws -> TwoWayPaginationFetcher.Result.Next<Int> {
            TwoWayPaginationFetcher.Result.Next(data: [6], nextRequestKey: nil)
        }

        func fetchPrev(prevKey: String, param: String) async throws -> TwoWayPaginationFetcher.Result.Prev<Int> {
            TwoWayPaginationFetcher.Result.Prev(data: [4], prevRequestKey: nil)
        }
    }

    struct OnlyFeedFetcher: TwoWayPaginationFetcher {
        func fetch(param: UnitHash) async throws -> TwoWayPaginationFetcherResultInitial<Int> {
            TwoWayPaginationFetcherResultInitial(data: [5], nextRequestKey: nil, prevRequestKey: nil)
        }

        func fetchNext(nextKey: String, param: UnitHash) async throws -> TwoWayPaginationFetcherResultNext<Int> {
            TwoWayPaginationFetcherResultNext(data: [], nextRequestKey: nil)
        }

        func fetchPrev(prevKey: String, param: UnitHash) async throws -> TwoWayPaginationFetcherResultPrev<Int> {
            TwoWayPaginationFetcherResultPrev(data: [], prevRequestKey: nil)
        }
    }

    /// A result of a program's own.
    struct OwnResult: TwoWayPaginationFetcherResult {
        let data: [Int]
    }

    static func size<Result: TwoWayPaginationFetcherResult>(_ result: Result) -> Int where Result.DATA == Int {
        result.data.count
    }

    static func fetched<F: Fetcher>(_ fetcher: F, _ param: F.PARAM) async throws -> F.DATA {
        try await fetcher.fetch(param: param)
    }

    /// A program's own protocol over the stores it uses.
    protocol UserStore {
        func publish(forceRefresh: Bool) -> LoadingStateSequence<User>
        func refresh() async
        func update(newData: User?) async
        func clear() async
    }
}

// guide: an extension of `AnyStoreFlowable` or its kin
extension Version4.AnyStoreFlowable: Version4.UserStore where KEY == StoreKeyV4, DATA == User {}

extension Version4.AnyStoreFlowable where KEY == StoreKeyV4, DATA == String {
    func lengths() -> LoadingStateSequence<Int> { publish().mapContent { $0.count } }
}

/// An extension of the protocol needs nothing.
extension Version4.StoreFlowable where DATA == User {
    func userName() async throws -> String { try await requireData().name }
}

extension Version4 {
    @Suite("Coming from StoreFlowable 4: stores")
    struct StoreTests {
        @Test("from: a store of a cacher and a fetcher, and all it does")
        func user() async throws {
            let user: AnyStoreFlowable<User> = AnyStoreFlowable.from(
                cacher: UserCacher.shared, fetcher: UserFetcher(), param: 1)
            // guide: `let states = user.publish()`, then `for await`
            let states = user.publish()
            for await state in states {
                guard case .completed(let content, _, _) = state else { continue }
                #expect(content == User(1))
                break
            }
            await user.update(newData: User(1, "bob"))
            #expect(await settled(user.publish())?.content == User(1, "bob"))
            #expect(await user.getData(from: .cache) == User(1, "bob"))
            #expect(await user.getData() == User(1, "bob"))
            await user.validate()
            #expect(try await user.requireData() == User(1, "bob"))
            #expect(try await user.userName() == "bob")
            await user.refresh()
            #expect(try await user.requireData(from: .cache) == User(1))
            #expect(try await user.requireData(from: .origin) == User(1))
            #expect(await settled(user.publish(forceRefresh: true))?.content == User(1))
            await user.clear()
            #expect(await user.getData(from: .cache) == nil)
            await #expect(throws: NoSuchElementError.self) { try await user.requireData(from: .cache) }
            let implicit: AnyStoreFlowable<User> = .from(
                cacher: UserCacher.shared, fetcher: UserFetcher(), param: -1)
            #expect(await settled(implicit.publish())?.text == "error OfflineError")
            await #expect(throws: OfflineError.self) { try await implicit.requireData() }
            let own: any UserStore = user
            await own.update(newData: User(1, "own"))
            #expect(await settled(own.publish(forceRefresh: false))?.content == User(1, "own"))
        }

        @Test("from without a param: the only data of its kind")
        func only() async throws {
            let store = AnyStoreFlowable.from(cacher: Cacher<UnitHash, String>(), fetcher: OnlyFetcher())
            #expect(try await store.requireData() == "only")
            #expect(await settled(store.lengths())?.content == 4)
            let data: AnyStoreFlowable<String>.DATA = "data"
            #expect(data.count == 4)
        }

        @Test("A list grows by requestNextData")
        func list() async throws {
            let cacher = ListCacher()
            let list: AnyPaginationStoreFlowable<[Int]> = AnyStoreFlowable.from(
                cacher: cacher, fetcher: ListFetcher())
            #expect(await settled(list.publish())?.text == "[1] more end")
            await list.requestNextData()
            await list.requestNextData(continueWhenError: false)
            #expect(await settled(list.publish(forceRefresh: false))?.text == "[1, 2, 3] end end")
            await list.update(newData: [9], nextKey: "broken")
            await list.requestNextData()
            #expect(await settled(list.publish())?.text == "[9] error OfflineError end")
            await list.update(newData: [8], nextKey: nil)
            await list.update(newData: [7])
            #expect(await list.getData() == [7])
            #expect(try await list.requireData(from: .cache) == [7])
            await list.validate()
            await list.refresh()
            #expect(try await list.requireData() == [1])
            await list.clear()
            #expect(await list.getData(from: .cache) == nil)
            let same = AnyStoreFlowable<Int>.from(cacher: cacher, fetcher: ListFetcher(), param: UnitHash())
            #expect(try await same.requireData() == [1])
            let data: AnyPaginationStoreFlowable<[Int]>.DATA = [1]
            #expect(data == [1])
        }

        @Test("A list grows at both sides")
        func feed() async throws {
            let feed: AnyTwoWayPaginationStoreFlowable<[Int]> = AnyStoreFlowable.from(
                cacher: FeedCacher.shared, fetcher: FeedFetcher(), param: "home")
            #expect(await settled(feed.publish())?.text == "[5] more more")
            await feed.requestPrevData()
            await feed.requestPrevData(continueWhenError: false)
            await feed.requestNextData()
            await feed.requestNextData(continueWhenError: true)
            #expect(await settled(feed.publish(forceRefresh: false))?.text == "[4, 5, 6] end end")
            await feed.update(newData: [1], prevKey: "0")
            #expect(await settled(feed.publish())?.text == "[1] end more")
            await feed.update(newData: [1], nextKey: "2")
            await feed.update(newData: [1], nextKey: "2", prevKey: "0")
            await feed.update(newData: [2])
            await feed.validate()
            #expect(await feed.getData(from: .both) == [2])
            await feed.refresh()
            #expect(try await feed.requireData(from: .both) == [5])
            await feed.clear()
            let only = AnyStoreFlowable<Int>.from(
                cacher: TwoWayPaginationCacher<UnitHash, Int>(), fetcher: OnlyFeedFetcher())
            #expect(try await only.requireData() == [5])
            let data: AnyTwoWayPaginationStoreFlowable<[Int]>.DATA = [1]
            #expect(data == [1])
        }

        @Test("Fetchers and their results are as before; the data and keys of results can be read")
        func fetchers() async throws {
            #expect(try await fetched(UserFetcher(), 3) == User(3))
            // guide: 4: `Fetched*` are gone; the data and keys of results cannot be read
            let page = try await ListFetcher().fetchNext(nextKey: "2", param: UnitHash())
            #expect(page.data == [2])
            #expect(page.nextRequestKey == "3")
            let initial = try await FeedFetcher().fetch(param: "a")
            #expect(size(initial) == 1)
            #expect(initial.data == [5])
            #expect(initial.prevRequestKey == "4")
            let next: TwoWayPaginationFetcherResultNext<Int>.DATA = 1
            let prev: TwoWayPaginationFetcherResultPrev<Int>.DATA = 2
            let first: TwoWayPaginationFetcherResultInitial<Int>.DATA = 3
            #expect(size(OwnResult(data: [next, prev, first])) == 3)
            #expect(size(try await FeedFetcher().fetchNext(nextKey: "6", param: "a")) == 1)
            #expect(try await FeedFetcher().fetchPrev(prevKey: "4", param: "a").data == [4])
        }
    }
}
