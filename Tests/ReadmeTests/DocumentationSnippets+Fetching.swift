import Foundation
import Pigeon
import PigeonHTTP

// The snippets of the documentation comments about fetching, compiled.

// Parcels and depots are those of the tool that is linked into `Articles/Parcels`.
extension Parcel {
    fileprivate var isDelivered: Bool { status == .delivered }
}

extension API {
    func search(_ text: String) async throws -> [User] { [] }
    fileprivate func parcel(_ id: Int) async throws -> Parcel {
        Parcel(id: id, name: "Books", status: .delivered, depotID: 1)
    }
    fileprivate func depot(_ id: Int) async throws -> Depot { Depot(name: "North") }
}

private struct Session: Sendable {
    func signOut() {}
}

private let session = Session()

extension QueryDefinition where Value == Parcel {
    fileprivate static func parcel(_ id: Int) -> Self {
        QueryDefinition("parcels", id) { _ in try await api.parcel(id) }
    }

    fileprivate static func polled(_ id: Int) -> Self {
        QueryDefinition("parcels", id) { _ in try await api.parcel(id) }.poll(every: .seconds(5)) { $0.isDelivered }
    }
}

extension QueryDefinition where Value == Depot {
    fileprivate static func depot(ofParcel id: Int) -> Self {
        QueryDefinition("parcels", id, "depot") { context in
            let parcel = try await context.fetch(.parcel(id))
            return try await context[API.self].depot(parcel.depotID)
        }
    }
}

extension QueryDefinition where Value == Int {
    fileprivate static func price(_ name: String) -> Self { QueryDefinition("prices", name) { _ in 1 } }
}

extension QueryDefinition where Value == [User] {
    static func search(_ text: String) -> Self {
        QueryDefinition("search", text) { _ in try await api.search(text) }
            .debounced(by: .milliseconds(300))
            .placeholder { $0 }
    }
}

private protocol ServerAPI: Sendable {
    func user(_ id: Int) async throws -> User
}

private struct LiveServer: ServerAPI {
    func user(_ id: Int) async throws -> User { try await api.user(id) }
}

private func aliases() {
    typealias Server = any ServerAPI
    let client = QueryClient(dependencies: Dependencies(LiveServer() as Server))
    let user = QueryDefinition<User>("users", 42) { context in try await context[Server.self].user(42) }
    print(client, user)
}

private enum Injected {
    static func user(_ id: User.ID) -> QueryDefinition<User> {
        QueryDefinition("users", id) { context in try await context[API.self].user(id) }
    }
}

private struct Market: Sendable {
    func prices(of name: String) -> AsyncStream<Int> { AsyncStream { $0.finish() } }
}

private func streams(of name: String) {
    let market = Market()
    let price = QueryDefinition<Int>.stream("prices", name) { _ in market.prices(of: name) }
    print(price)
}

extension [User] {
    fileprivate mutating func rename(_ id: User.ID, to name: String) {
        for index in indices where self[index].id == id { self[index].name = name }
    }
}

extension QueryDefinition where Value == Int {
    fileprivate static var searches: Self { .value("search") }
}

private func edits(_ client: QueryClient, _ edits: inout OptimisticEdits, _ id: User.ID, _ name: String) async {
    edits.update(.path(of: .searches), as: [User].self) { $0.rename(id, to: name) }
    client.update(.path(of: .searches), as: [User].self) { $0.rename(id, to: name) }
    await client.invalidate(.path(of: .users))  // users, users/42, users/42/posts …
}

@MainActor
private func mutations() {
    struct RenameUser: Mutating {
        var id: User.ID
        var name: String
        func run(_ context: MutationContext) async throws {}
    }
    let rename = Mutation { name in RenameUser(id: 42, name: name) }
    rename.execute(with: "Ann")
}

private func faces(_ client: QueryClient, _ definition: QueryDefinition<User>) {
    struct Pictures: QueryFace {
        var name: String? { "pictures" }
    }
    let observer = client.observe(definition.face(Pictures()))  // pictures/7 fetching (observed by pictures)
    print(observer)
}

@MainActor
private func selections() {
    let name = Query(.user(42)).select(\.name)
    print(name.value ?? "")  // readable on the main actor, at once
}

@MainActor
private func dependence() {
    let parcel = Query(.parcel(7))
    let depot = Query(following: parcel) { .depot($0.depotID) }
    print(depot.state)
}

private struct IssuePage: Sendable {
    struct Item: Sendable {
        var title: String
    }

    var issues: [Item]
    var next: String?
}

extension QueryDefinition where Value == Pages<IssuePage, String?> {
    fileprivate static var openIssues: Self {
        .pages("issues", "open") { _, _ in
            IssuePage(issues: [], next: nil)
        } next: { page in
            page.next
        }
    }
}

@MainActor
private func pages(_ api: Backend) {
    let issues = PaginatedQuery(.openIssues, items: \.issues)  // pages with a cursor beside their items
    print(issues.items.map(\.title))
    let feed = QueryDefinition<Pages<PostPage, String?>>.pages("feed") { cursor, _ in
        try await api.posts(after: cursor)
    } next: { page in
        page.next
    }
    print(feed.key)
}

private func lists(_ client: QueryClient) async throws {
    func show(_ users: [User]) {}
    let friends = client.observe(all: [.user(1), .user(2)])
    print(friends.snapshots.map(\.phase))  // at once, in the order of the definitions
    for await snapshots in friends { show(snapshots.compactMap(\.value)) }  // the newest first, then every change
}

private func values(_ client: QueryClient) async throws {
    let friends = try await client.fetch(all: [.user(1), .user(2)])
    print(friends)
}

extension QueryDefinition where Value == Double {
    fileprivate static func rate(_ currency: String) -> Self { QueryDefinition("rates", currency) { _ in 1 } }
}

private func severalTypes(_ client: QueryClient) async throws {
    let (user, rate) = try await client.fetch(.user(42), .rate("EUR"))
    print(user.name, rate)
}

private func fetching(_ parcel: QueryObserver<Parcel>) async throws {
    let client = QueryClient(dependencies: Dependencies(api, session))
    let user = try await client.fetch(.user(42), .staleWhileRevalidate(upTo: .minutes(10)))
    let price = try await client.fetch(.price("AAPL"), .staleIfError(upTo: .hours(1)))
    let depot = client.observe(parcel.value.map { .depot($0.depotID) } ?? .nothing)
    try await client.mutate("rename", invalidates: [.query(.user(42))]) { context in
        try await context[API.self].rename(42, to: "Ann")
    }
    let failures = client.onFailure { error, event in
        if event.failureReason == .unauthorized { session.signOut() }
    }
    print(user, price, depot, failures)
}

private struct Banner: Sendable {
    func show(_ text: String) {}
}

private func reasons(_ client: QueryClient, _ banner: Banner) -> QuerySubscription {
    let failures = client.onFailure { error, event in
        switch event.failureReason {
        case .unauthorized: session.signOut()
        case .noConnection, .unavailable: banner.show("Not up to date.")
        default: banner.show(error.localizedDescription)
        }
    }
    return failures
}

private func hasty(_ client: QueryClient) async throws {
    let price = try await client.fetch(.price("AAPL"), .staleIfError(upTo: .hours(1)).within(.milliseconds(200)))
    print(price)
}
