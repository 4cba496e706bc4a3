import Foundation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

private typealias Ticket = PagingArticleTests.Ticket
private typealias TicketPage = PagingArticleTests.TicketPage

extension QueryDefinition where Value == Pages<[Post], Int> {
    static var timeline: Self {
        .pages("timeline", first: 1) { page, context in
            try await context[Backend.self].posts(page: page)
        } next: { posts, page in
            posts.isEmpty ? nil : page + 1
        }
    }
}

extension QueryDefinition {
    static func timeline(limit: Int) -> Self where Value == Pages<[Post], Int> {
        .pages("timeline", limit, first: 0) { offset, context in
            try await context[Backend.self].posts(limit: limit, offset: offset)
        } next: { posts, offset in
            posts.count < limit ? nil : offset + limit
        }
    }
}

extension QueryDefinition where Value == Pages<TicketPage, String?> {
    static func tickets() -> Self {
        .pages("tickets") { cursor, context in
            try await context[Backend.self].tickets(after: cursor)
        } next: { page in
            page.next
        }
    }
}

extension Backend {
    fileprivate func posts(limit: Int, offset: Int) async throws -> [Post] {
        try await posts(page: offset / limit + 1)
    }

    fileprivate func tickets(after cursor: String?) async throws -> TicketPage {
        let page = try await posts(after: cursor)
        return TicketPage(
            tickets: page.posts.map { Ticket(id: $0.title == "First" ? 1 : 2, title: $0.title) }, next: page.next)
    }
}

@MainActor
@Suite("Article: page a list")
struct PagingArticleTests {
    struct Ticket: Codable, Equatable, Identifiable, Sendable {
        var id: Int
        var title: String
    }

    struct TicketPage: Codable, Equatable, Sendable {
        var tickets: [Ticket]
        var next: String?
    }

    let api: Backend
    let lab: QueryLab
    let client: QueryClient

    init() {
        api = Backend()
        lab = QueryLab(dependencies: Dependencies(api))
        client = lab.client
    }

    private func timeline() -> PaginatedQuery<Void, Int, [Post]> {
        let posts = PaginatedQuery(.timeline, client: client)
        lab.settle()
        return posts
    }

    func footer(of posts: PaginatedQuery<Void, Int, [Post]>) -> String {
        if posts.items.isEmpty { return "" }  // the list itself shows that it loads, has failed or is empty
        if posts.isNextPagePaused { return "more when you are online" }
        if posts.isFetchingNextPage { return "loading more…" }
        if posts.nextPageError != nil { return "could not load more; tap to try again" }
        return posts.hasNextPage ? "more" : "that was all"
    }

    @Test func `a list grows to its end`() {
        let posts = timeline()
        #expect(posts.items.map(\.title) == ["Post 1"])
        posts.fetchNextPage()
        lab.settle()
        #expect(posts.items.map(\.title) == ["Post 1", "Post 2"])
        #expect(footer(of: posts) == "more")
        posts.fetchNextPage()
        lab.settle()
        #expect(footer(of: posts) == "that was all")
        #expect(posts.items.count == 2)
        let asked = api.calls.count
        posts.fetchNextPage()
        lab.settle()
        #expect(api.calls.count == asked)
    }

    @Test func `before the first page there may be another one, which a footer does not show`() {
        lab.setOnline(false)
        let posts = timeline()
        #expect(posts.hasNextPage && posts.items.isEmpty)
        #expect(footer(of: posts) == "")
        lab.setOnline(true)
        #expect(footer(of: posts) == "more")
        #expect(api.calls == ["posts 1"])
    }

    @Test func `a page that fails leaves the list, and is asked for again`() {
        let posts = timeline()
        api.setReachable(false)
        posts.fetchNextPage()
        lab.settle()
        #expect(footer(of: posts) == "could not load more; tap to try again")
        #expect(posts.value?.count == 1)
        api.setReachable(true)
        posts.fetchNextPage()
        lab.settle()
        #expect(posts.items.map(\.title) == ["Post 1", "Post 2"])
        #expect(api.calls == ["posts 1", "posts 2", "posts 2"])
        let restart = lab.start { [client] in try await client.restart(.timeline) }
        #expect(restart.value?.count == 1)
        #expect(posts.items.map(\.title) == ["Post 1"])
    }

    @Test func `the end may be told by a short page`() {
        let posts = PaginatedQuery(.timeline(limit: 20), client: client)
        lab.settle()
        #expect(posts.items.count == 1)
        #expect(!posts.hasNextPage)
    }

    @Test func `a list with a cursor beside its items grows on a screen`() {
        let tickets = PaginatedQuery(.tickets(), items: \.tickets, client: client)
        lab.settle()
        #expect(tickets.items.map(\.title) == ["First"] && tickets.hasNextPage)
        api.setReachable(false)
        tickets.fetchNextPage()
        lab.settle()
        #expect(tickets.nextPageError is URLError)
        #expect(tickets.items.map(\.title) == ["First"])
        api.setReachable(true)
        tickets.fetchNextPage()
        lab.settle()
        #expect(tickets.nextPageError == nil)
        #expect(tickets.items.map(\.title) == ["First", "Last"] && !tickets.hasNextPage)
        #expect(tickets.items.map(\.id) == [1, 2])
    }

    @Test func `an engine's list goes on by a cursor`() async throws {
        let client = QueryClient(dependencies: Dependencies(api))
        var list = try await client.fetch(.tickets())
        while list.hasNext {
            list = try await client.fetchNextPage(of: .tickets())
        }
        let titles = list.flatMap { $0.tickets.map(\.title) }
        #expect(titles == ["First", "Last"])
        #expect(api.calls == ["posts after nothing", "posts after c1"])
        _ = try await client.refetch(.tickets())
        #expect(api.calls.count == 4)
        #expect(client.value(of: .tickets())?.count == 2)
        try await client.restart(.tickets())
        #expect(client.value(of: .tickets())?.count == 1)
    }

    /// The titles of the tickets in the client.
    private var titles: [String]? {
        let list = client.value(of: .tickets())
        return list?.flatMap { page in page.tickets.map(\.title) }
    }

    @Test func `an edit finds an item on its page`() {
        _ = lab.start { [client] in await client.prefetch(.tickets(), pages: 2) }
        #expect(titles == ["First", "Last"])
        client.update(.tickets()) { pages in
            pages.update(in: \.tickets, where: { $0.title == "First" }) { $0.title = "Edited" }
        }
        #expect(titles == ["Edited", "Last"])
        client.update(.tickets()) { pages in
            pages.insert(Ticket(id: 3, title: "New"), in: \.tickets, at: 0)
            pages.removeAll(in: \.tickets, where: { $0.title == "Last" })
        }
        #expect(titles == ["New", "Edited"])
        #expect(client.value(of: .tickets())?.count == 2)
    }

    private struct AddTicket: Mutating {
        var title: String

        func run(_ context: MutationContext) async throws {}
        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update(.tickets()) { pages in
                pages.insert(Ticket(id: 0, title: title), in: \.tickets, at: pages.hasNext ? 0 : .max)
            }
        }
        func invalidates(_ output: Void) -> [KeyFilter] { [.query(.tickets())] }
    }

    @Test func `a new row is at the end if all pages are loaded, and otherwise in view until it is confirmed`() {
        let tickets = PaginatedQuery(.tickets(), items: \.tickets, client: client)
        lab.settle()
        lab.setOnline(false)
        let first = lab.start { [client] in try await client.mutate(AddTicket(title: "New")) }
        #expect(tickets.items.map(\.title) == ["New", "First"])
        lab.setOnline(true)
        lab.settle()
        #expect(first.result != nil)
        #expect(tickets.items.map(\.title) == ["First"], "the server lists it on a page that is not loaded")

        tickets.fetchNextPage()
        lab.settle()
        lab.setOnline(false)
        let second = lab.start { [client] in try await client.mutate(AddTicket(title: "Newer")) }
        #expect(second.result == nil)
        #expect(tickets.items.map(\.title) == ["First", "Last", "Newer"])
    }

    @Test func `an edit of pages that are arrays needs no property`() {
        let posts = timeline()
        posts.fetchNextPage()
        lab.settle()
        client.update(.timeline) { pages in
            pages.update(where: { $0.title == "Post 1" }) { $0.title = "Edited" }
            pages.insert(Post(title: "New"), at: 0)
            pages.removeAll(where: { $0.title == "Post 2" })
        }
        #expect(posts.items.map(\.title) == ["New", "Edited"])
        #expect(posts.hasNextPage)
    }

    @Test func `a list is emptied in three ways`() {
        let observer = client.observe(.tickets())
        lab.settle()
        client.update(.tickets()) { $0 = Pages() }
        #expect(observer.value?.isEmpty == true && observer.value?.hasNext == false)
        #expect(api.calls.count == 1)
        _ = lab.start { [client] in try await client.fetchNextPage(of: .tickets()) }
        #expect(observer.value?.count == 1)
        client.remove(.tickets())
        lab.settle()
        #expect(observer.value == nil && api.calls.count == 2)
        client.reset(.tickets())
        lab.settle()
        #expect(observer.value?.count == 1 && api.calls.count == 3)
    }

    @Test func `a page that fails says so beside the list`() {
        let observer = client.observe(.tickets())
        lab.settle()
        api.setReachable(false)
        _ = lab.start { [client] in try await client.fetchNextPage(of: .tickets()) }
        #expect(observer.snapshot.nextPage.error != nil)
        #expect(observer.snapshot.error == nil)
        #expect(observer.value?.count == 1)
    }
}
