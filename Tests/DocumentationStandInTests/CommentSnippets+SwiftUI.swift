import Foundation
import Pigeon
import PigeonCore
import PigeonUI
import SwiftUI
import Testing

typealias User = MigrationSnippets.User

struct Post: Codable, Equatable, Identifiable, Sendable {
    var id: Int
}

struct Parcel: Sendable {
    var depotID: Int
}

struct Depot: Sendable {
    var name: String
}

extension QueryDefinition where Value == Depot {
    static func depot(_ id: Int) -> Self { QueryDefinition("depots", id) { _ in Depot(name: "North") } }
}

extension QueryDefinition where Value == Pages<[Post], Int> {
    static var posts: Self {
        .pages(key: "posts", first: 1) { page, _ in
            [Post(id: page)]
        } next: { _, page in
            page < 3 ? page + 1 : nil
        }
    }
}

extension QueryDefinition where Value == Int {
    static var score: Self { QueryDefinition("score") { _ in 7 } }
}

struct PostRow: View {
    let post: Post
    init(_ post: Post) { self.post = post }
    var body: some View { Text("\(post.id)") }
}

struct CardsList: View {
    var body: some View { Text("cards") }
}

/// The snippets of PigeonUI's documentation comments, compiled; `ReadmeTests` compares.
@MainActor
enum SwiftUISnippets {
    typealias Posts = PaginatedQuery<Void, NumericPaginatedQueryKey, [Post]>

    struct UserView: View {
        @UseQuery var user: Snapshot<User>

        init(id: User.ID) { _user = UseQuery(.user(id)) }

        var body: some View {
            StateView(user, retry: $user.retry) { Text($0.name) }
        }
    }

    struct AnimatedUserView: View {
        @UseQuery(.user(42), animation: .default) var user: Snapshot<User>

        var body: some View { Text(user.value?.name ?? "") }
    }

    struct UserName: View {
        @UseSelection<User, String> var name: Snapshot<String>

        init(id: User.ID) { _name = UseSelection(.user(id)) { $0.name } }

        var body: some View { Text(name.value ?? "") }
    }

    struct DepotName: View {
        @UseQuery var depot: Snapshot<Depot>

        init(of parcel: Parcel?) { _depot = UseQuery(parcel.map { .depot($0.depotID) }) }

        var body: some View { Text(depot.value?.name ?? "") }
    }

    struct RenameUser: Mutating {
        var id: User.ID
        var name: String
        func run(_ context: MutationContext) async throws -> User { User(id: id, name: name) }
    }

    struct RenameButton: View {
        @UseMutation(RenameUser.self) var rename: QueryState<User>
        let name: String

        var body: some View {
            Button("Rename") { $rename.execute(with: RenameUser(id: 42, name: name)) }
                .disabled(rename.isLoading)
            if let error = rename.error { Text(error.userMessage) }
        }
    }

    struct RenameField: View {
        @UseMutation<String, User> var rename: QueryState<User>
        @State private var name = ""

        init(id: User.ID) { _rename = UseMutation { name in RenameUser(id: id, name: name) } }

        var body: some View {
            TextField("Name", text: $name).onSubmit { $rename.execute(with: name) }
        }
    }

    struct FeedIndicator: View {
        @UseActivity(.tag("feed")) var activity: ClientActivity

        var body: some View {
            if activity.isFetching || activity.isMutating { ProgressView() }
        }
    }

    struct PostList: View {
        @UseQuery(.posts) var posts: Snapshot<Pages<[Post], Int>>

        var body: some View {
            StateView(posts, retry: $posts.retry) { pages in
                List {
                    ForEach(Array(pages.items)) { PostRow($0) }
                    Button("More") { $posts.fetchNextPage() }
                        .disabled(!pages.hasNext || posts.nextPage.isFetching)
                    if let error = posts.nextPage.error { Text(error.userMessage) }
                }
            }
        }
    }

    struct ScoreView: View {
        @UseQuery(.score.poll(every: .seconds(10))) var score: Snapshot<Int>

        var body: some View {
            Text("\(score.value ?? 0)").pollsWhileVisible($score)
        }
    }

    static func rows(_ posts: Posts) -> some View {
        List(posts.items) { post in
            PostRow(post).infiniteScroll(posts, at: post)
        }
    }

    static func footer(_ posts: Posts) -> some View {
        List {
            ForEach(posts.items) { PostRow($0) }
            NextPageView(posts)
        }
    }

    @ViewBuilder
    static func previews(_ ann: User) -> some View {
        UserView(id: 42).environment(\.queryClient, .preview { $0.show(ann, for: .user(42)) })
        UserView(id: 42).environment(\.queryClient, .preview { $0.fail(.user(42), with: URLError(.timedOut)) })
        UserView(id: 42).environment(\.queryClient, .preview())
    }

    static func state(_ snapshot: Snapshot<[User]>, _ users: Query<Void, [User]>) -> some View {
        StateView(snapshot, retry: { Task { await users.refresh() } }) { users in
            List(users) { Text($0.name) }
        }
    }

    static func failure(_ snapshot: Snapshot<[User]>, _ users: Query<Void, [User]>) -> some View {
        StateView(snapshot, retry: { Task { await users.refresh() } }) { users in
            List(users) { Text($0.name) }
        } failure: { error, _ in
            Text(error.userMessage)
        }
    }

    static func state(of user: User) -> ViewState<User> {
        let state = ViewState(content: user, isLoading: true)
        return state
    }

    static func query() -> some View {
        QueryView(.user(42)) { user in
            Text(user.name)
        }
    }

    static func silentQuery() -> some View {
        QueryView(.user(42)) { user in
            Text(user.name)
        }
        .announcesLoads(false)
    }

    struct Member {
        var name: String
        var avatarURL: URL?
    }

    static func avatar(of user: Member) -> some View {
        RemoteImage(user.avatarURL, contentMode: .fill, label: Text(user.name))
            .frame(width: 40, height: 40)
            .clipShape(Circle())
    }

    static func storedImage(at url: URL) -> some View {
        RemoteImage(.image(at: url).persisted()) { $0.renderingMode(.template) }
    }

    static func budget() -> QueryClient {
        let client = QueryClient(budget: 128 << 20)
        return client
    }

    static func reload(_ url: URL, _ client: QueryClient) {
        client.invalidate(.path(of: .image(at: url)))
    }

    struct CardsApp: App {
        let client = QueryClient()
        var body: some Scene {
            WindowGroup { CardsList().queryClient(client) }
        }
    }
}

@Suite("Snippets of PigeonUI")
@MainActor
struct SwiftUISnippetTests {
    @Test func `a fetched user is shown`() async {
        let screen = Screen {
            SwiftUISnippets.previews(User(id: 42, name: "Ann"))
        }
        #expect(await screen.wait { $0.hasPrefix("Ann\n") && $0.hasSuffix("(progress)") })
        screen.close()
    }
}
