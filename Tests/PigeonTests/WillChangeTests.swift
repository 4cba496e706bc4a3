import Observation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

/// What is sent while a query is asked once, beside its states.
struct Announcements: CustomTestStringConvertible {
    let policy: QueryCacheConfig.UsagePolicy
    let isCached: Bool
    let succeeds: Bool
    /// Each `will` is one send of `objectWillChange`; what follows it is the state, if that has changed.
    let log: [String]

    var testDescription: String {
        "\(policy), \(isCached ? "cached" : "not cached"), \(succeeds ? "success" : "failure")"
    }

    static let all =
        [QueryCacheConfig.UsagePolicy.useIfFetchFails, .useInsteadOfFetching, .useAndThenFetch].flatMap {
            [
                Announcements(
                    policy: $0, isCached: false, succeeds: true,
                    log: ["idle", "will", "loading", "will", "succeed([Bob])"]),
                Announcements(
                    policy: $0, isCached: false, succeeds: false,
                    log: ["idle", "will", "loading", "will", "failed(Broken)"]),
            ]
        } + [
            Announcements(
                policy: .useIfFetchFails, isCached: true, succeeds: true,
                log: ["idle", "will", "loading", "will", "succeed([Bob])"]),
            Announcements(
                policy: .useIfFetchFails, isCached: true, succeeds: false,
                log: ["idle", "will", "loading", "will", "succeed([Ann])"]),
            Announcements(policy: .useInsteadOfFetching, isCached: true, succeeds: true, log: ["succeed([Ann])"]),
            // That the fetch begins, and that it fails, shows in the snapshot only.
            Announcements(
                policy: .useAndThenFetch, isCached: true, succeeds: true,
                log: ["succeed([Ann])", "will", "will", "succeed([Bob])"]),
            Announcements(
                policy: .useAndThenFetch, isCached: true, succeeds: false, log: ["succeed([Ann])", "will", "will"]),
        ]
}

@MainActor
@Suite("objectWillChange is sent once for each change that a view can see", .rule("U23"))
struct WillChangeTests {
    let lab = QueryLab()
    let fetcher: ScriptedFetcher<[User]>
    let cache = InMemoryQueryCache()

    init() {
        fetcher = lab.fetcher(returning: [User].self)
    }

    private func users(_ policy: QueryCacheConfig.UsagePolicy) -> Users {
        Users(key: "users", cache: cache, cacheConfig: .using(policy), client: lab.client) { [fetcher] _, context in
            try await fetcher.fetch(context)
        }
    }

    @Test("each send comes before its change, and no other is sent", .rule("U23"), arguments: Announcements.all)
    func sends(_ row: Announcements) {
        if row.isCached { cache.save([ann], for: "users", andTimestamp: lab.date) }
        let users = users(row.policy)
        let log = AnnouncementLog(users)
        users.refetch(request: ())
        if row.succeeds { fetcher.succeed(with: [bob]) } else { fetcher.fail(with: Broken()) }
        #expect(log.entries == row.log)
        #expect(log.readings.allSatisfy { $0.before == $0.shown }, "before the change, the state is the old one")
    }

    @Test("a consumer and another query of the key announce the same", .rule("U23"), arguments: [true, false])
    func others(succeeds: Bool) async {
        let users = users(.useIfFetchFails)
        let consumer = Users.Consumer(key: "users", client: lab.client)
        let logs = [AnnouncementLog(users), AnnouncementLog(consumer)]
        users.refetch(request: ())
        // Whoever joins the load changes nothing that the others can see.
        let other = self.users(.useIfFetchFails)
        other.refetch(request: ())
        users.refetch(request: ())
        await until { logs[1].entries.last == "will" }
        if succeeds { fetcher.succeed(with: [bob]) } else { fetcher.fail(with: Broken()) }
        let end = succeeds ? "succeed([Bob])" : "failed(Broken)"
        #expect(logs[0].entries == ["idle", "will", "loading", "will", end])
        #expect(logs[1].entries == ["idle", "loading", "will", "will", end], "it did not make the request itself (X3)")
    }

    @Test("what another query changes as it attaches is shown at once, and announced in the next turn", .rule("X3"))
    func attaching() async {
        let users = users(.useIfFetchFails)
        let name = users.select { $0.first?.name ?? "" }
        users.refetch(request: ())
        fetcher.fail(with: Broken())
        var (sends, partSends, states) = (0, 0, [String]())
        let subscriptions = [
            users.objectWillChange.sink { sends += 1 }, name.objectWillChange.sink { partSends += 1 },
            users.statePublisher.sink { states.append("\($0)") },
        ]
        let other = self.users(.useIfFetchFails)
        other.refetch(request: ())
        #expect(users.state.isLoading && name.snapshot.error == nil)
        #expect(states == ["failed(Broken)", "loading"])
        #expect(sends == 0 && partSends == 0)
        await until { sends == 1 && partSends == 1 }
        fetcher.succeed(with: [ann])
        #expect(sends == 2 && partSends == 2, "no object attaches, so it is announced at once")
        subscriptions.forEach { $0.cancel() }
    }

    @Test("what an observer of the client changes as it attaches is announced in the next turn", .rule("X3"))
    func observing() async {
        let users = users(.useIfFetchFails)
        users.refetch(request: ())
        fetcher.fail(with: Broken())
        var sends = 0
        let subscription = users.objectWillChange.sink { sends += 1 }
        let observer = lab.client.observe(QueryDefinition("users", fetch: fetcher.fetch))
        #expect(users.state.isLoading && sends == 0)
        await until { sends == 1 }
        fetcher.succeed(with: [ann])
        #expect(sends == 2, "nothing attaches, so it is announced at once")
        withExtendedLifetime((observer, subscription)) {}
    }

    @Test("ten changes of the state are ten sends", .rule("U23"))
    func tenChanges() {
        let users = users(.useIfFetchFails)
        let log = AnnouncementLog(users)
        for _ in 0..<5 {
            users.refetch(request: ())
            fetcher.succeed(with: [ann])
        }
        let load = ["will", "loading", "will", "succeed([Ann])"]
        #expect(log.entries == ["idle"] + Array(repeating: load, count: 5).flatMap(\.self))
    }

    @Test("a publisher that sends and finishes later shows its value first, and then that it has ended", .rule("U23"))
    func publishers() {
        let server = Server(lab, Void.self, [User].self)
        let users = lab.users(server)
        let log = AnnouncementLog(users)
        users.refetch(request: ())
        server.send([ann])
        #expect(users.snapshot.isFetching)
        #expect(log.entries == ["idle", "will", "loading", "will", "succeed([Ann])"])
        server.finish()
        #expect(!users.snapshot.isFetching)
        #expect(log.entries == ["idle", "will", "loading", "will", "succeed([Ann])", "will"])
    }

    @Test("the Observation framework is told as often, and before the change", .rule("U23"))
    func observation() {
        let users = users(.useAndThenFetch)
        let sends = Locked(0)
        let tellings = Locked<[String]>([])
        let subscription = users.objectWillChange.sink { sends.withLock { $0 += 1 } }
        func track() {
            withObservationTracking {
                _ = users.state
            } onChange: {
                let state = MainActor.assumeIsolated { "\(users.state)" }
                tellings.withLock { $0.append(state) }
            }
        }
        let steps: [() -> Void] = [
            { users.refetch(request: ()) }, { fetcher.succeed(with: [ann]) }, { users.refetch(request: ()) },
            { fetcher.fail(with: Broken()) }, { _ = self.users(.useAndThenFetch) },
        ]
        for step in steps {
            track()
            step()
            #expect(sends.withLock { $0 } == tellings.withLock { $0.count })
        }
        #expect(tellings.withLock { $0 } == ["idle", "loading", "succeed([Ann])", "succeed([Ann])"])
        subscription.cancel()
    }

    @Test("a list announces each page once", .rule("U23"))
    func pages() {
        let server = Server(lab, Int.self, [Int].self)
        let numbers = lab.numbers(server)
        var sends = 0
        let subscription = numbers.objectWillChange.sink { sends += 1 }
        numbers.refetch(())
        #expect(sends == 1)
        server.succeed(with: [1, 2])
        #expect(sends == 2)
        numbers.fetchNextPage()
        #expect(sends == 3)
        server.succeed(with: [3])
        #expect(sends == 4)
        #expect(numbers.items == [1, 2, 3])
        subscription.cancel()
    }

    @Test("a mutation announces each state once, and nothing when there is no other", .rule("U23"))
    func mutations() async throws {
        let mutation = Mutation<Int, Int>(client: lab.client) { $0 }
        var sends = 0
        let subscription = mutation.objectWillChange.sink { sends += 1 }
        mutation.reset()
        #expect(sends == 0)
        try await mutation(1)
        #expect(sends == 2)
        mutation.reset()
        #expect(sends == 3)
        mutation.cancel()
        #expect(sends == 3)
        subscription.cancel()
    }
}

/// Writes down when a query announces a change, and when its state changes.
@MainActor
private final class AnnouncementLog {
    private(set) var entries: [String] = []
    /// For each announcement, the state that was read then, and the one that was published last.
    private(set) var readings: [(before: String, shown: String)] = []
    private var subscriptions: [AnyCancellable] = []

    init<Q: QueryType & ObservableObject>(_ query: Q) where Q.ObjectWillChangePublisher == ObservableObjectPublisher {
        var shown = ""
        subscriptions.append(
            query.statePublisher.sink { [weak self] state in
                shown = "\(state)"
                self?.entries.append(shown)
            })
        subscriptions.append(
            query.objectWillChange.sink { [weak self, weak query] in
                guard let self, let query else { return }
                entries.append("will")
                readings.append((before: "\(query.state)", shown: shown))
            })
    }
}
