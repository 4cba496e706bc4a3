import PigeonStore
import TestSupport
import Testing

// The release notes mention two-way pagination without an example. This is the factory of the pagination example for
// both directions.

extension SeedSuite {
    class TimelineStateManager: FlowableDataStateManager<UnitHash>, @unchecked Sendable {
        static let shared = TimelineStateManager()
        private override init() {}
    }

    struct TimelineFlowableFactory: TwoWayPaginationStoreFlowableFactory {

        typealias KEY = UnitHash
        typealias DATA = [UserData]

        private let userListCache = UserListCache()

        let key: UnitHash = UnitHash()

        let flowableDataStateManager: FlowableDataStateManager<UnitHash> = TimelineStateManager.shared

        func loadDataFromCache() -> AnyPublisher<[UserData]?, Never> {
            userListCache.load()
        }

        func saveDataToCache(newData: [UserData]?) -> AnyPublisher<Void, Never> {
            userListCache.save(data: newData)
        }

        func saveNextDataToCache(cachedData: [UserData], newData: [UserData]) -> AnyPublisher<Void, Never> {
            userListCache.save(data: cachedData + newData)
        }

        func savePrevDataToCache(cachedData: [UserData], newData: [UserData]) -> AnyPublisher<Void, Never> {
            userListCache.save(data: newData + cachedData)
        }

        func fetchDataFromOrigin() -> AnyPublisher<FetchedInitial<[UserData]>, Error> {
            App.answering("the middle") { FetchedInitial(data: [$0.users[2]], nextKey: "3", prevKey: "1") }
        }

        func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<FetchedNext<[UserData]>, Error> {
            App.answering("next \(nextKey)") { world in
                let index = Int(nextKey) ?? 0
                return FetchedNext(data: [world.users[index]], nextKey: index < 4 ? "\(index + 1)" : nil)
            }
        }

        func fetchPrevDataFromOrigin(prevKey: String) -> AnyPublisher<FetchedPrev<[UserData]>, Error> {
            App.answering("prev \(prevKey)") { world in
                let index = Int(prevKey) ?? 0
                return FetchedPrev(data: [world.users[index]], prevKey: index > 0 ? "\(index - 1)" : "")
            }
        }

        func needRefresh(cachedData: [UserData]) -> AnyPublisher<Bool, Never> {
            cachedData.last.isExpired()
        }
    }

    @MainActor
    struct TwoWay {
        @Test(.rule("C1", "C4")) func `a list grows at both sides, and ends at each by itself`() async throws {
            begin()
            let users = TimelineFlowableFactory().create()
            let seen = Seen()
            let subscription = users.publish().sink { seen.add($0.word) }
            let next: AnyPublisher<Void, Never> = users.requestNextData()
            let prev: AnyPublisher<Void, Never> = users.requestPrevData()
            for page in [next, prev, prev, prev, next, next] { try await page.first() }
            #expect(
                await seen.lines(until: "[Ann, Bob, Cem, Dee, Eva]") == [
                    "…", "[Cem] more more", "[Cem] page more", "[Cem, Dee] more more", "[Cem, Dee] more page",
                    "[Bob, Cem, Dee] more more", "[Bob, Cem, Dee] more page", "[Ann, Bob, Cem, Dee] more end",
                    "[Ann, Bob, Cem, Dee] page end", "[Ann, Bob, Cem, Dee, Eva]",
                ])
            #expect(App.takeAsked() == ["the middle", "next 3", "prev 1", "prev 0", "next 4"])
            subscription.cancel()
        }

        @Test(.rule("C4")) func `an update can say where the list goes on`() async throws {
            begin()
            let users = TimelineFlowableFactory().create()
            let all: AnyPublisher<[UserData], Error> = users.requireData()
            let cem = try #require(try await all.first())
            let updated: AnyPublisher<Void, Never> = users.update(newData: cem, nextKey: "4", prevKey: "")
            try await updated.first()
            let next: AnyPublisher<Void, Never> = users.requestNextData()
            let prev: AnyPublisher<Void, Never> = users.requestPrevData()
            try await next.first()
            try await prev.first()
            #expect(App.world.withLock { $0.diskOfList?.map(\.name) } == ["Cem", "Eva"])
            #expect(App.takeAsked() == ["the middle", "next 4"])
        }
    }
}
