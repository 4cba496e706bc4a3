import Pigeon

/// A list is loaded page by page, to its end.
enum Paging: Scene {
    static let title = "Paging to the end"

    nonisolated static let pageSize = 30

    static func play(_ stage: Stage) async throws {
        let before = stage.tally
        stage.say("a list asks for the first \(pageSize) posts, and then for what follows")
        let posts = PaginatedQuery(.feed(stage.api), client: stage.client)
        try await stage.until("the first page") { !posts.items.isEmpty }
        stage.read("the list shows \(posts.items.count) posts")
        while posts.hasNextPage {
            try await posts.nextPage()
            stage.read("the list shows \(posts.items.count) posts\(posts.hasNextPage ? "" : ": the end")")
        }
        let again = PaginatedQuery(.feed(stage.api), client: stage.client)
        stage.read("a second list shows all \(again.items.count) at once")
        let count = posts.items.count
        let requests = stage.tally.requests - before.requests
        stage.check(
            "\(count) posts, none twice, in \(requests) requests",
            Set(posts.items.map(\.id)).count == count && requests == count / pageSize + 1)
        stage.check("the second list needed none", again.items == posts.items)
    }
}
