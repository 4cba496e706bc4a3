import Foundation
import PigeonFutures
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A class of no actor, as the old example has it, in both modes.
private final class Feed {
    private(set) var asked: [Int] = []

    private func fetchPost(forId id: Int) -> ResponseFuture<Post> {
        asked.append(id)
        return ResponseFuture(result: Post())
    }

    func fetchPosts() -> ResponseFuture<[Post]> {
        return ResponseFuture<[Post]>.init {
            return (1...3).map { id in
                fetchPost(forId: id)
            }
        }
    }
}

@MainActor
@Suite("PiuPiu 1.11: joins")
struct Version1_11JoinsTests {
    let screen = Screen()

    private func post() -> ResponseFuture<Post> {
        return ResponseFuture(result: Post())
    }

    private func user(_ id: Int) -> ResponseFuture<User> {
        return ResponseFuture(result: User(id: id))
    }

    private func noUser() -> ResponseFuture<User> {
        return ResponseFuture<User> { future in future.fail(with: Trouble()) }
    }

    @Test("seriesJoin: the second from the first one's value; nil cancels; an error fails")
    func series() async throws {
        let screen = self.screen
        await post().seriesJoin(User.self) { post in
            return self.user(post.userId)
        }
        .success { (post: Post, user: User) in
            screen.show("\(post.id) by \(user.id)")
        }
        .finish()
        await post().seriesJoin(User.self) { _ in return nil }.cancellation { screen.show("cancelled") }.finish()
        await post().seriesJoin(User.self) { _ in self.noUser() }.error { screen.show($0 is Trouble) }.finish()
        #expect(screen.lines == ["1 by 7", "cancelled", "true"])
    }

    @Test("parallelJoin: both at once; an error fails")
    func parallel() async throws {
        let screen = self.screen
        await post().parallelJoin(User.self) {
            return self.user(3)
        }
        .success { (post: Post, user: User) in
            screen.show("\(post.id) and \(user.id)")
        }
        .finish()
        await post().parallelJoin(User.self) { self.noUser() }.error { screen.show($0 is Trouble) }.finish()
        #expect(screen.lines == ["1 and 3", "true"])
    }

    @Test("seriesNullableJoin, parallelNullableJoin: nil is a value")
    func nullable() async throws {
        let (_, one) = try await post().seriesNullableJoin(User.self) { self.user($0.userId) }.fetchResult()
        let (_, two) = try await post().seriesNullableJoin(User.self) { _ in nil }.fetchResult()
        let (_, three) = try await post().parallelNullableJoin(User.self) { self.user(3) }.fetchResult()
        let (_, four) = try await post().parallelNullableJoin(User.self) { nil }.fetchResult()
        #expect([one?.id, two?.id, three?.id, four?.id] == [7, nil, 3, nil])
    }

    @Test("safeSeriesJoin, safeParallelJoin: an error of the second is a value")
    func safe() async throws {
        let (_, one) = try await post().safeSeriesJoin(User.self) { self.user($0.userId) }.fetchResult()
        let (_, two) = try await post().safeSeriesJoin(User.self) { _ in self.noUser() }.fetchResult()
        let (_, three) = try await post().safeParallelJoin(User.self) { self.user(3) }.fetchResult()
        let (_, four) = try await post().safeParallelJoin(User.self) { self.noUser() }.fetchResult()
        let results: [Result<User, Error>] = [one, two, three, four]
        #expect(results.map { try? $0.get().id } == [7, nil, 3, nil])
    }

    @Test("safeSeriesNullableJoin, safeParallelNullableJoin: both are values")
    func safeNullable() async throws {
        let (_, one) = try await post().safeSeriesNullableJoin(User.self) { self.user($0.userId) }.fetchResult()
        let (_, two) = try await post().safeSeriesNullableJoin(User.self) { _ in self.noUser() }.fetchResult()
        let (_, three) = try await post().safeSeriesNullableJoin(User.self) { _ in nil }.fetchResult()
        let (_, four) = try await post().safeParallelNullableJoin(User.self) { self.user(3) }.fetchResult()
        let (_, five) = try await post().safeParallelNullableJoin(User.self) { self.noUser() }.fetchResult()
        let (_, six) = try await post().safeParallelNullableJoin(User.self) { nil }.fetchResult()
        let results: [Result<User, Error>?] = [one, two, three, four, five, six]
        #expect(results.map { $0 == nil } == [false, false, true, false, false, true])
        #expect(results.map { try? $0?.get().id } == [7, nil, nil, 3, nil, nil])
    }

    @Test("the README's joins of answers, with the types of 1.11")
    func answers() async {
        let screen = self.screen
        let dispatcher = MockURLRequestDispatcher { request in
            let users = request.url?.path == "/users"
            return users
                ? try Response.makeMockJSONResponse(with: request, encodable: [User()], statusCode: .ok)
                : try Response.makeMockJSONResponse(with: request, encodable: [Post()], statusCode: .ok)
        }
        let request = URLRequest(url: URL(string: "https://example.com/posts")!, method: .get)
        await dispatcher.dataFuture(from: request)
            .makeHTTPResponse()
            .decoded([Post].self)
            .safeParallelJoin(HTTPResponse<[User]>.self) {
                let url = URL(string: "https://example.com/users")!
                return dispatcher.dataFuture(from: URLRequest(url: url, method: .get))
                    .makeHTTPResponse()
                    .decoded([User].self)
            }
            .success { (posts: HTTPResponse<[Post]>, users: Result<HTTPResponse<[User]>, Error>) in
                screen.show("\(posts.data.count) \(try users.get().data.count)")
            }
            .error { error in
                screen.show(error)
            }
            .finish()
        #expect(screen.lines == ["1 1"])
    }

    @Test("futures of many futures: by an array, a closure, and arguments; in their order")
    func children() async throws {
        let children = { [1, 2, 3].map { ResponseFuture(result: $0) } }
        let array = ResponseFuture<[Int]>(childFutures: children())
        let closure = ResponseFuture<[Int]>(childFuturesCallback: { return children() })
        let trailing = ResponseFuture<[Int]> { return children() }
        let arguments = ResponseFuture<[Int]>(arrayLiteral: children()[0], children()[1], children()[2])
        // guide: a future written as an array of futures, `[a, b]`
        for future in [array, closure, trailing, arguments] {
            #expect(try await future.fetchResult() == [1, 2, 3])
        }
        let added = ResponseFuture(result: [1, 2]).addingSeriesResult { numbers in
            return ResponseFuture(result: numbers.count + 1)
        }
        #expect(try await added.fetchResult() == [1, 2, 3])
        let screen = self.screen
        await ResponseFuture(result: [1]).addingSeriesResult { _ in return nil }
            .cancellation { screen.show("cancelled") }.finish()
        #expect(screen.lines == ["cancelled"])
    }

    @Test("K33: a closure that creates many futures is called at once, and uses its class without self")
    func childrenOfAClass() async throws {
        let feed = Feed()
        let future = feed.fetchPosts()
        #expect(feed.asked == [1, 2, 3])
        #expect(try await future.fetchResult().map(\.id) == [1, 1, 1])
    }

    @Test("guide: cancelling a join reaches both futures (N3, N4)")
    func cancellingJoins() async {
        let screen = self.screen
        let never = ResponseFuture<Int> { _ in }
        let other = ResponseFuture<Int> { _ in }
        never.cancellation { screen.show("first") }
        other.cancellation { screen.show("second") }
        let join = never.parallelJoin(Int.self) { other }
        join.start()
        // guide: N3
        join.cancel()
        await join.finish()
        await never.finish()
        await other.finish()
        #expect(screen.lines.sorted() == ["first", "second"])
    }

    @Test("guide: the first failure of many ends all (N8)")
    func failingChildren() async {
        let children = [
            ResponseFuture(result: 1), ResponseFuture<Int> { _ in throw Trouble() }, ResponseFuture { _ in },
        ]
        // guide: N8
        await #expect(throws: Trouble.self) {
            try await ResponseFuture<[Int]>(childFutures: children).fetchResult()
        }
    }
}
