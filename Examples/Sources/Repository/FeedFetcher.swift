import Foundation
public import PigeonHTTP
public import PigeonStore

/// Asks the server for the posts of a user, a few at a time, from one of them on in both directions.
public struct FeedFetcher: TwoWayPaginationFetcher {
    let api: NetworkDispatcher
    let start: Int
    let pageSize: Int

    /// - Parameters:
    ///   - start: The post that a feed begins with.
    ///   - pageSize: How many posts are asked for at a time.
    public init(api: NetworkDispatcher, start: Int, pageSize: Int) {
        self.api = api
        self.start = start
        self.pageSize = pageSize
    }

    private struct Page: Decodable {
        let posts: [Post]
        let next: String?
        let prev: String?
    }

    /// The first page.
    public func fetch(param userId: Int) async throws -> TwoWayPaginationFetcher.Result.Initial<Post> {
        let page = try await page(of: userId, URLQueryItem(name: "start", value: "\(start)"))
        return Result.Initial(data: page.posts, nextRequestKey: page.next, prevRequestKey: page.prev)
    }

    /// The older posts.
    public func fetchNext(
        nextKey: String, param userId: Int
    ) async throws -> TwoWayPaginationFetcher.Result.Next<Post> {
        let page = try await page(of: userId, URLQueryItem(name: "cursor", value: nextKey))
        return Result.Next(data: page.posts, nextRequestKey: page.next)
    }

    /// The newer posts.
    public func fetchPrev(
        prevKey: String, param userId: Int
    ) async throws -> TwoWayPaginationFetcher.Result.Prev<Post> {
        let page = try await page(of: userId, URLQueryItem(name: "cursor", value: prevKey))
        return Result.Prev(data: page.posts, prevRequestKey: page.prev)
    }

    private func page(of userId: Int, _ place: URLQueryItem) async throws -> Page {
        let items = [
            URLQueryItem(name: "userId", value: "\(userId)"), URLQueryItem(name: "limit", value: "\(pageSize)"), place,
        ]
        return try await api.value(from: .get("/timeline", queryItems: items))
    }
}
