package import PigeonCore

/// How a request ended: what the server sent, gone through the pipeline, or why there is nothing of it.
public typealias Response = Result<Entity<any Sendable>, RequestError>

extension Response {
    /// Whether the request was cancelled, by the program or by the session it ran on.
    public var isCancellation: Bool {
        guard case .failure(let error) = self else { return false }
        return error.isCancellation
    }
}

/// A response, and whether it is news.
public struct ResponseInfo: Sendable {
    /// How the request ended.
    public var response: Response

    /// Whether the response differs from what was known: `false` when the server said 304.
    public var isNew: Bool

    /// The key of the resource that a server was asked for: what it says may be kept as that resource's.
    package var source: QueryKey?

    /// What of it may be kept in persistent caches, by a load that it is the answer of.
    package var cacheWrites: [CacheWrite] = []

    /// What was there when a server said that nothing has changed since.
    package var validated: Payload?

    /// How long the server said that it is fresh.
    package var freshFor: Duration?

    /// Whether a persistent cache had it, and no server was asked.
    package var isCached = false

    /// Creates an info.
    public init(response: Response, isNew: Bool = true) {
        self.response = response
        self.isNew = isNew
    }
}

extension ResponseInfo {
    /// Whether it came of a cancellation.
    package var isCancellation: Bool { response.isCancellation }

    /// What happened, for logs.
    var summary: String {
        switch response {
        case .success(let entity): isNew ? "received \(entity.contentType)" : "not modified"
        case .failure(let error): "\(error)"
        }
    }
}
