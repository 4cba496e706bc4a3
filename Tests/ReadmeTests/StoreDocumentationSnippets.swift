import Foundation
import Pigeon
import PigeonStore

/// The snippets of PigeonStore's documentation comments and of its page, compiled, as in `DocumentationSnippets.swift`.
private enum StoreSnippets {
    typealias Error = any Swift.Error
    typealias UserId = Int

    struct Profile {
        init(_ user: User, _ posts: [Post]) {}
    }

    static func show<Value>(_ value: Value) {}
    static func show(_ content: User?, isLoading: Bool) {}

    struct UserFetcher: Fetcher {
        func fetch(param: User.ID) async throws -> User { try await api.user(param) }
    }

    final class UserCacher: Cacher<User.ID, User>, @unchecked Sendable {
        static let shared = UserCacher()
        override func loadData(param: User.ID) async throws -> User? { try await database.user(param) }
        override func saveData(data: User?, param: User.ID) async throws { try await database.save(data, param) }
    }

    static func cachers() async {
        let users = Cacher<User.ID, User>(expireSeconds: 60)
        let user = AnyStoreFlowable.from(cacher: users, fetcher: UserFetcher(), param: 42)
        for await state in user.publish() { show(state) }
    }

    final class UserStateManager: FlowableDataStateManager<UserId>, @unchecked Sendable {
        static let shared = UserStateManager()
        private override init() {}
    }

    struct UserFlowableFactory: StoreFlowableFactory {
        let key: UserId
        let flowableDataStateManager: FlowableDataStateManager<UserId> = UserStateManager.shared

        init(userId: UserId) { key = userId }

        func loadDataFromCache() -> AnyPublisher<UserData?, Never> { userCache.load(userId: key) }
        func saveDataToCache(newData: UserData?) -> AnyPublisher<Void, Never> {
            userCache.save(userId: key, data: newData)
        }
        func fetchDataFromOrigin() -> AnyPublisher<UserData, Error> { userApi.fetch(userId: key) }
        func needRefresh(cachedData: UserData) -> AnyPublisher<Bool, Never> { cachedData.isExpired() }
    }

    final class UserListStateManager: FlowableDataStateManager<UnitHash>, @unchecked Sendable {
        static let shared = UserListStateManager()
    }

    struct UserListFlowableFactory: PaginationStoreFlowableFactory {
        let key = UnitHash()
        let flowableDataStateManager: FlowableDataStateManager<UnitHash> = UserListStateManager.shared

        func loadDataFromCache() -> AnyPublisher<[UserData]?, Never> { now(nil) }
        func saveDataToCache(newData: [UserData]?) -> AnyPublisher<Void, Never> { now(()) }
        func saveNextDataToCache(cachedData: [UserData], newData: [UserData]) -> AnyPublisher<Void, Never> { now(()) }
        func fetchDataFromOrigin() -> AnyPublisher<Fetched<[UserData]>, Error> {
            now(Fetched(data: [], nextKey: nil)).setFailureType(to: Error.self).eraseToAnyPublisher()
        }
        func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<Fetched<[UserData]>, Error> {
            fetchDataFromOrigin()
        }
        func needRefresh(cachedData: [UserData]) -> AnyPublisher<Bool, Never> { now(false) }
    }

    static func stores(_ id: UserId) async throws {
        let user = UserFlowableFactory(userId: id).create()
        let subscription = user.publish().sink { state in show(state) }
        let data = try await user.requireData()
        let states: LoadingStateSequence<UserData> = user.publish()
        show((subscription, data, states))
    }

    static func lists(_ client: QueryClient) async {
        let users = UserListFlowableFactory().create().options { $0.retry = .standard }
        await client.invalidate(.path(UserListStateManager.shared.queryKey))  // refetches what is followed
        show(users)
    }

    struct Followers {
        let users: @Sendable (UserId) -> AnyStoreFlowable<UserId, User>

        func followUser(_ id: UserId) -> LoadingStatePublisher<User> {
            users(id).publish()
        }
    }

    typealias Users = AnyStoreFlowable<UserId, User>
    typealias Posts = AnyStoreFlowable<UserId, [Post]>

    static func combining(_ users: Users, _ posts: Posts) -> LoadingStatePublisher<Profile> {
        users.publish().combineState(posts.publish()) { user, posts in Profile(user, posts) }
    }

    static func combining(_ users: Users, _ posts: Posts) async {
        for await profile in users.publish().combineState(posts.publish(), { Profile($0, $1) }) { show(profile) }
        for await state in users.publish() {
            show(state.content, isLoading: state.isLoading)
        }
    }

    static func states(
        _ state: LoadingState<User>, _ userState: LoadingState<User>, _ postsState: LoadingState<[Post]>
    ) {
        let profile = userState.zip(postsState) { user, posts in Profile(user, posts) }
        show(profile)
        state.doAction(
            onLoading: { content in show(content, isLoading: true) },
            onCompleted: { content, next, prev in show(content, isLoading: false) },
            onError: { error in show(error) }
        )
        state.doAction(
            onLoading: { content in show(content, isLoading: true) },
            onCompleted: { content, _, _ in show(content, isLoading: false) },
            onError: { error in show(error) },
            onNoData: { showSignIn() }
        )
        if state.hasNoData { showSignIn() }
    }

    static func showSignIn() {}
}

private enum PageRequestSnippets {
    static func pages(_ users: AnyPaginationStoreFlowable<UnitHash, [UserData]>) async {
        let page: AnyPublisher<Void, any Error> = users.requestNextData()
        if case .failure(let error) = await users.requestNextData(continueWhenError: false) { show(error) }
        show(page)
    }

    private static func show<Value>(_ value: Value) {}
}

/// What a module of an app declares whose code is of version 3.
private enum Version3 {
    typealias BaseStoreFlowableFactory = BaseStoreFlowableFactoryV3
    typealias StoreFlowableFactory = StoreFlowableFactoryV3
    typealias PaginationStoreFlowableFactory = PaginationStoreFlowableFactoryV3
    typealias TwoWayPaginationStoreFlowableFactory = TwoWayPaginationStoreFlowableFactoryV3
    typealias AnyStoreFlowable<DATA: Sendable> = AnyStoreFlowableV3<DATA>
    typealias AnyPaginationStoreFlowable<DATA: Sendable> = AnyPaginationStoreFlowableV3<DATA>
    typealias AnyTwoWayPaginationStoreFlowable<DATA: Sendable> = AnyTwoWayPaginationStoreFlowableV3<DATA>

    typealias UserId = Int

    struct UserFlowableFactory: StoreFlowableFactory {
        let flowableDataStateManager: FlowableDataStateManager<UserId> = StoreSnippets.UserStateManager.shared

        func loadDataFromCache(param: UserId) -> AnyPublisher<UserData?, Never> { userCache.load(userId: param) }
        func saveDataToCache(newData: UserData?, param: UserId) -> AnyPublisher<Void, Never> {
            userCache.save(userId: param, data: newData)
        }
        func fetchDataFromOrigin(param: UserId) -> AnyPublisher<UserData, any Error> { userApi.fetch(userId: param) }
        func needRefresh(cachedData: UserData, param: UserId) -> AnyPublisher<Bool, Never> { cachedData.isExpired() }
    }

    static func users(_ userId: UserId) {
        let user: AnyStoreFlowableV3<UserData> = UserFlowableFactory().create(userId)
        StoreSnippets.show(user)
    }
}

/// What a module of an app declares whose code is of version 4.
private enum Version4 {
    typealias StoreFlowable = StoreFlowableV4
    typealias PaginationStoreFlowable = PaginationStoreFlowableV4
    typealias TwoWayPaginationStoreFlowable = TwoWayPaginationStoreFlowableV4
    typealias AnyStoreFlowable<DATA: Sendable> = AnyStoreFlowableV4<DATA>
    typealias AnyPaginationStoreFlowable<DATA: Sendable> = AnyPaginationStoreFlowableV4<DATA>
    typealias AnyTwoWayPaginationStoreFlowable<DATA: Sendable> = AnyTwoWayPaginationStoreFlowableV4<DATA>
    typealias Cacher = CacherV4
    typealias PaginationCacher = PaginationCacherV4
    typealias TwoWayPaginationCacher = TwoWayPaginationCacherV4

    typealias UserFetcher = StoreSnippets.UserFetcher

    static func user() {
        let users = Cacher<User.ID, User>()
        let user: AnyStoreFlowableV4<User> = AnyStoreFlowable.from(
            cacher: users, fetcher: UserFetcher(), param: 42)
        StoreSnippets.show(user)
    }
}

private struct UserData: Sendable {
    func isExpired() -> AnyPublisher<Bool, Never> { now(false) }
}

private struct UserApi: Sendable {
    func fetch(userId: Int) -> AnyPublisher<UserData, any Error> {
        now(UserData()).setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }
}

private struct UserCache: Sendable {
    func load(userId: Int) -> AnyPublisher<UserData?, Never> { now(nil) }
    func save(userId: Int, data: UserData?) -> AnyPublisher<Void, Never> { now(()) }
}

private struct UserTable: Sendable {
    func user(_ id: Int) async throws -> User? { nil }
    func save(_ user: User?, _ id: Int) async throws {}
}

private let (userApi, userCache, database) = (UserApi(), UserCache(), UserTable())

private func now<Value>(_ value: Value) -> AnyPublisher<Value, Never> { Just(value).eraseToAnyPublisher() }
