import PigeonCore
import PigeonOutbox

extension ItemWorld {
    /// A change that waits for the network, and outlives the process.
    struct LikeLater: DurableMutation {
        var user: Int

        func run(_ context: MutationContext) async throws -> User {
            let (server, user, key) = (try context[Server.self], user, context.idempotencyKey)
            return try await server.ask("like \(user) later") { try server.like(user, key: key) }
        }

        func optimistic(_ edits: inout OptimisticEdits) { edits.update(User.self, user) { $0.likes += 1 } }
    }

    // MARK: Definitions

    static func user(_ id: Int, _ server: Server) -> QueryDefinition<User> {
        QueryDefinition<User>("users", id) { _ in try await server.read("user \(id)", server.user(id)) }
            .contains(\.self).staleAfter(.seconds(30)).keepFor(.seconds(90)).persisted()
    }

    private static func users(_ server: Server) -> QueryDefinition<[User]> {
        QueryDefinition<[User]>("users") { _ in try await server.read("users", server.list) }
            .contains(each: User.self).staleAfter(.seconds(30)).keepFor(.seconds(90)).persisted()
    }

    private static func search(_ server: Server) -> QueryDefinition<[User]> {
        QueryDefinition<[User]>("search") { _ in try await server.read("search", server.search) }
            .contains(each: User.self).staleAfter(.seconds(5)).keepFor(.seconds(20))
    }

    static func pages(_ server: Server) -> QueryDefinition<Pages<[User], Int>> {
        QueryDefinition<Pages<[User], Int>>.pages("pages", first: 0) { page, _ in
            try await server.read("page \(page)", server.page(page))
        } next: { users, page in
            users.count == 2 ? page + 1 : nil
        }.contains(each: User.self).staleAfter(.seconds(60)).keepFor(.seconds(90))
    }

    private static func posts(_ server: Server) -> QueryDefinition<[Post]> {
        QueryDefinition<[Post]>("posts") { _ in try await server.read("posts", server.feed) }
            .contains(each: Post.self).contains(each: \.author)
            .staleAfter(.seconds(30)).keepFor(.seconds(90)).persisted()
    }

    private static func post(_ id: Int, _ server: Server) -> QueryDefinition<Post> {
        QueryDefinition<Post>("posts", id) { _ in try await server.read("post \(id)", server.post(id)) }
            .contains(\.self).contains(\.author).staleAfter(.seconds(30)).keepFor(.seconds(90))
    }

    // MARK: Places

    /// The items in a value, in order.
    struct Seen: Equatable {
        var users: [User]
        var posts: [Post] = []
        var pageCount = 0
    }

    /// A query whose values contain items.
    struct Place: Sendable {
        let key: QueryKey
        var isPersisted = false
        /// True if users are elements of a list, so that one can be removed.
        var isList = false
        /// True if a user that the program adds is inserted.
        var takesNew = false
        let see: @Sendable (Payload) -> Seen?
        /// The items that the value would have if it were fetched now.
        let truth: @Sendable (Seen) -> Seen
        let observe: @Sendable (QueryClient, @escaping @Sendable () -> Void) -> AnyObject
        let fetch: @Sendable (QueryClient) async throws -> Payload
        /// Edits one user in this value, by its key.
        let replace: @Sendable (QueryClient, User) -> Void

        var name: String { key.queryKeyValue }

        init<Value: Sendable>(
            _ make: @escaping @Sendable () -> QueryDefinition<Value>, see: @escaping @Sendable (Value) -> Seen,
            truth: @escaping @Sendable (Seen) -> Seen, replace: @escaping @Sendable (inout Value, User) -> Void
        ) {
            key = make().key
            self.see = { payload in (payload as? PayloadOf<Value>).map { see($0.value) } }
            self.truth = truth
            observe = { client, react in client.observe(make()) { _ in react() } }
            fetch = { client in PayloadOf(try await client.fetch(make(), .networkOnly)) }
            self.replace = { client, user in client.update(make()) { replace(&$0, user) } }
        }

        func persisted() -> Place { with { $0.isPersisted = true } }
        func listing(takesNew: Bool = false) -> Place { with { ($0.isList, $0.takesNew) = (true, takesNew) } }

        private func with(_ change: (inout Place) -> Void) -> Place {
            var place = self
            change(&place)
            return place
        }
    }

    /// A list, its pages, a search, details, and posts with their authors.
    static func places(of server: Server) -> [Place] {
        [
            list(server), pagedList(server), found(server), detail(1, server), detail(2, server), feed(server),
            feedItem(server),
        ]
    }

    private static func list(_ server: Server) -> Place {
        let place = Place {
            users(server)
        } see: { value in
            Seen(users: value)
        } truth: { _ in
            Seen(users: server.list)
        } replace: { value, user in
            put(user, in: &value)
        }
        return place.persisted().listing(takesNew: true)
    }

    private static func pagedList(_ server: Server) -> Place {
        let place = Place {
            pages(server)
        } see: { value in
            Seen(users: Array(value.items), pageCount: value.count)
        } truth: { seen in
            Seen(users: Array(server.list.prefix(2 * seen.pageCount)), pageCount: seen.pageCount)
        } replace: { value, user in
            value.update(where: { $0.id == user.id }) { $0 = user }
        }
        return place.listing(takesNew: true)
    }

    private static func found(_ server: Server) -> Place {
        let place = Place {
            search(server)
        } see: { value in
            Seen(users: value)
        } truth: { _ in
            Seen(users: server.search)
        } replace: { value, user in
            put(user, in: &value)
        }
        return place.listing()
    }

    private static func detail(_ id: Int, _ server: Server) -> Place {
        let place = Place {
            user(id, server)
        } see: { value in
            Seen(users: [value])
        } truth: { _ in
            Seen(users: [server.user(id)].compactMap { $0 })
        } replace: { value, user in
            if value.id == user.id { value = user }
        }
        return place.persisted()
    }

    private static func feed(_ server: Server) -> Place {
        let place = Place {
            posts(server)
        } see: { value in
            Seen(users: value.map(\.author), posts: value)
        } truth: { _ in
            Seen(users: server.feed.map(\.author), posts: server.feed)
        } replace: { value, user in
            for index in value.indices where value[index].author.id == user.id { value[index].author = user }
        }
        return place.persisted()
    }

    private static func feedItem(_ server: Server) -> Place {
        Place {
            post(1, server)
        } see: { value in
            Seen(users: [value.author], posts: [value])
        } truth: { _ in
            let posts = [server.post(1)].compactMap { $0 }
            return Seen(users: posts.map(\.author), posts: posts)
        } replace: { value, user in
            if value.author.id == user.id { value.author = user }
        }
    }

    private static func put(_ user: User, in users: inout [User]) {
        for index in users.indices where users[index].id == user.id { users[index] = user }
    }
}
