public import PigeonBase

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

    /// Creates an info.
    public init(response: Response, isNew: Bool = true) {
        self.response = response
        self.isNew = isNew
    }
}
