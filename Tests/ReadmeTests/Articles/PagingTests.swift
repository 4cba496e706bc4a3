import Foundation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("Article: page a list", OwnSharedState())
struct PagingArticleTests {
    let api = Backend()

    func list(_ api: Backend) -> PaginatedQuery<Void, NumericPaginatedQueryKey, [Post]> {
        let posts = PaginatedQuery<Void, NumericPaginatedQueryKey, [Post]>(
            key: "posts", firstPage: NumericPaginatedQueryKey(current: 1), behavior: .startImmediately(())
        ) { _, page in
            try await api.posts(page: page.current)
        }
        return posts
    }

    func footer(of posts: PaginatedQuery<Void, NumericPaginatedQueryKey, [Post]>) -> String {
        if posts.isFetchingNextPage { return "loading more…" }
        if posts.nextPageError != nil { return "could not load more; tap to try again" }
        return posts.hasNextPage ? "" : "that was all"
    }

    @Test func `a list grows to its end`() {
        let posts = list(api)
        #expect(posts.items.map(\.title) == ["Post 1"])
        posts.fetchNextPage()
        #expect(posts.items.map(\.title) == ["Post 1", "Post 2"])
        #expect(footer(of: posts) == "")
        posts.fetchNextPage()
        #expect(footer(of: posts) == "that was all")
        #expect(posts.items.count == 2)
        let asked = api.calls.count
        posts.fetchNextPage()
        #expect(api.calls.count == asked)
    }

    @Test func `a page that fails leaves the list, and is asked for again`() {
        let posts = list(api)
        api.setReachable(false)
        posts.fetchNextPage()
        #expect(footer(of: posts) == "could not load more; tap to try again")
        #expect(posts.state.value?.count == 1)
        api.setReachable(true)
        posts.fetchNextPage()
        #expect(posts.items.map(\.title) == ["Post 1", "Post 2"])
        #expect(api.calls == ["posts 1", "posts 2", "posts 2"])
        posts.refetch(())
        #expect(posts.items.map(\.title) == ["Post 1"])
    }

    @Test func `the end may be told by a short page`() {
        let api = api
        let posts = PaginatedQuery<Void, LimitOffsetPaginatedQueryKey, [Post]>(
            key: "posts",
            firstPage: LimitOffsetPaginatedQueryKey(limit: 20, offset: 0),
            behavior: .startImmediately(()),
            isLast: { page, key in page.count < key.limit }
        ) { _, page in
            try await api.posts(page: page.offset / page.limit + 1)
        }
        #expect(posts.items.count == 1)
        #expect(!posts.hasNextPage)
    }

    func feed(_ api: Backend) -> QueryDefinition<Pages<PostPage, String?>> {
        let feed = QueryDefinition.pages("feed") { cursor, _ in
            try await api.posts(after: cursor)
        } next: { page in
            page.next
        }
        return feed
    }

    @Test func `an engine's list goes on by a cursor`() async throws {
        let client = QueryClient()
        let feed = feed(api)
        var titles: [String] = []
        _ = try await client.fetch(feed)
        while client.value(of: feed)?.hasNext == true {
            try await client.fetchNextPage(of: feed)
        }
        titles = client.value(of: feed)?.flatMap { $0.posts.map(\.title) } ?? []
        #expect(titles == ["First", "Last"])
        #expect(api.calls == ["posts after nothing", "posts after c1"])
        _ = try await client.refetch(feed)
        #expect(api.calls.count == 4)
        #expect(client.value(of: feed)?.count == 2)
        try await client.restart(feed)
        #expect(client.value(of: feed)?.count == 1)
    }

    @Test func `an edit finds an item on its page`() async throws {
        let client = QueryClient()
        let feed = feed(api)
        await client.prefetch(feed, pages: 2)
        client.update(feed) { pages in
            pages.update(in: \.posts, where: { $0.title == "First" }) { $0.title = "Edited" }
        }
        #expect(client.value(of: feed)?.flatMap { $0.posts.map(\.title) } == ["Edited", "Last"])
    }

    @Test func `a page that fails says so beside the list`() async throws {
        let lab = QueryLab()
        let (api, feed) = (api, feed(api))
        let observer = lab.client.observe(feed)
        lab.settle()
        api.setReachable(false)
        _ = lab.start { [client = lab.client] in try await client.fetchNextPage(of: feed) }
        #expect(observer.snapshot.nextPage.error != nil)
        #expect(observer.snapshot.error == nil)
        #expect(observer.value?.count == 1)
    }
}
