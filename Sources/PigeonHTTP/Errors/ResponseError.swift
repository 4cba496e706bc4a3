/// The meaning of a status of 400 or more.
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

extension ResponseError {
    /// The case's name, as a key for texts of the app. An app that conforms the type to `LocalizedError` replaces the
    /// library's text for users, which is `userMessage`.
    public var errorKey: String { facts.key }

    /// Another error that the response caused.
    public var cause: (any Error)? { facts.cause }

    /// The case's name, its status if it has only one, and its cause.
    private var facts: (key: String, status: Int?, cause: (any Error)?) {
        switch self {
        case .badRequest(let cause): ("BadRequest", 400, cause)
        case .unauthorized(let cause): ("Unauthorized", 401, cause)
        case .forbidden(let cause): ("Forbidden", 403, cause)
        case .notFound(let cause): ("NotFound", 404, cause)
        case .conflict(let cause): ("Conflict", 409, cause)
        case .unprocessableEntity(let cause): ("UnprocessableEntity", 422, cause)
        case .internalServerError(let cause): ("InternalServerError", 500, cause)
        case .serviceUnavailable(let cause): ("ServiceUnavailable", 503, cause)
        case .otherClientError(let cause): ("OtherClientError", nil, cause)
        case .otherServerError(let cause): ("OtherServerError", nil, cause)
        case .unknown(let cause): ("Unknown", nil, cause)
        }
    }
}

extension ResponseError: PlainlyDescribedError {
    /// Describes the status for logs.
    public var description: String {
        let status =
            switch self {
            case .otherClientError: "the server answered with a status of 400 to 499"
            case .otherServerError: "the server answered with a status of 500 to 599"
            case .unknown where cause != nil: "there was no whole answer"
            default: facts.status.map { "the server answered \($0)" } ?? "the server answered with an invalid status"
            }
        return status + (cause.map { " (\(TransientError.label($0)))" } ?? "")
    }
}

extension ResponseError: ReadableError {
    package var userText: UserText {
        switch self {
        case .otherClientError: .refused
        case .otherServerError: .serverTrouble
        default: facts.status.map(UserText.init(status:)) ?? .badAnswer
        }
    }
}
