import Foundation
import Pigeon
import PigeonTesting
import Testing

@MainActor
@Suite("Article: test lists of pages")
struct PageTestingTests {
    let lab = QueryLab()

    @Test func `a list grows, fails to grow, and ends`() {
        let server = lab.fetcher(returning: [Post].self)
        let definition: QueryDefinition<Pages<[Post], Int>> = .pages("posts", first: 1) { page, _ in
            try await server.call("posts", page)
        } next: { posts, page in
            posts.isEmpty ? nil : page + 1
        }
        let posts = PaginatedQuery(definition, client: lab.client)
        server.succeed(with: [Post(title: "First")])
        posts.fetchNextPage()
        #expect(posts.isFetchingNextPage)
        server.succeed(with: [Post(title: "Second")])
        #expect(posts.items.map(\.title) == ["First", "Second"])
        #expect(server.calls.map(\.key) == ["posts/1", "posts/2"])

        posts.fetchNextPage()
        server.fail(with: URLError(.timedOut))
        #expect(posts.nextPageError is URLError)
        #expect(posts.items.count == 2)
        posts.fetchNextPage()
        server.succeed(with: [])
        #expect(!posts.hasNextPage)
        #expect(server.calls.map(\.key) == ["posts/1", "posts/2", "posts/3", "posts/3"])
    }

    @Test func `a page is awaited when it has its answer`() async throws {
        let server = lab.fetcher(returning: [Post].self)
        let definition: QueryDefinition<Pages<[Post], Int>> = .pages("posts", first: 1) { page, _ in
            try await server.call("posts", page)
        } next: { posts, page in
            posts.isEmpty ? nil : page + 1
        }
        let posts = PaginatedQuery(definition, client: lab.client)
        server.succeed(with: [Post(title: "First")])
        server.succeed(with: [Post(title: "Second")])
        try await lab.run { try await posts.nextPage() }
        #expect(posts.items.count == 2)
    }

    @Test func `a list of the engine grows, and is loaded again`() {
        let server = lab.fetcher(returning: PostPage.self)
        let feed: QueryDefinition<Pages<PostPage, String?>> = .pages("feed") { cursor, _ in
            try await server.call(cursor)
        } next: { page in
            page.next
        }
        let screen = PaginatedQuery(feed, items: \.posts, client: lab.client)
        let observer = lab.client.observe(feed)
        server.succeed(with: PostPage(posts: [Post(title: "First")], next: "c1"))
        let next = lab.start { [client = lab.client] in try await client.fetchNextPage(of: feed) }
        server.succeed(with: PostPage(posts: [Post(title: "Last")]))
        #expect(next.value?.count == 2)
        #expect(observer.value?.hasNext == false)
        #expect(screen.items.map(\.title) == ["First", "Last"])
        #expect(server.calls.map(\.arguments) == [["nil"], ["c1"]])

        let refetch = lab.start { [client = lab.client] in try await client.refetch(feed) }
        server.succeed(with: PostPage(posts: [Post(title: "New")], next: "c1"))
        #expect(observer.value?.first?.posts.first?.title == "First")
        server.succeed(with: PostPage(posts: [Post(title: "Last")]))
        #expect(observer.value?.first?.posts.first?.title == "New")
        #expect(refetch.value?.count == 2)
    }
}
