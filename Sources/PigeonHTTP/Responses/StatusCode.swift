/// The status of a response, with the names of IANA's registry (RFC 9110, 15).
///
/// Two statuses are equal if their numbers are. Create one from a number with ``init(rawValue:)``, so that `switch`
/// finds the case for it. ``other(_:)`` is for numbers without a case. A number in the code is a status, too:
///
/// ```swift
/// mock.answer(.get, "/me", with: .status(401), then: try .json(user))
/// ```
public enum StatusCode: Sendable {
    /// 100.
    case `continue`
    /// 101.
    case switchingProtocols
    /// 102.
    case processing
    /// 103.
    case earlyHints
    /// 200.
    case ok
    /// 201.
    case created
    /// 202.
    case accepted
    /// 203.
    case nonAuthoritativeInformation
    /// 204.
    case noContent
    /// 205.
    case resetContent
    /// 206.
    case partialContent
    /// 207.
    case multiStatus
    /// 208.
    case alreadyReported
    /// 226.
    case imUsed
    /// 300.
    case multipleChoices
    /// 301.
    case movedPermanently
    /// 302.
    case found
    /// 303.
    case seeOther
    /// 304.
    case notModified
    /// 305.
    case useProxy
    /// 307.
    case temporaryRedirect
    /// 308.
    case permanentRedirect
    /// 400.
    case badRequest
    /// 401.
    case unauthorized
    /// 402.
    case paymentRequired
    /// 403.
    case forbidden
    /// 404.
    case notFound
    /// 405.
    case methodNotAllowed
    /// 406.
    case notAcceptable
    /// 407.
    case proxyAuthenticationRequired
    /// 408.
    case requestTimeout
    /// 409.
    case conflict
    /// 410.
    case gone
    /// 411.
    case lengthRequired
    /// 412.
    case preconditionFailed
    /// 413.
    case contentTooLarge
    /// 414.
    case uriTooLong
    /// 415.
    case unsupportedMediaType
    /// 416.
    case rangeNotSatisfiable
    /// 417.
    case expectationFailed
    /// 421.
    case misdirectedRequest
    /// 422.
    case unprocessableEntity
    /// 423.
    case locked
    /// 424.
    case failedDependency
    /// 425.
    case tooEarly
    /// 426.
    case upgradeRequired
    /// 428.
    case preconditionRequired
    /// 429.
    case tooManyRequests
    /// 431.
    case requestHeaderFieldsTooLarge
    /// 451.
    case unavailableForLegalReasons
    /// 500.
    case internalServerError
    /// 501.
    case notImplemented
    /// 502.
    case badGateway
    /// 503.
    case serviceUnavailable
    /// 504.
    case gatewayTimeout
    /// 505.
    case httpVersionNotSupported
    /// 506.
    case variantAlsoNegotiates
    /// 507.
    case insufficientStorage
    /// 508.
    case loopDetected
    /// 510.
    case notExtended
    /// 511.
    case networkAuthenticationRequired
    /// A status without a case of its own.
    case other(Int)
}

extension StatusCode: RawRepresentable {
    /// Creates the status with a number.
    public init(rawValue: Int) {
        self = Self.named[rawValue] ?? .other(rawValue)
    }

    /// The cases by their numbers, which ``rawValue`` alone lists.
    private static let named: [Int: StatusCode] = {
        let cases: [StatusCode] = [
            .continue, .switchingProtocols, .processing, .earlyHints, .ok, .created, .accepted,
            .nonAuthoritativeInformation, .noContent, .resetContent, .partialContent, .multiStatus, .alreadyReported,
            .imUsed, .multipleChoices, .movedPermanently, .found, .seeOther, .notModified, .useProxy,
            .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized, .paymentRequired, .forbidden,
            .notFound, .methodNotAllowed, .notAcceptable, .proxyAuthenticationRequired, .requestTimeout, .conflict,
            .gone, .lengthRequired, .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType,
            .rangeNotSatisfiable, .expectationFailed, .misdirectedRequest, .unprocessableEntity, .locked,
            .failedDependency, .tooEarly, .upgradeRequired, .preconditionRequired, .tooManyRequests,
            .requestHeaderFieldsTooLarge, .unavailableForLegalReasons, .internalServerError, .notImplemented,
            .badGateway, .serviceUnavailable, .gatewayTimeout, .httpVersionNotSupported, .variantAlsoNegotiates,
            .insufficientStorage, .loopDetected, .notExtended, .networkAuthenticationRequired,
        ]
        return Dictionary(uniqueKeysWithValues: cases.map { ($0.rawValue, $0) })
    }()

    /// The number.
    public var rawValue: Int {
        switch self {
        case .continue: 100
        case .switchingProtocols: 101
        case .processing: 102
        case .earlyHints: 103
        case .ok: 200
        case .created: 201
        case .accepted: 202
        case .nonAuthoritativeInformation: 203
        case .noContent: 204
        case .resetContent: 205
        case .partialContent: 206
        case .multiStatus: 207
        case .alreadyReported: 208
        case .imUsed: 226
        case .multipleChoices: 300
        case .movedPermanently: 301
        case .found: 302
        case .seeOther: 303
        case .notModified: 304
        case .useProxy: 305
        case .temporaryRedirect: 307
        case .permanentRedirect: 308
        case .badRequest: 400
        case .unauthorized: 401
        case .paymentRequired: 402
        case .forbidden: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .notAcceptable: 406
        case .proxyAuthenticationRequired: 407
        case .requestTimeout: 408
        case .conflict: 409
        case .gone: 410
        case .lengthRequired: 411
        case .preconditionFailed: 412
        case .contentTooLarge: 413
        case .uriTooLong: 414
        case .unsupportedMediaType: 415
        case .rangeNotSatisfiable: 416
        case .expectationFailed: 417
        case .misdirectedRequest: 421
        case .unprocessableEntity: 422
        case .locked: 423
        case .failedDependency: 424
        case .tooEarly: 425
        case .upgradeRequired: 426
        case .preconditionRequired: 428
        case .tooManyRequests: 429
        case .requestHeaderFieldsTooLarge: 431
        case .unavailableForLegalReasons: 451
        case .internalServerError: 500
        case .notImplemented: 501
        case .badGateway: 502
        case .serviceUnavailable: 503
        case .gatewayTimeout: 504
        case .httpVersionNotSupported: 505
        case .variantAlsoNegotiates: 506
        case .insufficientStorage: 507
        case .loopDetected: 508
        case .notExtended: 510
        case .networkAuthenticationRequired: 511
        case .other(let number): number
        }
    }
}

extension StatusCode: ExpressibleByIntegerLiteral {
    /// Creates the status with a number.
    public init(integerLiteral number: Int) {
        self.init(rawValue: number)
    }
}

// The number in JSON, as `RawRepresentable` provides it.
extension StatusCode: Codable {}

extension StatusCode {
    /// The kind of response.
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

    /// Returns the error that a status of 400 or more means, or one below 100. A status in between is an error only
    /// with a cause.
    ///
    /// - Parameter cause: Another error that the response caused.
    public func makeError(cause: (any Error)?) -> ResponseError? {
        switch rawValue {
        case 100..<400: cause.map { .unknown(cause: $0) }
        case 400: .badRequest(cause: cause)
        case 401: .unauthorized(cause: cause)
        case 403: .forbidden(cause: cause)
        case 404: .notFound(cause: cause)
        case 409: .conflict(cause: cause)
        case 422: .unprocessableEntity(cause: cause)
        case 400..<500: .otherClientError(cause: cause)
        case 500: .internalServerError(cause: cause)
        case 503: .serviceUnavailable(cause: cause)
        case 500..<600: .otherServerError(cause: cause)
        default: .unknown(cause: cause)
        }
    }
}

/// The kind of response that a status stands for (RFC 9110, 15).
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
    /// Any other number.
    case invalid

    /// True if the server did what was requested: 200 to 299, without redirects and interim responses.
    public var isSuccessful: Bool { self == .success }
}

extension StatusCode: Hashable {
    /// Returns true if both have the same number.
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
