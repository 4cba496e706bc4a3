import Foundation
import Pigeon
import PigeonHTTP

/// A list is loaded page by page, to its end.
enum Paging: Scene {
    static let title = "Paging to the end"
    typealias List = PaginatedQuery<Void, NumericPaginatedQueryKey, [Post]>

    nonisolated static let pageSize = 30

    static func play(_ stage: Stage) async throws {
        let before = stage.tally
        stage.say("a list asks for the first \(pageSize) posts, and then for what follows")
        let posts = list(.startImmediately(()), stage.api, stage.cache, stage.client)
        try await stage.until("the first page") { !posts.items.isEmpty }
        stage.read("the list shows \(posts.items.count) posts")
        while posts.hasNextPage {
            try await posts.nextPage()
            stage.read("the list shows \(posts.items.count) posts\(posts.hasNextPage ? "" : ": the end")")
        }
        let again = list(.startWhenRequested, stage.api, stage.cache, stage.client)
        stage.read("a second list shows all \(again.items.count) at once")
        let count = posts.items.count
        let requests = stage.tally.requests - before.requests
        stage.check(
            "\(count) posts, none twice, in \(requests) requests",
            Set(posts.items.map(\.id)).count == count && requests == count / pageSize + 1)
        stage.check("the second list needed none", again.items == posts.items)
    }

    /// The posts as a list that knows its end by a page that is not full.
    static func list(
        _ behavior: List.FetchingBehavior, _ api: NetworkDispatcher, _ cache: any QueryCacheType, _ client: QueryClient
    ) -> List {
        List(
            key: "feed", firstPage: NumericPaginatedQueryKey(current: 1), behavior: behavior, cache: cache,
            cacheConfig: QueryCacheConfig(usagePolicy: .useInsteadOfFetching), client: client,
            isLast: { page, _ in page.count < pageSize }
        ) { _, page in
            let query = ["_page": page.current, "_limit": pageSize].map { URLQueryItem(name: $0, value: "\($1)") }
            return try await api.value(from: .get("/posts", queryItems: query))
        }
    }
}
