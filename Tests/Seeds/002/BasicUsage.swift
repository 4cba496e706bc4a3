import Dispatch
import PigeonStore
import SeedSupport
import Testing

// "1. Create FlowableDataStateManager class"
// [002.1
class UserStateManager: FlowableDataStateManager<UserId> {
    static let shared = UserStateManager()
    private override init() {}
}
// 002.1]

// Swift 6 warns where a subclass does not say again that it may be shared.
extension UserStateManager: @unchecked Sendable {}

// "2. Create StoreFlowableFactory class"
// swift-format-ignore
// [002.2
struct UserFlowableFactory : StoreFlowableFactory {

    typealias KEY = UserId
    typealias DATA = UserData

    private let userApi = UserApi()
    private let userCache = UserCache()

    init(userId: UserId) {
        key = userId
    }

    // Set the key for input / output of data. If you don't need the key, put in the UnitHash.
    let key: UserId

    // Create data state management class.
    let flowableDataStateManager: FlowableDataStateManager<UserId> = UserStateManager.shared

    // Get data from local cache.
    func loadDataFromCache() -> AnyPublisher<UserData?, Never> {
        userCache.load(userId: key)
    }

    // Save data to local cache.
    func saveDataToCache(newData: UserData?) -> AnyPublisher<Void, Never> {
        userCache.save(userId: key, data: newData)
    }

    // Get data from remote server.
    func fetchDataFromOrigin() -> AnyPublisher<UserData, Error> {
        userApi.fetch(userId: key)
    }

    // Whether the cache is valid.
    func needRefresh(cachedData: UserData) -> AnyPublisher<Bool, Never> {
        cachedData.isExpired()
    }
}
// 002.2]

// "3. Create Repository class": the README says `userId` in `updateUserData`, where there is none: it is in the data.
// [002.3
struct UserRepository {

    func followUserData(userId: UserId) -> LoadingStatePublisher<UserData> {
        let userFlowable: AnyStoreFlowable<UserId, UserData> = UserFlowableFactory(userId: userId).create()
        return userFlowable.publish()
    }

    func updateUserData(userData: UserData) -> AnyPublisher<Void, Never> {
        let userFlowable: AnyStoreFlowable<UserId, UserData> = UserFlowableFactory(userId: userData.id).create()
        return userFlowable.update(newData: userData)
    }
}
// 002.3]

@MainActor
final class UserScreen {
    let userRepository = UserRepository()
    let journal = Journal()
    private var cancellableSet: Set<AnyCancellable> = []

    init(userId: UserId) {
        subscribe(userId: userId)
    }

    // "4. Use Repository class"
    // [002.4
    private func subscribe(userId: UserId) {
        userRepository.followUserData(userId: userId)
            .receive(on: DispatchQueue.main)
            .sink { state in
                state.doAction(
                    onLoading: { (content: UserData?) in
                        self.journal.add("loading \(content?.name ?? "nothing")")
                    },
                    onCompleted: { (content: UserData, _, _) in
                        self.journal.add("completed \(content)")
                    },
                    onError: { (error: Error) in
                        self.journal.add("error \((error as? Broken)?.name ?? "other")")
                    }
                )
            }
            .store(in: &cancellableSet)
    }
    // 002.4]
}

extension Seed002 {
    @MainActor
    struct Users {
        @Test func `a screen follows a user: nothing is there, it is loaded and cached, and the next finds it`() async {
            Seed002.begin()
            let screen = UserScreen(userId: 0)
            #expect(await screen.journal.take(until: "completed Ann") == ["loading nothing", "completed Ann"])
            #expect(App.world.withLock { $0.diskOfUsers[0]?.name } == "Ann")
            let other = UserScreen(userId: 0)
            #expect(await other.journal.take(until: "completed Ann") == ["completed Ann"])
            #expect(App.takeAsked() == ["user 0"])
        }

        @Test func `what is updated is cached, and shown to whoever follows it and nobody else`() async throws {
            Seed002.begin()
            let (ann, bob) = (UserScreen(userId: 0), UserScreen(userId: 1))
            _ = await ann.journal.take(until: "completed Ann")
            _ = await bob.journal.take(until: "completed Bob")
            try await UserRepository().updateUserData(userData: UserData(id: 0, name: "Anna")).first()
            #expect(await ann.journal.take(until: "completed Anna") == ["completed Anna"])
            #expect(App.world.withLock { $0.diskOfUsers[0]?.name } == "Anna")
            try await UserRepository().updateUserData(userData: UserData(id: 1, name: "Rob")).first()
            #expect(await bob.journal.take(until: "completed Rob") == ["completed Rob"])
            #expect(App.takeAsked() == ["user 0", "user 1"])
        }

        @Test func `a screen shows what is old while it is loaded anew`() async {
            Seed002.begin()
            App.world.withLock { world in
                world.diskOfUsers[0] = UserData(id: 0, name: "Old Ann")
                world.isExpired = true
            }
            let screen = UserScreen(userId: 0)
            #expect(await screen.journal.take(until: "completed Ann") == ["loading Old Ann", "completed Ann"])
        }

        @Test func `a screen shows why there is nothing, and what is cached is not lost`() async {
            Seed002.begin()
            App.world.withLock { world in
                world.diskOfUsers[0] = UserData(id: 0, name: "Old Ann")
                world.isExpired = true
                world.failure = Broken("offline")
            }
            let screen = UserScreen(userId: 0)
            #expect(await screen.journal.take(until: "error offline") == ["loading Old Ann", "error offline"])
            #expect(App.world.withLock { $0.diskOfUsers[0]?.name } == "Old Ann")
            App.world.withLock { $0.failure = nil }
            let later = UserScreen(userId: 0)
            #expect(await later.journal.take(until: "completed Ann") == ["loading Old Ann", "completed Ann"])
        }
    }
}
