import PigeonStore

/// The parts of the examples' app that the examples do not show: its types, its server and its disk.
enum App {
    struct World: Sendable {
        /// The users on the server, in order.
        var users = ["Ann", "Bob", "Cem", "Dee", "Eva"].enumerated().map {
            SeedSuite.UserData(id: SeedSuite.UserId($0.offset), name: $0.element)
        }
        /// The error with which the server answers. `nil` if it does not fail.
        var failure: Broken?
        /// The requests to the server.
        var asked: [String] = []
        var diskOfList: [SeedSuite.UserData]?
        /// True if the data on disk has expired.
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

    /// Returns the requests to the server since the last call.
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

// The examples read the key of the next page from a list, and the expiry from the last user, if there is one.

extension [SeedSuite.UserData] {
    var nextToken: String? {
        guard let last, last.id < 4 else { return nil }
        return "\(last.id + 1)"
    }
}

extension SeedSuite.UserData? {
    func isExpired() -> AnyPublisher<Bool, Never> { App.doing(\.isExpired) }
}
