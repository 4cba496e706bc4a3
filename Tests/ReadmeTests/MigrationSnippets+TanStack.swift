import Foundation
import Pigeon
import PigeonSQLite
import TestSupport
import Testing

/// The snippets of the guide from TanStack Query, compiled and run.
@Suite("Coming from TanStack Query", .serialized)
struct MigrationFromTanStack {
    struct Full: Error {}

    /// Keeps what it is told, unless it is full.
    actor Server {
        private var stored: [Todo] = [Todo(id: 1, title: "Walk"), Todo(id: 2, title: "Cook")]
        private let isFull: Bool
        private var opened: Bool
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(isFull: Bool = false, isOpen: Bool = true) {
            self.isFull = isFull
            opened = isOpen
        }

        func todos() throws -> [Todo] { stored }

        func add(_ todo: Todo) async throws -> Todo {
            if !opened { await withCheckedContinuation { waiting.append($0) } }
            if isFull { throw Full() }
            stored.append(todo)
            return todo
        }

        func open() {
            opened = true
            for waiter in waiting { waiter.resume() }
            waiting = []
        }
    }

    /// The server of the test that runs.
    static let current = Locked(Server())

    private func use(_ server: Server) { Self.current.withLock { $0 = server } }

    struct AddTodo: Mutating {
        var todo: Todo

        func run(_ context: MutationContext) async throws -> Todo {
            try await server.add(todo)
        }
        func invalidates(_ todo: Todo) -> [KeyFilter] { [.key("todos")] }
    }

    struct AddTodoAtOnce: Mutating {
        var todo: Todo

        func run(_ context: MutationContext) async throws -> Todo {
            try await server.add(todo)
        }
        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update(.todos) { [todo] in $0.append(todo) }
        }
        func succeeded(_ added: Todo, _ writes: CacheWrites) {
            writes.update(.todos) { $0.append(added) }
        }
        func invalidates(_ added: Todo) -> [KeyFilter] { [.key("todos")] }
    }

    @Test func `the quick start shows what was added`() async throws {
        let shown = Locked<[[Todo]]>([])
        @Sendable func show(_ todos: [Todo]) { shown.withLock { $0.append(todos) } }
        use(Server())
        let task = Task { @Sendable in
            let client = QueryClient()
            let todos = client.observe(.todos)
            let added = try await client.mutate(AddTodo(todo: Todo(id: 3, title: "Do Laundry")))
            for await snapshot in todos {
                show(snapshot.value ?? [])
            }
            return added
        }
        await until { shown.withLock { $0.last?.count == 3 } }
        task.cancel()
        let added = try await task.value
        #expect(added.id == 3)
    }

    @Test(arguments: [false, true])
    func `an optimistic update is shown at once, and stays unless it fails`(isFull: Bool) async throws {
        let server = Server(isFull: isFull, isOpen: false)
        use(server)
        let client = QueryClient()
        _ = try await client.fetch(.todos)
        let add = Task { try await client.mutate(AddTodoAtOnce(todo: Todo(id: 3, title: "Do Laundry"))) }
        await until { client.value(of: .todos)?.count == 3 }
        #expect(client.snapshot(of: .todos).isOptimistic)
        await server.open()
        let result = await add.result
        #expect((try? result.get()) == nil ? isFull : !isFull)
        #expect(client.value(of: .todos)?.map(\.id) == (isFull ? [1, 2] : [1, 2, 3]))
        #expect(!client.snapshot(of: .todos).isOptimistic)
    }
}

struct Todo: Codable, Equatable, Identifiable, Sendable {
    var id: Int
    var title: String
}

private var server: MigrationFromTanStack.Server { MigrationFromTanStack.current.withLock { $0 } }

extension QueryDefinition where Value == [Todo] {
    static var todos: Self {
        QueryDefinition("todos") { _ in try await server.todos() }
    }
}

extension MigrationFromTanStack {
    /// What the tables of the guide spell.
    private func spellings(_ client: QueryClient, _ user: User?, _ file: URL) async throws {
        let todos = QueryDefinition<[Todo]>.todos
        _ = [
            todos.whenAbandoned(.cancel), todos.tagged("feed"), todos.staleAfter(.seconds(30)),
            todos.staleAfter { $0.isEmpty ? .zero : .never }, todos.staleAfter(.immutable),
            todos.keepFor(.seconds(300)),
            todos.keepFor(.forever), todos.enabled(user != nil), todos.placeholder([]), todos.placeholder { $0 },
            todos.initial([]), todos.initial([], age: .seconds(60)), todos.refetchOnAttach(.ifStale),
            todos.retriesOnAttach(false), todos.refetchOnForeground(.ifStale), todos.refetchOnReconnect(.always),
            todos.poll(every: .seconds(10)), todos.poll(every: .seconds(10), inBackground: true),
            todos.networkMode(.online), todos.networkMode(.offlineFirst),
            todos.retry(RetryPolicy(limit: 3, delay: { _ in .seconds(1) }, shouldRetry: { _ in true })),
            todos.persisted(schema: 2),
        ]
        let observer = client.observe(.todos)
        observer.observe(todos.enabled(false))
        observer.setEnabled(true)
        _ = try await (observer.refetch(), client.refetch(.todos))
        for await count in client.observe(.todos).select({ $0.count }) { print(count) }
        let snapshot = client.snapshot(of: .todos)
        let flags = [
            snapshot.isLoading, snapshot.isFetching, snapshot.isRefetching, snapshot.isStale, snapshot.isFetched,
            snapshot.isPaused, snapshot.isPlaceholder, snapshot.nextPage.isFetching,
        ]
        print(flags, snapshot.phase, snapshot.activity, snapshot.failedAttempts)
        print(snapshot.updatedAt as Any, snapshot.failedAt as Any, snapshot.lastAttemptError as Any)
        client.environment.activity.set(false)
        client.environment.connectivity.set(false)
        let posts = QueryDefinition.pages("posts", first: 1, maxPages: 3) { page, _ in
            try await api.posts(page: page)
        } next: { last, page in
            last.isEmpty ? nil : page + 1
        }
        let pages = try await client.fetchNextPage(of: posts)
        print(pages.hasNext, pages.loaded(at: 0).id, snapshot.nextPage.error as Any)
        await client.prefetch(posts, pages: 3)
        await client.invalidate(.path("todos"))
        await client.invalidate(.key("todos"), refetch: .none)
        await client.invalidate(.path("todos").and(.active).and(.stale), refetch: .inactive)
        await client.invalidate(.where { $0.hasFailed }, refetch: .all)
        await client.invalidate(.tag("todos"))
        await client.refetch(.path("todos"))
        client.reset(.path("todos"))
        client.remove(.path("todos"))
        client.cancel(.path("todos"))
        try client.set([], for: .todos)
        client.update(.todos) { $0.removeAll() }
        print(client.value(of: .todos) as Any, client.entries(matching: .path("todos")))
        _ = try await (client.fetch(.todos), client.fetch(.todos, .cacheFirst))
        await client.prefetch(.todos)
        print(client.entries(matching: .all.and(.fetching)).count)
        client.setDefaults(for: "todos") { $0.staleAfter = .minutes(1) }
        _ = QueryClient(
            cache: try SQLiteQueryCache(at: file), options: QueryOptions(), budget: 1 << 20, minimumAway: .seconds(5))
    }
}
