import PigeonCore
import PigeonUI
import SwiftUI
import Testing

/// The SwiftUI snippets of README and of the migration guides, compiled and shown.
@Suite("Coming from elsewhere, with SwiftUI")
@MainActor
struct MigrationSnippets {
    struct User: Codable, Identifiable {
        let id: Int
        let name: String
    }

    struct Post: Identifiable, Sendable {
        let id: Int
        var title: String
    }

    struct FeedPage: Sendable {
        let posts: [Post]
    }

    struct Todo: Codable, Identifiable {
        var id: Int
        var title: String
    }

    struct PostDetailView: View {
        let post: Post

        var body: some View {
            Text(post.title)
        }
    }

    final class Server: Sendable {
        private let stored = Locked<[Todo]>([])
        private let count = Locked(0)

        var asked: Int { count.withLock { $0 } }

        func todos() async throws -> [Todo] { stored.withLock { $0 } }

        func add(_ todo: Todo) async throws -> Todo {
            stored.withLock { $0.append(todo) }
            return todo
        }

        func users() async throws -> [User] {
            count.withLock { $0 += 1 }
            return [User(id: 1, name: "Ann")]
        }
    }

    // MARK: README

    struct UserView: View {
        @UseQuery(.user(42)) var user: Snapshot<User>

        var body: some View {
            StateView(user, retry: $user.retry) { Text($0.name) }
        }
    }

    @Test func `a view fetches what it shows`() async {
        let screen = Screen { UserView().environment(\.queryClient, QueryClient()) }
        #expect(await screen.wait { $0.contains("User 42") })
        screen.close()
    }

    // MARK: Pigeon 0.1

    struct UsersScreen: View {
        @StateObject var users = UsersScreen.makeUsers()

        var body: some View {
            QueryView(users) { users in
                List(users) { user in Text(user.name) }
            }
        }

        static func makeUsers() -> Query<Void, [User]> {
            Query(key: "users", behavior: .startImmediately(())) { try await server.users() }
        }
    }

    @Test func `a query is shown without a switch, and not fetched again with each view`() async {
        await SharedState.$current.withValue(SharedState()) {
            let screen = Screen { UsersScreen() }
            #expect(await screen.wait { $0.contains("Ann") })
            screen.rebuild()
            #expect(await screen.wait { $0.contains("Ann") })
            #expect(server.asked == 1)
            screen.close()
        }
    }

    // MARK: swift-operation

    struct PostView: View {
        @UseQuery var post: Snapshot<Post?>

        init(id: Int) { _post = UseQuery(.post(id)) }

        var body: some View {
            VStack {
                StateView(post, retry: $post.retry) { post in
                    if let post { PostDetailView(post: post) }
                } empty: {
                    Text("Post Not Found")
                }
                Button("Reload") {
                    Task { await $post.refresh() }
                }
            }
        }
    }

    struct PostsFeedView: View {
        @UseQuery(.feed) var feed: Snapshot<Pages<FeedPage, Int>>

        var body: some View {
            List {
                ForEach(feed.value?.flatMap(\.posts) ?? []) { PostDetailView(post: $0) }
                NextPageView($feed)
            }
        }
    }

    @Test func `a post is shown, or that there is none`() async {
        for (id, text) in [(1, "Hello"), (2, "Post Not Found")] {
            let screen = Screen { PostView(id: id).environment(\.queryClient, QueryClient()) }
            #expect(await screen.wait { $0.contains(text) })
            screen.tap("Reload")
            #expect(await screen.wait { $0.contains(text) })
            screen.close()
        }
    }

    @Test func `a feed goes on to its end`() async {
        let client = QueryClient()
        let screen = Screen(visibleRows: 3) { PostsFeedView().environment(\.queryClient, client) }
        #expect(await screen.wait { $0.contains("Post 0") })
        // There is room for all pages, each of which makes the next one appear.
        screen.scrollDown(by: 20)
        #expect(await screen.wait { _ in client.value(of: .feed)?.flatMap(\.posts).last?.id == 14 })
        screen.close()
    }

    // MARK: TanStack Query

    struct Todos: View {
        @UseQuery(.todos) var todos: Snapshot<[Todo]>
        @StateObject var adding = Todos.makeAdding()

        var body: some View {
            VStack {
                StateView(todos, retry: $todos.retry) { todos in
                    List(todos) { todo in Text(todo.title) }
                }
                Button("Add Todo") {
                    adding.execute(with: Todo(id: 3, title: "Do Laundry")) { _, invalidate in
                        invalidate("todos", .lastData)
                    }
                }
            }
        }

        static func makeAdding() -> Mutation<Todo, Todo> {
            Mutation { todo in try await server.add(todo) }
        }
    }

    @Test func `what is added is shown`() async {
        await SharedState.$current.withValue(SharedState()) {
            let screen = Screen { Todos().environment(\.queryClient, .shared) }
            screen.tap("Add Todo")
            #expect(await screen.wait { $0.contains("Do Laundry") })
            screen.close()
        }
    }

    private func app(_ client: QueryClient) -> some View {
        Todos().queryClient(client)
    }
}

private let server = MigrationSnippets.Server()

extension QueryDefinition where Value == MigrationSnippets.User {
    static func user(_ id: Int) -> Self {
        QueryDefinition("users", id) { _ in MigrationSnippets.User(id: id, name: "User \(id)") }
    }
}

extension QueryDefinition where Value == MigrationSnippets.Post? {
    static func post(_ id: Int) -> Self {
        QueryDefinition("posts", id) { _ in id == 1 ? MigrationSnippets.Post(id: 1, title: "Hello") : nil }
    }
}

extension QueryDefinition where Value == Pages<MigrationSnippets.FeedPage, Int> {
    static var feed: Self {
        .pages("feed", first: 0) { page, _ in
            let ids = (page * 5)..<(page * 5 + 5)
            return MigrationSnippets.FeedPage(posts: ids.map { .init(id: $0, title: "Post \($0)") })
        } next: { last, page in
            page < 2 ? page + 1 : nil
        }
    }
}

extension QueryDefinition where Value == [MigrationSnippets.Todo] {
    static var todos: Self { QueryDefinition("todos") { _ in try await server.todos() } }
}
