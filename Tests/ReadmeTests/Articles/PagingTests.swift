import Foundation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

// `Testing` has an `Issue` too, which other files of this module use.
private typealias Issue = PagingArticleTests.Issue
private typealias IssuePage = PagingArticleTests.IssuePage

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

extension QueryDefinition where Value == Pages<IssuePage, String?> {
    static func issues() -> Self {
        .pages("issues") { cursor, context in
            try await context[Backend.self].issues(after: cursor)
        } next: { page in
            page.next
        }
    }
}

extension Backend {
    fileprivate func posts(limit: Int, offset: Int) async throws -> [Post] {
        try await posts(page: offset / limit + 1)
    }

    fileprivate func issues(after cursor: String?) async throws -> IssuePage {
        let page = try await posts(after: cursor)
        return IssuePage(
            issues: page.posts.map { Issue(id: $0.title == "First" ? 1 : 2, title: $0.title) }, next: page.next)
    }
}

@MainActor
@Suite("Article: page a list")
struct PagingArticleTests {
    struct Issue: Codable, Equatable, Identifiable, Sendable {
        var id: Int
        var title: String
    }

    struct IssuePage: Codable, Equatable, Sendable {
        var issues: [Issue]
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
        if posts.isFetchingNextPage { return "loading more…" }
        if posts.nextPageError != nil { return "could not load more; tap to try again" }
        return posts.hasNextPage ? "" : "that was all"
    }

    @Test func `a list grows to its end`() {
        let posts = timeline()
        #expect(posts.items.map(\.title) == ["Post 1"])
        posts.fetchNextPage()
        lab.settle()
        #expect(posts.items.map(\.title) == ["Post 1", "Post 2"])
        #expect(footer(of: posts) == "")
        posts.fetchNextPage()
        lab.settle()
        #expect(footer(of: posts) == "that was all")
        #expect(posts.items.count == 2)
        let asked = api.calls.count
        posts.fetchNextPage()
        lab.settle()
        #expect(api.calls.count == asked)
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
        let issues = PaginatedQuery(.issues(), items: \.issues, client: client)
        lab.settle()
        #expect(issues.items.map(\.title) == ["First"] && issues.hasNextPage)
        api.setReachable(false)
        issues.fetchNextPage()
        lab.settle()
        #expect(issues.nextPageError is URLError)
        #expect(issues.items.map(\.title) == ["First"])
        api.setReachable(true)
        issues.fetchNextPage()
        lab.settle()
        #expect(issues.nextPageError == nil)
        #expect(issues.items.map(\.title) == ["First", "Last"] && !issues.hasNextPage)
        #expect(issues.items.map(\.id) == [1, 2])
    }

    @Test func `an engine's list goes on by a cursor`() async throws {
        let client = QueryClient(dependencies: Dependencies(api))
        var list = try await client.fetch(.issues())
        while list.hasNext {
            list = try await client.fetchNextPage(of: .issues())
        }
        let titles = list.flatMap { $0.issues.map(\.title) }
        #expect(titles == ["First", "Last"])
        #expect(api.calls == ["posts after nothing", "posts after c1"])
        _ = try await client.refetch(.issues())
        #expect(api.calls.count == 4)
        #expect(client.value(of: .issues())?.count == 2)
        try await client.restart(.issues())
        #expect(client.value(of: .issues())?.count == 1)
    }

    /// The titles of the issues in the client.
    private var titles: [String]? {
        let list = client.value(of: .issues())
        return list?.flatMap { page in page.issues.map(\.title) }
    }

    @Test func `an edit finds an item on its page`() {
        _ = lab.start { [client] in await client.prefetch(.issues(), pages: 2) }
        #expect(titles == ["First", "Last"])
        client.update(.issues()) { pages in
            pages.update(in: \.issues, where: { $0.title == "First" }) { $0.title = "Edited" }
        }
        #expect(titles == ["Edited", "Last"])
        client.update(.issues()) { pages in
            pages.insert(Issue(id: 3, title: "New"), in: \.issues, at: 0)
            pages.removeAll(in: \.issues, where: { $0.title == "Last" })
        }
        #expect(titles == ["New", "Edited"])
        #expect(client.value(of: .issues())?.count == 2)
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
        let observer = client.observe(.issues())
        lab.settle()
        client.update(.issues()) { $0 = Pages() }
        #expect(observer.value?.isEmpty == true && observer.value?.hasNext == false)
        #expect(api.calls.count == 1)
        _ = lab.start { [client] in try await client.fetchNextPage(of: .issues()) }
        #expect(observer.value?.count == 1)
        client.remove(.issues())
        lab.settle()
        #expect(observer.value == nil && api.calls.count == 2)
        client.reset(.issues())
        lab.settle()
        #expect(observer.value?.count == 1 && api.calls.count == 3)
    }

    @Test func `a page that fails says so beside the list`() {
        let observer = client.observe(.issues())
        lab.settle()
        api.setReachable(false)
        _ = lab.start { [client] in try await client.fetchNextPage(of: .issues()) }
        #expect(observer.snapshot.nextPage.error != nil)
        #expect(observer.snapshot.error == nil)
        #expect(observer.value?.count == 1)
    }
}
