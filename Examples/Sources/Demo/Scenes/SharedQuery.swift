import Pigeon
import PigeonHTTP

/// One query fetches, two consumers show the same data, and the server is asked once.
enum SharedQuery: Scene {
    static let title = "One query, two consumers, one request"

    static func play(_ stage: Stage) async throws {
        let (api, before) = (stage.api, stage.tally)
        stage.say("a query asks for the users; a header and a sidebar consume them")
        let header = Query<Void, [User]>.Consumer(key: "users", client: stage.client)
        let sidebar = Query<Void, [User]>.Consumer(key: "users", client: stage.client)
        let users = Query<Void, [User]>(
            key: "users", behavior: .startImmediately(()), cache: stage.cache, client: stage.client
        ) { _, context in
            try await api.value(from: .get("/users"), for: context)
        }
        let screens = [
            users.valuePublisher.sink { stage.read("the list shows \($0.count) users") },
            header.valuePublisher.sink { stage.read("the header shows \($0.count) users") },
            sidebar.valuePublisher.sink { stage.read("the sidebar shows \($0.first?.name ?? "nobody")") },
        ]
        try await stage.until("three screens to show the users") { stage.reads - before.reads == 3 }
        screens.forEach { $0.cancel() }

        let later = Query<Void, [User]>(
            key: "users", behavior: .startImmediately(()), cache: stage.cache,
            cacheConfig: QueryCacheConfig(usagePolicy: .useInsteadOfFetching), client: stage.client
        ) { _, context in
            try await api.value(from: .get("/users"), for: context)
        }
        stage.read("a screen that opens later shows \(later.value?.count ?? 0) users at once")
        stage.check("4 reads, 1 request", (stage.tally - before) == Tally(reads: 4, requests: 1))
    }
}
