package import PigeonCore

/// The result of a request: the entity from the server, processed by the pipeline, or an error.
public typealias Response = Result<Entity<any Sendable>, RequestError>

/// Another name of ``Response``, which no type of `PigeonHTTP` has. Use it where both modules are imported.
public typealias ResourceResponse = Response

extension Response {
    /// True if the request was cancelled, by the program or by its session.
    public var isCancellation: Bool {
        guard case .failure(let error) = self else { return false }
        return error.isCancellation
    }
}

/// A response, with details such as whether it is new.
public struct ResponseInfo: Sendable {
    /// The result of the request.
    public var response: Response

    /// False if the server has confirmed with a 304 response that the known content is still current. True for all
    /// other responses.
    public var isNew: Bool

    /// The key of the resource that the server was asked for. The response may be cached only for this resource.
    package var source: QueryKey?

    /// The entities that a load with this response may write to persistent caches. `nil` if the response may not be
    /// cached.
    package var cacheWrites: [CacheWrite]?

    /// The content that a 304 response has confirmed.
    package var validated: Payload?

    /// The time for which the response is fresh, if the server specified one.
    package var freshFor: Duration?

    /// True if the response comes from a persistent cache, and no server was asked.
    package var isCached = false

    /// Creates the information about a response.
    public init(response: Response, isNew: Bool = true) {
        self.response = response
        self.isNew = isNew
    }
}

extension ResponseInfo {
    package var isCancellation: Bool { response.isCancellation }

    var summary: String {
        switch response {
        case .success(let entity): isNew ? "received \(entity.contentType)" : "not modified"
        case .failure(let error): "\(error)"
        }
    }
}
