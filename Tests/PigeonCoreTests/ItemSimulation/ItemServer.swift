import PigeonCore

extension ItemWorld {
    struct User: Identifiable, Codable, Equatable, Sendable {
        let id: Int
        /// Number of changes on the server. 0 for a user that the program has made.
        var version: Int
        var likes = 0
        /// A note of the program, which the server does not have.
        var note = 0
        /// The session in which the server was asked for the user.
        var session = 0
    }

    struct Post: Identifiable, Codable, Equatable, Sendable {
        let id: Int
        var version: Int
        var author: User
    }

    struct Refusal: TransientErrorType, Equatable {
        var statusCode: Int?
        var retryAfter: Duration?
    }

    /// A server of users and posts, which answers a request when the world says so.
    ///
    /// It answers a request for values with those at the time of the request. So of two values of an item, the one with the
    /// higher version was asked for later, in whatever order the answers arrive.
    final class Server: @unchecked Sendable {  // used only by the thread that runs the world
        /// The requests that wait for an answer, oldest first.
        private(set) var open: [Call] = []
        var session = 0
        private var ids = Array(1...5)
        private var users: [Int: User] = [:]
        private var posts = [1: (version: 1, author: 1), 2: (version: 1, author: 2), 3: (version: 1, author: 1)]
        /// The idempotency keys of changes that were made.
        private var known: Set<String> = []
        private var callCount = 0
        private var lastID = 99

        init() {
            for id in ids { users[id] = User(id: id, version: 1) }
        }

        // MARK: Values

        var list: [User] { ids.compactMap(user) }
        var search: [User] { list.filter { !$0.id.isMultiple(of: 2) } }
        var feed: [Post] { posts.keys.sorted().compactMap(post) }

        func page(_ number: Int) -> [User] { Array(list.dropFirst(2 * number).prefix(2)) }

        func user(_ id: Int) -> User? {
            guard var user = users[id] else { return nil }
            user.session = session
            return user
        }

        func post(_ id: Int) -> Post? {
            guard let post = posts[id], let author = user(post.author) else { return nil }
            return Post(id: id, version: post.version, author: author)
        }

        // MARK: Changes

        /// An identifier that nothing has. From 100.
        func makeID() -> Int {
            lastID += 1
            return lastID
        }

        func change(_ id: Int) { users[id]?.version += 1 }
        func changePost(_ id: Int) { posts[id]?.version += 1 }

        func add(_ id: Int) {
            ids.insert(id, at: 0)
            users[id] = User(id: id, version: 1)
        }

        func remove(_ id: Int) {
            ids.removeAll { $0 == id }
            users[id] = nil
        }

        /// - Parameter key: The idempotency key. `nil` for a request that is made once.
        func like(_ id: Int, key: String? = nil) throws -> User {
            let isNew = key.map { known.insert($0).inserted } ?? true
            if isNew {
                users[id]?.likes += 1
                change(id)
            }
            guard let user = user(id) else { throw Refusal(statusCode: 404) }
            return user
        }

        // MARK: Requests

        /// A request that waits for an answer.
        struct Call {
            let id: Int
            let text: String
            /// The user whom the program writes when it has the answer, which may be older than what it shows.
            let written: Int?
            /// Makes the change, but does not answer yet.
            let handle: () -> Void
            let succeed: () -> Void
            let fail: (any Error) -> Void
        }

        private final class Reply<Value: Sendable> {
            private let make: @Sendable () throws -> Value
            private let continuation: CheckedContinuation<Value, any Error>
            private var made: Result<Value, any Error>?

            init(
                _ continuation: CheckedContinuation<Value, any Error>, _ make: @escaping @Sendable () throws -> Value
            ) {
                (self.continuation, self.make) = (continuation, make)
            }

            func handle() {
                if made == nil { made = Result { try make() } }
            }

            func succeed() {
                handle()
                if let made { continuation.resume(with: made) }
            }

            func fail(_ error: any Error) { continuation.resume(throwing: error) }
        }

        /// Requests values, which are those of now whenever the answer arrives.
        func read<Value: Sendable>(_ text: String, _ value: Value?) async throws -> Value {
            try await ask(text) {
                guard let value else { throw Refusal(statusCode: 404) }
                return value
            }
        }

        /// Waits for the world to answer.
        ///
        /// - Parameter make: Makes the answer, and the change that was requested. Called at most once.
        func ask<Value: Sendable>(
            _ text: String, writing written: Int? = nil, _ make: @escaping @Sendable () throws -> Value
        ) async throws -> Value {
            callCount += 1
            let id = callCount
            return try await withCancellationHandler {
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                    if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                    let reply = Reply(continuation, make)
                    open.append(
                        Call(
                            id: id, text: text, written: written, handle: { reply.handle() },
                            succeed: { reply.succeed() }, fail: { reply.fail($0) }))
                }
            } onCancel: {
                take(id)?.fail(CancellationError())
            }
        }

        /// Removes a request, to which the caller then replies.
        func take(_ id: Int) -> Call? {
            open.firstIndex { $0.id == id }.map { open.remove(at: $0) }
        }

        /// Ends all requests, because the program has ended.
        func endAll() {
            let calls = open
            open = []
            for call in calls { call.fail(CancellationError()) }
        }
    }
}

// MARK: Mutations

extension ItemWorld {
    /// What a mutation does with the server's answer.
    enum Writes: String, Sendable, CustomDebugStringConvertible {
        case nothing, update, set

        var debugDescription: String { ".\(rawValue)" }
    }

    struct Change: Mutating {
        enum Kind: Sendable {
            case like, hide, add
        }

        let kind: Kind
        let user: User
        var writes = Writes.nothing
        var isInvalidating = false
        let server: Server

        func run(_ context: MutationContext) async throws -> User {
            let (kind, user, server) = (kind, user, server)
            return try await server.ask("\(kind) \(user.id)", writing: writes == .nothing ? nil : user.id) {
                switch kind {
                case .like: return try server.like(user.id)
                case .hide:
                    server.remove(user.id)
                    return user
                case .add:
                    server.add(user.id)
                    return server.user(user.id) ?? user
                }
            }
        }

        func optimistic(_ edits: inout OptimisticEdits) {
            switch kind {
            case .like: edits.update(User.self, user.id) { $0.likes += 1 }
            case .hide: edits.remove(User.self, user.id)
            case .add:
                edits.insert(user, into: .key("users"))
                edits.insert(user, into: .key("pages"))
            }
        }

        func succeeded(_ output: User, _ cache: CacheWrites) {
            switch writes {
            case .nothing: break
            case .update: cache.update(User.self, output.id) { $0 = output }
            case .set: cache.set(output, for: ItemWorld.user(output.id, server))
            }
        }

        func invalidates(_ output: User) -> [KeyFilter] {
            isInvalidating ? [.containing(User.self, output.id)] : []
        }
    }
}
