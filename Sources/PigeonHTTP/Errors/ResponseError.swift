/// What a status of 400 or more says.
public enum ResponseError: Error, Sendable {
    /// 400.
    case badRequest(cause: (any Error)?)
    /// 401.
    case unauthorized(cause: (any Error)?)
    /// 403.
    case forbidden(cause: (any Error)?)
    /// 404.
    case notFound(cause: (any Error)?)
    /// 409.
    case conflict(cause: (any Error)?)
    /// 422.
    case unprocessableEntity(cause: (any Error)?)
    /// 500.
    case internalServerError(cause: (any Error)?)
    /// 503.
    case serviceUnavailable(cause: (any Error)?)
    /// Another status of 400 to 499.
    case otherClientError(cause: (any Error)?)
    /// Another status of 500 to 599.
    case otherServerError(cause: (any Error)?)
    /// A status outside of 100 to 599.
    case unknown(cause: (any Error)?)
}
