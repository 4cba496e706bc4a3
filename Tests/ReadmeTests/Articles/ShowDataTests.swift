import Foundation
import Pigeon
import PigeonHTTP
import PigeonREST
import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("Article: show data while it refreshes", OwnSharedState())
struct ShowDataTests {
    let api = Backend()

    func list(_ api: Backend) -> Query<Void, [User]> {
        let users = Query<Void, [User]>(
            key: "users",
            behavior: .startImmediately(()),
            cacheConfig: QueryCacheConfig(invalidationPolicy: .expiresAfter(300), usagePolicy: .useAndThenFetch)
        ) {
            try await api.users()
        }
        return users
    }

    private var defined: Query<Void, [User]> {
        let users = Query(.users)
        return users
    }

    func text(for users: Query<Void, [User]>) -> String {
        let snapshot = users.snapshot
        switch snapshot.phase {
        case .pending:
            return "Loading…"
        case .failure:
            return "There is nothing to show. Try again?"
        case .content(let list):
            var lines = list.map(\.name)
            if snapshot.isFetching { lines.append("refreshing…") }
            if snapshot.error != nil { lines.append("could not refresh") }
            return lines.joined(separator: "\n")
        }
    }

    @Test func `a failed refresh keeps the list`() async {
        let users = list(api)
        #expect(text(for: users) == "Ann\nBea")
        api.setReachable(false)
        users.refetch(request: ())
        #expect(text(for: users) == "Ann\nBea\ncould not refresh")
        #expect(users.state.value?.count == 2)
        api.setReachable(true)
        await users.refresh()
        #expect(text(for: users) == "Ann\nBea")
    }

    @Test func `nothing known and no server is a failure`() {
        api.setReachable(false)
        #expect(text(for: list(api)) == "There is nothing to show. Try again?")
    }

    @Test func `a list that is being refreshed says so`() {
        let lab = QueryLab()
        let fetcher = lab.fetcher(returning: [User].self)
        let users = Query<Void, [User]>(
            key: "users", behavior: .startImmediately(()), cacheConfig: QueryCacheConfig(usagePolicy: .useAndThenFetch),
            client: lab.client
        ) { _, context in try await fetcher.fetch(context) }
        #expect(text(for: users) == "Loading…")
        fetcher.succeed(with: [User(id: 0, name: "Ann")])
        users.refetch(request: ())
        #expect(text(for: users) == "Ann\nrefreshing…")
        #expect(users.state.value?.first?.name == "Ann")
    }

    @Test func `the engine serves what is fresh, and refetches what is not`() async throws {
        let (lab, api) = (QueryLab(), api)
        let users = QueryDefinition("users") { _ in try await api.users() }
            .staleAfter(.seconds(30))
            .keepFor(.seconds(600))
        let first = lab.client.observe(users)
        lab.settle()
        #expect(first.value?.count == 2)
        let again = lab.client.observe(users)
        lab.settle()
        #expect(api.calls.count == 1)
        lab.advance(by: .seconds(31))
        let late = lab.client.observe(users)
        #expect(late.value?.count == 2)
        lab.settle()
        #expect(api.calls.count == 2)
        withExtendedLifetime((first, again, late)) {}
    }

    struct UserFetcher: PigeonStore.Fetcher {
        let api: Backend
        /// Lets one fetch through for each element.
        let gate: AsyncStream<Void>

        func fetch(param: Int) async throws -> User {
            for await _ in gate { break }
            return try await api.user(param)
        }
    }

    @Test func `a store shows stale data as loading with content`() async throws {
        let users = Cacher<User.ID, User>(expireSeconds: 0)
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let ann = AnyStoreFlowable.from(cacher: users, fetcher: UserFetcher(api: api, gate: gate), param: 0)
        opener.yield()
        _ = try await ann.requireData()
        var shown: [String] = []
        func show(_ text: String) {
            shown.append(text)
            opener.yield()
        }
        for await state in ann.publish() {
            switch state {
            case .loading(let content?): show("\(content.name), refreshing")
            case .loading(nil): show("loading")
            case .completed(let content, _, _): show(content.name)
            case .error: show("nothing to show")
            }
            if case .completed = state { break }
        }
        #expect(shown == ["Ann, refreshing", "Ann"])
    }

    @Test func `a resource keeps its content when a load fails`() async throws {
        let transport = MockTransport()
        transport.answer(
            .get, "/users/1", with: try .json(User(id: 1, name: "Ann")), then: .status(.serviceUnavailable))
        let service = PigeonREST.Service(
            baseURL: "https://api.example.com", networking: transport, client: QueryClient())
        service.configure("/users/*", decoding: User.self)
        let ann = service.resource("/users/1").typed(User.self)
        _ = try await ann.loaded()
        _ = try? await ann.loaded()
        #expect(ann.content?.name == "Ann")
        #expect(ann.resource.latestError != nil)
    }
}
