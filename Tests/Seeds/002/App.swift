import PigeonBase
import PigeonStore
import SeedSupport

/// The app that the examples are of, as far as they do not show it: its types, its server, its disk.
enum App {
    struct World: Sendable {
        /// What the server has, in its order.
        var users = ["Ann", "Bob", "Cem", "Dee", "Eva"].enumerated().map {
            UserData(id: UserId($0.offset), name: $0.element)
        }
        /// Why the server does not answer.
        var failure: Broken?
        /// What the server was asked for.
        var asked: [String] = []
        var diskOfUsers: [UserId: UserData] = [:]
        var diskOfList: [UserData]?
        var diskOfRepos: [Repo]?
        /// Whether what is on disk is old.
        var isExpired = false
    }

    static let world = Locked(World())

    static func answer<Value: Sendable>(
        _ request: String, _ value: @escaping @Sendable (World) throws -> Value
    ) throws -> Value {
        try world.withLock { world in
            world.asked.append(request)
            if let failure = world.failure { throw failure }
            return try value(world)
        }
    }

    static func answering<Value: Sendable>(
        _ request: String, _ value: @escaping @Sendable (World) throws -> Value
    ) -> AnyPublisher<Value, any Error> {
        Deferred {
            Just(()).setFailureType(to: (any Error).self).tryMap { try answer(request, value) }
        }
        .eraseToAnyPublisher()
    }

    static func doing<Value>(_ action: @escaping (inout World) -> Value) -> AnyPublisher<Value, Never> {
        Deferred { Just(world.withLock(action)) }.eraseToAnyPublisher()
    }

    /// What the server was asked for since last asked.
    static func takeAsked() -> [String] {
        world.withLock { world in
            defer { world.asked = [] }
            return world.asked
        }
    }
}

typealias UserId = Int

struct UserData: Sendable, Equatable, CustomStringConvertible {
    let id: UserId
    var name: String

    var description: String { name }

    func isExpired() -> AnyPublisher<Bool, Never> { App.doing(\.isExpired) }
}

struct UserApi: Sendable {
    func fetch(userId: UserId) -> AnyPublisher<UserData, Error> {
        App.answering("user \(userId)") { $0.users[userId] }
    }
}

struct UserCache: Sendable {
    func load(userId: UserId) -> AnyPublisher<UserData?, Never> {
        App.doing { $0.diskOfUsers[userId] }
    }

    func save(userId: UserId, data: UserData?) -> AnyPublisher<Void, Never> {
        App.doing { $0.diskOfUsers[userId] = data }
    }
}

/// Two users a page; a page is named by how many users go before it.
struct UserListApi: Sendable {
    func fetch(page: String?) -> AnyPublisher<[UserData], Error> {
        App.answering("list from \(page ?? "the start")") {
            Array($0.users.dropFirst(page.flatMap { Int($0) } ?? 0).prefix(2))
        }
    }
}

struct UserListCache: Sendable {
    func load() -> AnyPublisher<[UserData]?, Never> { App.doing(\.diskOfList) }

    func save(data: [UserData]?) -> AnyPublisher<Void, Never> { App.doing { $0.diskOfList = data } }
}

struct Repo: Sendable, Equatable {
    let name: String
}

struct GithubApi: Sendable {
    func getRepos(nextPageToken: String?) -> AnyPublisher<[Repo], Error> {
        App.answering("repos \(nextPageToken ?? "")") { _ in [Repo(name: nextPageToken ?? "first")] }
    }
}

// The examples ask a list for the name of the page that follows it, and the last user, if there is one, for its age.

extension [UserData] {
    var nextToken: String? {
        guard let last, last.id < 4 else { return nil }
        return "\(last.id + 1)"
    }
}

extension UserData? {
    func isExpired() -> AnyPublisher<Bool, Never> { App.doing(\.isExpired) }
}

extension [Repo] {
    /// The first page names a second, whose name of a third is empty.
    var nextPageToken: String? { first?.name == "first" ? "second" : "" }
}

/// An error with a name.
struct Broken: Error, Equatable {
    let name: String

    init(_ name: String) {
        self.name = name
    }
}
