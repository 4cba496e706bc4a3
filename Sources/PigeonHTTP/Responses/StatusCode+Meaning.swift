extension StatusCode {
    /// What kind of answer it is.
    public var type: StatusCodeType {
        switch rawValue {
        case 100..<200: .informational
        case 200..<300: .success
        case 300..<400: .redirect
        case 400..<500: .clientError
        case 500..<600: .serverError
        default: .invalid
        }
    }

    /// What a status of 400 or more says, or one below 100. Below 400 there is nothing to say, unless something else went
    /// wrong.
    ///
    /// - Parameter cause: What else went wrong.
    public func makeError(cause: (any Error)?) -> ResponseError? {
        switch type {
        case .informational, .success, .redirect: cause.map { .unknown(cause: $0) }
        case .invalid: .unknown(cause: cause)
        case .clientError: clientError(cause: cause)
        case .serverError: serverError(cause: cause)
        }
    }

    private func clientError(cause: (any Error)?) -> ResponseError {
        switch rawValue {
        case 400: .badRequest(cause: cause)
        case 401: .unauthorized(cause: cause)
        case 403: .forbidden(cause: cause)
        case 404: .notFound(cause: cause)
        case 409: .conflict(cause: cause)
        case 422: .unprocessableEntity(cause: cause)
        default: .otherClientError(cause: cause)
        }
    }

    private func serverError(cause: (any Error)?) -> ResponseError {
        switch rawValue {
        case 500: .internalServerError(cause: cause)
        case 503: .serviceUnavailable(cause: cause)
        default: .otherServerError(cause: cause)
        }
    }
}

/// What kind of answer a status is (RFC 9110, 15).
public enum StatusCodeType: Sendable, Hashable {
    /// 100 to 199.
    case informational
    /// 200 to 299.
    case success
    /// 300 to 399.
    case redirect
    /// 400 to 499.
    case clientError
    /// 500 to 599.
    case serverError
    /// Anything else.
    case invalid

    /// Whether the server did what it was asked: 200 to 299, and neither a redirect nor an interim answer.
    public var isSuccessful: Bool { self == .success }
}

extension StatusCode: Hashable {
    /// Whether both have one number.
    public static func == (one: StatusCode, other: StatusCode) -> Bool {
        one.rawValue == other.rawValue
    }

    /// Hashes the number.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue)
    }
}

extension StatusCode: CustomStringConvertible {
    /// The number.
    public var description: String { String(rawValue) }
}
