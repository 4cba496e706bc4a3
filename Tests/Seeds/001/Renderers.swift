import Foundation
import PigeonUI
import SeedSupport
import SwiftUI
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// "查询渲染器": each state, the same as in "快速开始"
struct WithoutRenderer: View {
    // [001.16
    // ...
    @ObservedObject var users = QuickStart.UsersList().users

    init() {
        users.refetch(request: ())
    }

    var body: some View {
        // 5
        switch users.state {
        case .idle, .loading:
            return AnyView(Text("Loading..."))
        case .failed:
            return AnyView(Text("Oops..."))
        case let .succeed(users):
            return AnyView(
                List(users) { user in
                    Text(user.name)
                }
            )
        }
    }
    // ...
    // 001.16]
}

// "查询渲染器": the requirements. A protocol of Swift has no `some` in what it requires, so they have bodies here.
struct Requirements: QueryRenderer {
    typealias Response = String

    // swift-format-ignore
    // [001.17
    // When Query is in loading state
    var loadingView: some View { get { Text("Loading...") } }

    // When Query is in succeed state
    func successView(for response: Response) -> some View { Text(response) }

    // When Query is in failure state
    func failureView(for failure: Error) -> some View { EmptyView() }
    // 001.17]
}

// "查询渲染器": a full example
// [001.18
struct UsersList: View {
    @ObservedObject private var users = Query<Void, [User]>(
        key: QueryKey(value: "users"),
        behavior: .startImmediately(()),
        fetcher: {
            URLSession.shared
                .dataTaskPublisher(for: URL(string: "https://jsonplaceholder.typicode.com/users/")!)
                .map(\.data)
                .decode(type: [User].self, decoder: JSONDecoder())
                .receive(on: DispatchQueue.main)
                .eraseToAnyPublisher()
        }
    )

    var body: some View {
        self.view(for: users.state)
    }
}

extension UsersList: QueryRenderer {
    var loadingView: some View {
        Text("Loading...")
    }

    func successView(for response: [User]) -> some View {
        List(response) { user in
            Text(user.name)
        }
    }

    func failureView(for failure: Error) -> some View {
        Text("It failed...")
    }
}

struct User: Codable, Identifiable {
    let id: Int
    let name: String
}
// 001.18]

// "查询渲染器": a renderer for several contexts
// [001.19
struct CardDetailView: View {
    @ObservedObject private var card = Query<String, Card>(
        key: QueryKey(value: "card_detail"),
        keyAdapter: { key, id in
            key.appending(id)
        },
        cache: UserDefaultsQueryCache.shared,
        cacheConfig: QueryCacheConfig(
            invalidationPolicy: .expiresAfter(500),
            usagePolicy: .useInsteadOfFetching
        ),
        fetcher: { id in
            CardDetailRequest(cardId: id)
                .execute()
                .map(\.card)
                .eraseToAnyPublisher()
        }
    )
    private let id: String

    let renderer = NameRepresentableRenderer<Card>()

    init(id: String) {
        self.id = id
    }

    var body: some View {
        renderer.view(for: card.state)
            .navigationBarTitle("Card Detail")
    }
}

protocol NameRepresentable {
    var name: String { get }
}

extension Card: NameRepresentable {}

struct NameRepresentableRenderer<T: NameRepresentable>: QueryRenderer {
    var loadingView: some View {
        Text("Loading...")
    }

    func failureView(for failure: Error) -> some View {
        EmptyView()
    }

    func successView(for response: T) -> some View {
        Text(response.name)
    }
}
// 001.19]

extension CardDetailView {
    /// The README does not show who asks for the card.
    func fetch() {
        card.refetch(request: id)
    }
}

extension Seed001 {
    @MainActor
    struct RendererTests {
        @Test func `each state is shown by a view of its own, as in any view`() async {
            await Readme(Typicode.users).shows(failure: "Oops...") { WithoutRenderer() }
        }

        @Test func `a renderer has three requirements`() {
            let views: [QueryState<String>] = [.idle, .loading, .succeed("Ann"), .failed(CancellationError())]
            let texts = views.map { state in Screen { Requirements().view(for: state) }.text }
            #expect(texts == ["Loading...", "Loading...", "Ann", ""])
        }

        @Test func `a view that is a renderer shows each state of its query`() async {
            await Readme(Typicode.users).shows(failure: "It failed...") { UsersList() }
        }

        @Test func `a renderer can be a type of its own, for whatever has a name`() async {
            _ = Readme(Typicode.users)
            let view = CardDetailView(id: "7")
            let screen = Screen { NavigationView { view } }
            #expect(screen.text == "# Card Detail\nLoading...")
            view.fetch()
            #expect(await screen.wait(for: "# Card Detail\nCard 7") == "# Card Detail\nCard 7")
            let failed = Screen { view.renderer.view(for: .failed(CancellationError())) }
            #expect(failed.text == "")
        }
    }
}
