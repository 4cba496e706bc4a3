import Foundation
import PigeonCore
import TestSupport
import Testing

/// The snippets of the guide from swift-operation, compiled and run: its posts, likes and feed.
@Suite("Coming from swift-operation")
struct MigrationFromSwiftOperation {
    struct FeedPage: Equatable, Sendable {
        let posts: [Post]
        let skip: Int
        let total: Int

        static func load(limit: Int, skip: Int) async throws -> FeedPage {
            let ids = (skip..<min(skip + limit, 15))
            return FeedPage(posts: ids.map { Post(title: "Post \($0)") }, skip: skip, total: 15)
        }
    }

    enum Relationship { case none, requested }

    struct Friends: Sendable, Equatable {
        var relationships: [Int: Relationship] = [:]
        mutating func setRelationship(to id: Int, _ relationship: Relationship) { relationships[id] = relationship }
    }

    struct Busy: Error {}

    /// Answers likes when it is told to.
    actor Server {
        private let isBusy: Bool
        private var isOpen = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(isBusy: Bool) { self.isBusy = isBusy }

        func setLike(_ id: Int, _ isLike: Bool) async throws {
            if !isOpen { await withCheckedContinuation { waiting.append($0) } }
            if isBusy { throw Busy() }
        }

        func open() {
            isOpen = true
            for waiter in waiting { waiter.resume() }
            waiting = []
        }
    }

    @TaskLocal static var server = Server(isBusy: true)

    struct Interact: Mutating {
        var postID: Int
        var isLike: Bool

        func run(_ context: MutationContext) async throws {
            try await server.setLike(postID, isLike)
        }
        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update(.post(postID)) { [isLike] in $0?.setLike(isLike) }
        }
        func invalidates(_ output: Void) -> [KeyFilter] { [.path("posts", postID)] }
    }
}

typealias FeedPage = MigrationFromSwiftOperation.FeedPage
typealias Friends = MigrationFromSwiftOperation.Friends

extension Post {
    static func load(_ id: Int) async throws -> Post? { id == 1 ? Post(title: "Hello") : nil }

    var isLiked: Bool { title.hasSuffix(" ♥") }

    mutating func setLike(_ isLike: Bool) {
        guard isLike != isLiked else { return }
        title = isLike ? title + " ♥" : String(title.dropLast(2))
    }
}

extension QueryDefinition where Value == Post? {
    static func post(_ id: Int) -> Self {
        QueryDefinition("posts", id) { _ in try await Post.load(id) }.retry(.standard)
    }
}

extension QueryDefinition where Value == Pages<FeedPage, Int> {
    static var feed: Self {
        .pages("feed", first: 0) { page, _ in
            try await FeedPage.load(limit: 10, skip: page * 10)
        } next: { last, page in
            last.skip + last.posts.count < last.total ? page + 1 : nil
        }
    }
}

extension QueryDefinition where Value == Friends {
    static func friends(of id: Int) -> Self { QueryDefinition("user-friends", id) { _ in Friends() } }
}

extension MigrationFromSwiftOperation {
    @Test func `a post is fetched and watched`() async throws {
        let shown = Locked<[String]>([])
        func show(_ text: String) { shown.withLock { $0.append(text) } }
        func show(_ post: Post, isLoading: Bool, problem: (any Error)?) { show(post.title) }
        func showSpinner() { show("…") }
        let task = Task {
            let client = QueryClient()
            let post = try await client.fetch(.post(1))
            for await snapshot in client.observe(.post(1)) {
                switch snapshot.phase {
                case .pending: showSpinner()
                case .content(let post?): show(post, isLoading: snapshot.isFetching, problem: snapshot.error)
                case .content(nil): show("Post not found")
                case .failure(let error): show("Error: \(error)")
                }
            }
            return post
        }
        await until { !shown.withLock({ $0.isEmpty }) }
        task.cancel()
        let post = try await task.value
        #expect(post == Post(title: "Hello"))
        #expect(shown.withLock { $0.first } == "Hello")
    }

    @Test(arguments: [false, true])
    func `a like is shown before it is confirmed, and goes when it fails`(isBusy: Bool) async throws {
        let server = Server(isBusy: isBusy)
        let client = QueryClient()
        try client.set(Post(title: "Hello"), for: .post(1))
        let task = Self.$server.withValue(server) { Task { try await like(client) } }
        await until { client.value(of: .post(1))??.isLiked == true }
        #expect(client.snapshot(of: .post(1)).isOptimistic)
        await server.open()
        let result = await task.result
        #expect((try? result.get()) == nil ? isBusy : !isBusy)
        #expect(client.value(of: .post(1))??.title == (isBusy ? "Hello" : "Hello ♥"))
    }

    private func like(_ client: QueryClient) async throws {
        try await client.mutate(Interact(postID: 1, isLike: true))
    }

    @Test func `a feed is read to its end`() async throws {
        let client = QueryClient()
        try await client.fetchNextPage(of: .feed)
        let feed = try await client.fetchNextPage(of: .feed)
        let posts = feed.flatMap(\.posts)
        #expect(posts.count == 15)
        #expect(!feed.hasNext)
    }

    @Test func `many are invalidated and edited at once`() async throws {
        let client = QueryClient()
        _ = try await client.fetch(.friends(of: 42))
        await client.invalidate(.path("user-friends"))
        client.update(.friends(of: 42)) { $0.setRelationship(to: 7, .requested) }
        #expect(client.value(of: .friends(of: 42))?.relationships == [7: .requested])
    }

    /// What the tables of the guide spell.
    private func spellings(_ client: QueryClient, _ environment: QueryEnvironment) async throws {
        let post = QueryDefinition<Post?>.post(1)
        _ = try await client.refetch(.post(1))
        _ = (client.value(of: .post(1)), client.snapshot(of: .post(1)).activity)
        let watched = client.observe(.post(1)).onChange { _ in }
        watched.cancel()
        client.reset(.key("posts", 1))
        client.remove(.path("posts"))
        try await client.clear()
        client.setDefaults(for: "posts") { $0.retry = .never }
        _ = [
            post.retry(RetryPolicy(limit: 3, delay: { _ in .seconds(1) })), post.staleAfter(.seconds(30)),
            post.staleAfter { $0 == nil ? .zero : .minutes(1) }, post.enabled(false), post.refetchOnReconnect(.never),
            post.refetchOnForeground(.ifStale), post.networkMode(.always), post.keepFor(.seconds(300)),
            post.placeholder(nil), post.initial(nil), post.poll(every: .seconds(10)), post.persisted(),
        ]
        client.observe(post).setEnabled(false)
        _ = (QueryClient(options: QueryOptions(), budget: 1 << 20), environment.memoryPressure.isOn)
        let feed = try await client.refetch(.feed)
        let first = try await client.restart(.feed)
        _ = try await (feed, first, client.fetchPreviousPage(of: .feed))
        _ = client.onEvent { _ in }
    }
}
