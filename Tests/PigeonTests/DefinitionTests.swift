import Pigeon
import PigeonTesting
import TestSupport
import Testing

/// The servers of the definitions below, as an app's definitions reach an API.
private enum Backend {
    @TaskLocal static var users: ScriptedFetcher<User>?
    @TaskLocal static var numbers: Recorder<Int>?
}

extension QueryDefinition where Value == User {
    fileprivate static func user(_ id: Int) -> Self {
        let users = Backend.users
        return QueryDefinition("users", id) { context in
            guard let users else { throw Broken() }
            return try await users.fetch(context)
        }
        .staleAfter(.seconds(30))
    }
}

extension QueryDefinition where Value == Pages<[Int], Int> {
    fileprivate static var numbers: Self { numbers(from: 0) }

    fileprivate static func numbers(from start: Int) -> Self {
        let asked = Backend.numbers
        return .pages("numbers", start, first: 1, maxPages: 2) { page, _ in
            asked?.append(page)
            return [start + 10 * page, start + 10 * page + 1]
        } next: { _, page in
            page < 3 ? page + 1 : nil
        }
        .staleAfter(.seconds(30))
    }
}

@MainActor
@Suite("queries of definitions", .rule("B13"))
struct DefinitionTests {
    let lab = QueryLab()
    let users: ScriptedFetcher<User>

    init() {
        users = lab.fetcher(returning: User.self)
    }

    private var user: Query<Void, User> {
        Backend.$users.withValue(users) { Query(.user(1), client: lab.client) }
    }

    private var userByID: Query<Int, User> {
        let users = users
        return Query(client: lab.client) { id in Backend.$users.withValue(users) { .user(id) } }
    }

    @Test("a selection is told when its part or the phase changes, and of nothing else", .rule("B14"))
    func selection() {
        var count = 0
        let name = user.select { user -> String in
            count += 1
            return user.name
        }
        let seen = Recorder<String>()
        let subscriptions = [
            name.objectWillChange.sink { seen.append("will") },
            name.snapshotPublisher.sink { seen.append($0.value ?? "none") },
        ]
        #expect(name.value == nil && name.snapshot.isFetching)
        users.succeed(with: User(id: 1, name: "Ann"))
        #expect(name.value == "Ann" && count == 1)
        lab.client.invalidate("users")
        users.succeed(with: User(id: 7, name: "Ann"))
        lab.client.invalidate("users")
        users.succeed(with: User(id: 7, name: "Bea"))
        #expect(seen.all == ["none", "will", "Ann", "will", "Bea"])
        #expect(count == 3)
        withExtendedLifetime(subscriptions) {}
    }

    @Test(
        "a selection that throws is a failure beside the last output, and the query itself is not affected",
        .rule("B14"))
    func failingSelection() {
        let query = user
        let name = query.select { user -> String in
            if user.name == "Bea" { throw Broken() }
            return user.name
        }
        users.succeed(with: User(id: 1, name: "Ann"))
        lab.client.invalidate("users")
        users.succeed(with: User(id: 1, name: "Bea"))
        #expect(name.value == "Ann" && name.snapshot.error is Broken && query.value?.name == "Bea")
    }

    @Test("a selection is released with its last owner, and frees its query", .rule("B14"))
    func selectionLifetime() {
        var name: SelectedQuery<String>? = user.select(\.name)
        weak let selection = name
        #expect(name?.value == nil && selection != nil)
        name = nil
        #expect(selection == nil && lab.client.entries(matching: "users").first?.observerCount == 0)
    }

    @Test("A query of a definition fetches its key once, whoever shares it")
    func shared() {
        let (one, other) = (user, user)
        #expect(one.key == "users/1")
        #expect(one.state.isLoading && other.state.isLoading)
        users.succeed(with: ann)
        #expect(one.state.value == ann && other.value == ann)
        #expect(lab.client.value(of: .user(1)) == ann)
        #expect(users.calls.count == 1)
    }

    @Test("A fresh value is not fetched, neither on creation nor on request, and a stale one is")
    func freshness() {
        let first = user
        users.succeed(with: ann)
        let second = user
        #expect(second.value == ann)
        second.refetch(request: ())
        #expect(users.calls.count == 1)
        lab.advance(by: .seconds(31))
        second.refetch(request: ())
        #expect(users.calls.count == 2)
        #expect(second.state.value == ann, "the value stays during the fetch")
        #expect(first.snapshot.isFetching)
        users.fail(with: Broken())
        #expect(second.state.value == ann && second.snapshot.error is Broken, "and after one that failed")
    }

    @Test("A refresh fetches what is fresh")
    func refresh() async {
        let query = user
        users.succeed(with: ann)
        let refreshed = Task { await query.refresh() }
        await until { users.pendingCount == 1 }
        users.succeed(with: bob)
        await refreshed.value
        #expect(query.value == bob)
    }

    @Test("A query of a closure is idle until it has a request, and keeps what other requests have shown")
    func requests() {
        let query = userByID
        let log = StateLog(query)
        #expect(query.lastRequest == nil && users.calls.isEmpty)
        query.refetch(request: 1)
        users.succeed(with: ann)
        query.refetch(request: 2)
        users.succeed(with: bob)
        query.refetch(request: 1)
        #expect(log.states == ["idle", "loading", "succeed(Ann)", "loading", "succeed(Bob)", "succeed(Ann)"])
        #expect(query.lastRequest == 1)
        #expect(users.calls.map(\.key) == ["users/1", "users/2"])
    }

    @Test("A query can be created with its first request")
    func firstRequest() {
        let users = users
        let query = Query(request: 2, client: lab.client) { id in Backend.$users.withValue(users) { .user(id) } }
        #expect(query.key == "users/2" && query.lastRequest == 2)
        users.succeed(with: bob)
        #expect(query.value == bob)
    }

    @Test("A fetcher that does not suspend is called once, and the first request shows its loading")
    func inline() {
        let calls = Recorder<Int>()
        func define(_ id: Int) -> QueryDefinition<Int> {
            QueryDefinition("squares", id) { _ in
                calls.append(id)
                return id * id
            }
        }
        let query = Query(client: lab.client) { id in define(id) }
        let log = StateLog(query)
        query.refetch(request: 3)
        lab.settle()
        let other = Query(define(4), client: lab.client)
        lab.settle()
        #expect(other.value == 16)
        #expect(calls.all == [3, 4])
        #expect(log.states == ["idle", "loading", "succeed(9)"])
    }

    @Test("A disabled definition shows what is known, and fetches only on request")
    func disabled() throws {
        let users = users
        let definition = Backend.$users.withValue(users) { QueryDefinition.user(1).enabled(false) }
        let query = Query(definition, client: lab.client)
        #expect(users.calls.isEmpty)
        try lab.client.set(bob, for: definition)
        #expect(query.state.value == bob)
        lab.client.reset(definition)
        query.refetch(request: ())
        #expect(users.calls.count == 1)
    }

    @Test("The options of a definition apply: placeholder, initial value, retries, polling")
    func options() {
        let users = users
        let base = Backend.$users.withValue(users) { QueryDefinition.user(1) }
        let placeheld = Query(base.placeholder(cid), client: lab.client)
        #expect(placeheld.snapshot.isPlaceholder && placeheld.state.value == cid)
        users.succeed(with: ann)
        #expect(placeheld.state.value == ann)
        let other = Backend.$users.withValue(users) { QueryDefinition.user(2) }
        let initial = Query(other.initial(bob), client: lab.client)
        #expect(initial.state.value == bob && users.calls.count == 1)
        let third = Backend.$users.withValue(users) { QueryDefinition.user(3) }
        let polled = Query(third.poll(every: .seconds(5)), client: lab.client)
        users.succeed(with: cid)
        lab.advance(by: .seconds(5))
        #expect(users.calls.count == 3)
        withExtendedLifetime(polled) {}
    }

    @Test("An invalidation of a definition refetches it where it is observed, and no other")
    func invalidation() {
        let (one, two) = (user, userByID)
        users.succeed(with: ann)
        two.refetch(request: 2)
        users.succeed(with: bob)
        lab.client.invalidate(.user(1))
        #expect(users.pending.map(\.key) == ["users/1"])
        #expect(lab.client.isFetching(.user(1)) && !lab.client.isFetching(.user(2)))
        #expect(lab.client.isFetching())
        lab.client.cancel(.user(1))
        #expect(!lab.client.isFetching())
        lab.client.remove(.user(2))
        #expect(two.value == nil && one.value == ann)
        lab.client.reset(.user(1))
        #expect(one.value == nil && users.pending.map(\.key) == ["users/1"])
    }

    @Test("A filter names a definition among keys, paths and tags")
    func filter() {
        let query = user
        users.succeed(with: ann)
        for filter: KeyFilter in [.tag("none"), .query(.user(1))] { lab.client.invalidate(filter, refetch: .none) }
        #expect(query.snapshot.isStale)
    }

    @Test("A consumer of a definition shows its value, and fetches nothing")
    func consumer() {
        let consumer = Query.Consumer(of: .user(1), client: lab.client)
        #expect(consumer.key == "users/1" && users.calls.isEmpty)
        let query = user
        users.succeed(with: ann)
        #expect(consumer.value == ann)
        withExtendedLifetime(query) {}
    }

    @Test("a selection of a consumer shows a part of its value", .rule("B14"))
    func selectionOfConsumer() {
        let name = Query.Consumer(of: .user(1), client: lab.client).select(\.name)
        let query = user
        users.succeed(with: ann)
        #expect(name.value == "Ann")
        withExtendedLifetime(query) {}
    }

    @Test("A paginated query of a definition has its pages, whatever identifies them, and its limit")
    func pages() {
        let asked = Recorder<Int>()
        let query = Backend.$numbers.withValue(asked) { PaginatedQuery(.numbers, client: lab.client) }
        lab.settle()
        #expect(query.firstPage == 1 && query.currentPage == 1)
        #expect(query.items == [10, 11])
        query.fetchNextPage()
        lab.settle()
        #expect(query.items == [10, 11, 20, 21] && query.currentPage == 2)
        query.fetchNextPage()
        lab.settle()
        #expect(query.items == [20, 21, 30, 31] && !query.hasNextPage)
        query.refetch(request: ())
        #expect(asked.all == [1, 2, 3], "it is fresh")
        lab.advance(by: .seconds(31))
        query.refetch(request: ())
        lab.settle()
        #expect(asked.all == [1, 2, 3, 1] && query.items == [10, 11])
    }

    private struct Issues: Sendable {
        var issues: [Int]
        var next: String?
        var texts: [String] { issues.map(String.init) }
    }

    private var issues: (QueryDefinition<Pages<Issues, String?>>, ScriptedFetcher<Issues>) {
        let server = lab.fetcher(returning: Issues.self)
        return (
            .pages("issues") { cursor, _ in
                try await server.call(cursor ?? "first")
            } next: { page in
                page.next
            }, server
        )
    }

    @Test("a paginated query shows the items of pages that have a cursor beside them", .rule("B13"))
    func pagesWithCursors() async throws {
        let (definition, server) = issues
        let query = PaginatedQuery(definition, items: \.issues, client: lab.client)
        var states = 0
        let subscription = query.$items.sink { _ in states += 1 }
        server.succeed(with: Issues(issues: [1, 2], next: "b"))
        #expect(query.items == [1, 2] && query.value == [1, 2] && query.hasNextPage)
        query.fetchNextPage()
        lab.settle()
        #expect(query.isFetchingNextPage)
        server.fail(with: Broken())
        #expect(query.nextPageError is Broken && query.items == [1, 2])
        query.fetchNextPage()
        server.succeed(with: Issues(issues: [3]))
        #expect(query.items == [1, 2, 3] && !query.hasNextPage && query.currentPage == "b")
        #expect(server.calls.map(\.arguments) == [["first"], ["b"], ["b"]])
        #expect(query.snapshot.value.map { $0.map { $0 } } == [[1, 2], [3]])
        #expect(query.snapshot.value?.ids == [nil, "b"])
        #expect(query.state.value == [1, 2, 3])

        // Another face of the same entry sees the pages themselves, and an edit by it is shown.
        #expect(lab.client.value(of: definition)?.last?.next == nil)
        lab.client.update(definition) { $0.update(in: \.issues, where: { $0 == 2 }) { $0 = 20 } }
        #expect(query.items == [1, 20, 3])
        #expect(query.snapshot.value?.first == [1, 20])
        #expect(states > 3)
        _ = subscription
    }

    @Test("two of them can show different items of one list", .rule("B13"))
    func differentItems() {
        let (definition, server) = issues
        let numbers = PaginatedQuery(definition, items: \.issues, client: lab.client)
        let texts = PaginatedQuery(definition, items: \.texts, client: lab.client)
        server.succeed(with: Issues(issues: [1], next: "b"))
        #expect(numbers.items == [1] && texts.items == ["1"])
        texts.fetchNextPage()
        server.succeed(with: Issues(issues: [2]))
        #expect(numbers.items == [1, 2] && texts.items == ["1", "2"])
    }

    @Test("the snapshots of a query are a sequence that ends with the query", .rule("B13"))
    func snapshots() async {
        let (definition, server) = issues
        var query: PaginatedQuery<Void, String?, [Int]>? = PaginatedQuery(
            definition, items: \.issues, client: lab.client)
        var user: Query<Void, User>? = self.user
        let (pages, users) = (query?.snapshots, user?.snapshots)
        server.succeed(with: Issues(issues: [1]))
        self.users.succeed(with: ann)
        var (page, shown): ([Int]?, User?)
        for await snapshot in pages ?? AsyncStream(unfolding: { nil }) {
            page = snapshot.value?.first
            break
        }
        for await snapshot in users ?? AsyncStream(unfolding: { nil }) {
            shown = snapshot.value
            break
        }
        #expect(page == [1] && shown == ann)
        let rest = user?.snapshots
        (query, user) = (nil, nil)
        var count = 0
        for await _ in rest ?? AsyncStream(unfolding: { nil }) { count += 1 }
        #expect(count <= 1)
    }

    @Test("a refetch during a refresh of all pages ends with the first page", .rule("A87"))
    func refetchDuringRefresh() {
        let server = lab.fetcher(returning: [Int].self)
        let numbers: QueryDefinition<Pages<[Int], Int>> = .pages("numbers", first: 1) { page, _ in
            try await server.call(page)
        } next: { _, page in
            page + 1
        }
        let query = PaginatedQuery(numbers, client: lab.client)
        server.succeed(with: [10])
        query.fetchNextPage()
        server.succeed(with: [20])
        #expect(query.items == [10, 20])
        lab.client.invalidate(numbers)
        lab.settle()
        query.refetch(request: ())
        lab.settle()
        server.succeed(with: [11])
        #expect(query.items == [11])
        #expect(server.calls.map(\.arguments) == [["1"], ["2"], ["1"], ["1"]])
    }

    @Test("A paginated query of a closure moves to the list of another request")
    func pagesOfRequests() {
        let asked = Recorder<Int>()
        let query = PaginatedQuery(request: 100, client: lab.client) { start in
            Backend.$numbers.withValue(asked) { .numbers(from: start) }
        }
        lab.settle()
        #expect(query.state.value == [110, 111])
        query.refetch(request: 200)
        lab.settle()
        #expect(query.value == [210, 211] && query.lastRequest == 200)
        query.refetch(request: 100)
        #expect(query.value == [110, 111] && asked.all == [1, 1])
    }
}
