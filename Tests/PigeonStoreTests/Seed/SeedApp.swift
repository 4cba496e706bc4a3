import PigeonStore

/// The app that the examples are of, as far as they do not show it: its types, its server, its disk.
enum App {
    struct World: Sendable {
        /// What the server has, in its order.
        var users = ["Ann", "Bob", "Cem", "Dee", "Eva"].enumerated().map {
            SeedSuite.UserData(id: SeedSuite.UserId($0.offset), name: $0.element)
        }
        /// Why the server does not answer.
        var failure: Broken?
        /// What the server was asked for.
        var asked: [String] = []
        var diskOfList: [SeedSuite.UserData]?
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

extension SeedSuite {
    typealias UserId = Int

    struct UserData: Sendable, Equatable, CustomStringConvertible {
        let id: UserId
        var name: String

        var description: String { name }

        func isExpired() -> AnyPublisher<Bool, Never> { App.doing(\.isExpired) }
    }

    struct UserListCache: Sendable {
        func load() -> AnyPublisher<[UserData]?, Never> { App.doing(\.diskOfList) }

        func save(data: [UserData]?) -> AnyPublisher<Void, Never> { App.doing { $0.diskOfList = data } }
    }

}

// The examples ask a list for the name of the page that follows it, and the last user, if there is one, for its age.

extension [SeedSuite.UserData] {
    var nextToken: String? {
        guard let last, last.id < 4 else { return nil }
        return "\(last.id + 1)"
    }
}

extension SeedSuite.UserData? {
    func isExpired() -> AnyPublisher<Bool, Never> { App.doing(\.isExpired) }
}
