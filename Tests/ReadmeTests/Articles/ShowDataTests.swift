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

    private func list(in lab: QueryLab) -> Query<Void, [User]> {
        let users = Query(.userList, client: lab.client)
        lab.settle()
        return users
    }

    @Test func `a query of a definition fetches`() async {
        let users = Query(.users)
        await until { users.value != nil }
        #expect(users.value?.map(\.name) == ["Bea"])
    }

    func text(for users: Query<Void, [User]>) -> String {
        let snapshot = users.snapshot
        switch snapshot.phase {
        case .pending:
            return snapshot.isCleared ? "You are signed out." : "Loading…"
        case .failure:
            return "There is nothing to show. Try again?"
        case .content(let list):
            var lines = list.map(\.name)
            if snapshot.isFetching { lines.append("refreshing…") }
            if snapshot.error != nil { lines.append("could not refresh") }
            return lines.joined(separator: "\n")
        }
    }

    @Test func `a failed refresh keeps the list`() async throws {
        let lab = QueryLab(dependencies: Dependencies(api))
        let users = list(in: lab)
        #expect(text(for: users) == "Ann\nBea")
        api.setReachable(false)
        try await lab.run { await users.refresh() }
        #expect(text(for: users) == "Ann\nBea\ncould not refresh")
        #expect(users.value?.count == 2)
        api.setReachable(true)
        try await lab.run { await users.refresh() }
        #expect(text(for: users) == "Ann\nBea")
    }

    @Test func `a refresh can be awaited`() async {
        let users = Query(.users)
        await users.refresh()
        #expect(users.value?.map(\.name) == ["Bea"])
    }

    @Test func `nothing known and no server is a failure`() {
        api.setReachable(false)
        let lab = QueryLab(dependencies: Dependencies(api))
        #expect(text(for: list(in: lab)) == "There is nothing to show. Try again?")
    }

    @Test func `a screen that stays open after the sign-out does not load`() async throws {
        let lab = QueryLab(dependencies: Dependencies(api))
        let (users, client) = (list(in: lab), lab.client)
        _ = try await lab.run { try await client.clear() }
        #expect(text(for: users) == "You are signed out.")
        client.invalidateWithoutWaiting(.all)
        lab.settle()
        #expect(text(for: users) == "Ann\nBea")
    }

    @Test func `a list that is being refreshed says so`() {
        let lab = QueryLab()
        let fetcher = lab.fetcher(returning: [User].self)
        let users = Query(QueryDefinition("users", fetch: fetcher.fetch), client: lab.client)
        #expect(text(for: users) == "Loading…")
        fetcher.succeed(with: [User(id: 0, name: "Ann")])
        lab.client.invalidateWithoutWaiting("users")
        lab.settle()
        #expect(text(for: users) == "Ann\nrefreshing…")
        #expect(users.value?.first?.name == "Ann")
    }

    @Test func `the snapshots begin with the current one`() async {
        let lab = QueryLab(dependencies: Dependencies(api))
        let users = list(in: lab)
        var label = ""
        var isClosed: Bool { !label.isEmpty }
        for await snapshot in users.snapshots {
            label = snapshot.isFetching ? "refreshing…" : "\(snapshot.value?.count ?? 0) people"
            if isClosed { break }
        }
        #expect(label == "2 people")
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

    @Test func `a caller says how fresh the value must be`() async throws {
        let (lab, api) = (QueryLab(), api)
        let users = QueryDefinition("users") { _ in try await api.users() }.staleAfter(.seconds(30))
        let client = lab.client
        _ = lab.start { try await client.fetch(users) }
        #expect(api.calls.count == 1)
        lab.advance(by: .seconds(31))
        api.setNames(["Cid"])
        let stale = lab.start {
            let policy = FetchPolicy.staleWhileRevalidate(upTo: .minutes(10)).staleIfError(upTo: .hours(1))
            let list = try await client.fetch(users, policy)
            return list
        }
        #expect(stale.value?.map(\.name) == ["Ann", "Bea"])
        #expect(api.calls.count == 2)
        #expect(client.value(of: users)?.map(\.name) == ["Cid"])
        api.setReachable(false)
        lab.advance(by: .seconds(31))
        let failed = lab.start { try await client.fetch(users, .networkOnly) }
        #expect(failed.error != nil)
        let kept = lab.start { try await client.fetch(users, .cacheOnly) }
        #expect(kept.value?.map(\.name) == ["Cid"])
    }

    @Test func `an edit during a first load is followed by another fetch`() {
        let lab = QueryLab()
        let fetcher = lab.fetcher(returning: [User].self)
        let (client, users) = (lab.client, QueryDefinition("users", fetch: fetcher.fetch))
        let screen = Query(users, client: client)
        let wasEdited = client.update(users) { $0.append(User(id: 1, name: "Bea")) }
        #expect(!wasEdited)
        fetcher.succeed(with: [User(id: 0, name: "Ann")])
        #expect(screen.value?.map(\.name) == ["Ann"])
        #expect(fetcher.pendingCount == 1)
        fetcher.succeed(with: [User(id: 0, name: "Ann"), User(id: 1, name: "Bea")])
        #expect(screen.value?.map(\.name) == ["Ann", "Bea"])
        #expect(fetcher.pendingCount == 0)
    }

    private struct AddUser: Mutating {
        var name: String
        var server: ScriptedFetcher<User>
        var users: QueryDefinition<[User]>

        func run(_ context: MutationContext) async throws -> User { try await server.call(name) }

        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update(users) { $0.append(User(id: 1, name: name)) }
        }
    }

    @Test func `an optimistic edit during a first load shows with its value`() {
        let lab = QueryLab()
        let (fetcher, server) = (lab.fetcher(returning: [User].self), lab.fetcher(returning: User.self))
        let (client, users) = (lab.client, QueryDefinition("users", fetch: fetcher.fetch))
        let screen = Query(users, client: client)
        let change = lab.start { try await client.mutate(AddUser(name: "Bea", server: server, users: users)) }
        #expect(screen.value == nil)
        fetcher.succeed(with: [User(id: 0, name: "Ann")])
        #expect(screen.value?.map(\.name) == ["Ann", "Bea"])
        #expect(screen.snapshot.isOptimistic)
        server.fail(with: URLError(.timedOut))
        #expect(change.error is URLError)
        #expect(screen.value?.map(\.name) == ["Ann"])
    }

    @Test func `a first load that is cancelled leaves nothing`() {
        let lab = QueryLab()
        let fetcher = lab.fetcher(returning: [User].self)
        let (client, users) = (lab.client, QueryDefinition("users", fetch: fetcher.fetch))
        let screen = Query(users, client: client)
        let caller = lab.start { try await client.fetch(users) }
        screen.cancel()
        lab.settle()
        #expect(screen.value == nil && screen.snapshot.error == nil && !screen.snapshot.isFetching)
        #expect(caller.error is CancellationError)
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
