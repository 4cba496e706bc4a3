import Foundation
import Pigeon

/// What an old program fetches with. Structs of values are `Sendable` by themselves.
/// guide: type `User` does not conform to the `Sendable` protocol
struct API {
    let name: String

    func users() -> AnyPublisher<[User], Error> { answer([User(id: 1, name: name)]) }
    func user(_ id: Int) -> AnyPublisher<User, Error> { answer(User(id: id, name: name)) }
}

/// guide: call to main actor-isolated initializer in a nonisolated context; main actor-isolated default value in a nonisolated context; property `state` can not be referenced from a nonisolated context
@MainActor
final class UsersModel: ObservableObject {
    // uses: Query.State, Query.$state
    @Published var state = Query<Void, [User]>.State.idle
    let users: Query<Void, [User]>
    private let api: API
    private var cancellables = Set<AnyCancellable>()

    /// guide: capture of `self` with non-Sendable type in a `@Sendable` closure; main actor-isolated property `api` can not be referenced from a Sendable closure
    lazy var user = Query<Int, User>(key: QueryKey(value: "user"), fetcher: { [api] id in api.user(id) })

    init(api: API) {
        self.api = api
        users = Query<Void, [User]>(
            key: .users,
            fetcher: {
                api.users()
                    .map { $0 }
                    .eraseToAnyPublisher()
            }
        )
        users.$state
            .sink { [weak self] state in self?.state = state }
            .store(in: &cancellables)
    }

    func load() {
        users.refetch(request: ())
    }

    /// guide: main actor-isolated property `filter` can not be mutated from a Sendable closure
    func show(_ id: Int) {
        shown = id
        user.refetch(request: id)
    }

    private(set) var shown = 0
}

/// A query that is no model's.
@MainActor let program = Query<Int, User>(key: QueryKey(value: "program"), fetcher: { API(name: "Ann").user($0) })

/// What a program has of its own around queries, for requests and responses of any type.
@MainActor
final class Loader<Request: Sendable, Response: Codable & Sendable> {
    let query: Query<Request, Response>

    /// guide: passing non-Sendable parameter `fetch` to function expecting a '@Sendable' closure
    init(key: String, fetch: @escaping @Sendable (Request) -> AnyPublisher<Response, Error>) {
        query = Query<Request, Response>(key: QueryKey(value: key), fetcher: fetch)
    }
}

/// guide: main actor-isolated conformance of 'User' to 'Decodable' cannot satisfy …
nonisolated struct Profile: Codable {
    let name: String
}

/// guide: default argument cannot be both main actor-isolated and actor-isolated, or and nonisolated
@MainActor
final class ProfileModel {
    let profile: Query<Void, Profile>
    let published = Query<Void, Profile>(key: "published", fetcher: { answer(Profile(name: "Ann")) })
    let made = ProfileModel.make()

    init() {
        profile = Query(key: "profile", behavior: .startImmediately(())) { await ProfileModel.fetch() }
    }

    static func make() -> Query<Void, Profile> {
        Query(key: "made", behavior: .startImmediately(())) { await ProfileModel.fetch() }
    }

    static func fetch() async -> Profile { Profile(name: "Bea") }
}
