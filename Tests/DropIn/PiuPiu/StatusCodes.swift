import Foundation
import PigeonFutures
import Testing

@Suite("PiuPiu 1.3.1: status codes")
struct StatusCodesTests {
    private let codes: [(StatusCode, Int)] = [
        (.ok, 200), (.created, 201), (.accepted, 202), (.noContent, 204), (.resetContent, 205),
        (.partialContent, 206), (.multiStatus, 207), (.alreadyReported, 208), (.imUsed, 226),
        (.badRequest, 400), (.unauthorized, 401), (.paymentRequired, 402), (.forbidden, 403), (.notFound, 404),
        (.methodNotAllowed, 405), (.notAcceptable, 406), (.conflict, 409), (.gone, 410), (.lengthRequired, 411),
        (.unsupportedMediaType, 415), (.unprocessableEntity, 422),
        (.internalServerError, 500), (.notImplemented, 501), (.badGateway, 502), (.serviceUnavailable, 503),
        (.gatewayTimeout, 504), (.httpVersionNotSupported, 505), (.other(599), 599),
    ]

    @Test("StatusCode: every case and its number, both ways, and from JSON")
    func numbers() throws {
        for (code, number) in codes {
            #expect(code.rawValue == number && StatusCode(rawValue: number) == code)
            #expect(try JSONDecoder().decode([StatusCode].self, from: Data("[\(number)]".utf8)) == [code])
        }
    }

    @Test("StatusCode: equal by number; other's number can be read")
    func equality() {
        #expect(StatusCode.other(404) == .notFound && StatusCode.ok != .created)
        if case .other(let number) = StatusCode(rawValue: 599) {
            #expect(number == 599)
        } else {
            Issue.record("599 has no name")
        }
    }

    @Test("guide: more statuses have names (P12), so a pattern of other(429) is tooManyRequests")
    func names() {
        // guide: `case .other(429)`
        switch StatusCode(rawValue: 429) {
        case .other: Issue.record("429 has a name")
        case .tooManyRequests: break
        default: Issue.record("429 has another name")
        }
        #expect(StatusCode(rawValue: 429) == .other(429))
        // guide: P12
        #expect(
            [203, 304, 408, 412, 413, 429].map { StatusCode(rawValue: $0) } == [
                .nonAuthoritativeInformation, .notModified, .requestTimeout, .preconditionFailed, .contentTooLarge,
                .tooManyRequests,
            ])
        #expect(Set([StatusCode.ok, .other(200)]).count == 1)
    }

    @Test("StatusCode.makeError: every error")
    func errors() {
        let keys = [
            400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 409: "Conflict",
            422: "UnprocessableEntity", 500: "InternalServerError", 503: "ServiceUnavailable",
            418: "OtherClientError", 599: "OtherServerError", 600: "Unknown", 99: "Unknown",
        ]
        for (number, key) in keys {
            #expect(StatusCode(rawValue: number).makeError(cause: nil)?.errorKey == key)
        }
        #expect(StatusCode.ok.makeError(cause: nil) == nil && StatusCode.other(302).makeError(cause: nil) == nil)
        #expect(StatusCode.ok.makeError(cause: Trouble())?.errorKey == "Unknown")
    }

    @Test("StatusCodeType: every case, by number, and an exhaustive switch")
    func types() {
        let types: [(Int, StatusCodeType)] = [
            (100, .informational), (200, .success), (300, .redirect), (400, .clientError), (500, .serverError),
            (600, .invalid),
        ]
        for (number, type) in types {
            #expect(StatusCode(rawValue: number).type == type)
            switch type {
            case .informational, .success, .redirect, .clientError, .serverError, .invalid: break
            }
        }
        // guide: `StatusCodeType.isSuccessful`
        #expect(types.filter(\.1.isSuccessful).map(\.0) == [200])
    }

    @Test("guide: a switch over a StatusCode needs a default")
    func switches() {
        // guide: a `switch` without a `default` over a `StatusCode`
        switch StatusCode.ok {
        case .ok: break
        case .other: Issue.record("it has a name")
        default: Issue.record("it is ok")
        }
    }
}
