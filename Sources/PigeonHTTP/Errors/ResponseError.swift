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
    public var errorKey: String {
        switch self {
        case .badRequest: "BadRequest"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "NotFound"
        case .conflict: "Conflict"
        case .unprocessableEntity: "UnprocessableEntity"
        case .internalServerError: "InternalServerError"
        case .serviceUnavailable: "ServiceUnavailable"
        case .otherClientError: "OtherClientError"
        case .otherServerError: "OtherServerError"
        case .unknown: "Unknown"
        }
    }

    /// Another error that the response caused.
    public var cause: (any Error)? {
        switch self {
        case .badRequest(let cause), .unauthorized(let cause), .forbidden(let cause), .notFound(let cause),
            .conflict(let cause), .unprocessableEntity(let cause), .internalServerError(let cause),
            .serviceUnavailable(let cause), .otherClientError(let cause), .otherServerError(let cause),
            .unknown(let cause):
            cause
        }
    }

    /// The status, if the case has only one.
    private var number: Int? {
        switch self {
        case .badRequest: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .notFound: 404
        case .conflict: 409
        case .unprocessableEntity: 422
        case .internalServerError: 500
        case .serviceUnavailable: 503
        case .otherClientError, .otherServerError, .unknown: nil
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
            default: number.map { "the server answered \($0)" } ?? "the server answered with an invalid status"
            }
        return status + (cause.map { " (\(TransientError.label($0)))" } ?? "")
    }
}

extension ResponseError: ReadableError {
    package var userText: UserText {
        switch self {
        case .otherClientError: .refused
        case .otherServerError: .serverTrouble
        default: number.map(UserText.init(status:)) ?? .badAnswer
        }
    }
}
