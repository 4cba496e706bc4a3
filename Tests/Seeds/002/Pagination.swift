import Dispatch
import PigeonStore
import SeedSupport
import Testing

// "Pagination support"
// [002.11
class UserListStateManager: FlowableDataStateManager<UnitHash> {
    static let shared = UserListStateManager()
    private override init() {}
}
// 002.11]

// Swift 6 warns where a subclass does not say again that it may be shared.
extension UserListStateManager: @unchecked Sendable {}

// "Pagination support": the README says `page: page`, where there is no `page`: it is `nextKey`.
// swift-format-ignore
// [002.12
struct UserListFlowableFactory : PaginationStoreFlowableFactory {

    typealias KEY = UnitHash
    typealias DATA = [UserData]

    private let userListApi = UserListApi()
    private let userListCache = UserListCache()

    let key: UnitHash = UnitHash()

    let flowableDataStateManager: FlowableDataStateManager<UnitHash> = UserListStateManager.shared

    func loadDataFromCache() -> AnyPublisher<[UserData]?, Never> {
        userListCache.load()
    }

    func saveDataToCache(newData: [UserData]?) -> AnyPublisher<Void, Never> {
        userListCache.save(data: newData)
    }

    func saveNextDataToCache(cachedData: [UserData], newData: [UserData]) -> AnyPublisher<Void, Never> {
        userListCache.save(data: cachedData + newData)
    }

    func fetchDataFromOrigin() -> AnyPublisher<Fetched<[UserData]>, Error> {
        userListApi.fetch(page: nil).map { data in
            Fetched(data: data, nextKey: data.nextToken)
        }.eraseToAnyPublisher()
    }

    func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<Fetched<[UserData]>, Error> {
        userListApi.fetch(page: nextKey).map { data in
            Fetched(data: data, nextKey: data.nextToken)
        }.eraseToAnyPublisher()
    }

    func needRefresh(cachedData: [UserData]) -> AnyPublisher<Bool, Never> {
        cachedData.last.isExpired()
    }
}
// 002.12]

extension Seed002 {
    @MainActor
    struct Paginated {
        @Test func `next tells of additional data beside the content`() async {
            Seed002.begin()
            let userId = 0
            let seen = Journal()
            var cancellableSet: Set<AnyCancellable> = []
            // [002.13
            let userFlowable = UserFlowableFactory(userId: userId).create()
            userFlowable.publish()
                .receive(on: DispatchQueue.main)
                .sink { state in
                    state.doAction(
                        onLoading: { (content: UserData?) in
                            // Whole (Initial) data loading.
                            seen.add("loading")
                        },
                        onCompleted: { (content: UserData, next: AdditionalLoadingState, _) in
                            // Whole (Initial) data loading completed.
                            next.doAction(
                                onFixed: { (canRequestAdditionalData: Bool) in
                                    // No additional processing.
                                    seen.add("\(content) \(canRequestAdditionalData ? "more" : "end")")
                                },
                                onLoading: {
                                    // Additional data loading.
                                },
                                onError: { (error: Error) in
                                    // Additional loading error.
                                }
                            )
                        },
                        onError: { (error: Error) in
                            // Whole (Initial) data loading error.
                        }
                    )
                }
                .store(in: &cancellableSet)
            // 002.13]
            #expect(await seen.take(until: "Ann end") == ["loading", "Ann end"])
        }

        @Test func `additional data is requested page by page, and saved after what is cached`() async throws {
            Seed002.begin()
            let users = UserListFlowableFactory().create()
            let seen = Journal()
            let subscription = users.publish().sink { seen.add($0.word) }
            let next: AnyPublisher<Void, Never> = users.requestNextData()
            for _ in 1...3 { try await next.first() }
            #expect(
                await seen.take(until: "[Ann, Bob, Cem, Dee, Eva]") == [
                    "…", "[Ann, Bob] more end", "[Ann, Bob] page end", "[Ann, Bob, Cem, Dee] more end",
                    "[Ann, Bob, Cem, Dee] page end", "[Ann, Bob, Cem, Dee, Eva]",
                ])
            #expect(App.takeAsked() == ["list from the start", "list from 2", "list from 4"])
            #expect(App.world.withLock { $0.diskOfList?.count } == 5)
            subscription.cancel()
        }

        @Test func `additional data that fails leaves the content, and is requested again if so asked`() async throws {
            Seed002.begin()
            let users = UserListFlowableFactory().create()
            let seen = Journal()
            let subscription = users.publish().sink { seen.add($0.word) }
            _ = await seen.take(until: "[Ann, Bob] more end")
            App.world.withLock { $0.failure = Broken("offline") }
            let next: AnyPublisher<Void, Never> = users.requestNextData(continueWhenError: true)
            try await next.first()
            #expect(
                await seen.take(until: "[Ann, Bob] !offline end") == [
                    "[Ann, Bob] page end", "[Ann, Bob] !offline end",
                ])
            App.world.withLock { $0.failure = nil }
            _ = App.takeAsked()
            let onlyIfWell: AnyPublisher<Void, Never> = users.requestNextData(continueWhenError: false)
            try await onlyIfWell.first()
            #expect(App.takeAsked() == [])
            try await next.first()
            #expect(App.takeAsked() == ["list from 2"])
            #expect(
                await seen.take(until: "[Ann, Bob, Cem, Dee] more end") == [
                    "[Ann, Bob] page end", "[Ann, Bob, Cem, Dee] more end",
                ])
            subscription.cancel()
        }
    }
}
