import Foundation
import PigeonHTTP
import TestSupport
import Testing

@Suite("Statuses")
struct StatusCodeTests {
    @Test("every number makes a status that has it, equal to the one written as other", .rule("PiuPiu P12"))
    func numbers() {
        for number in -1...1000 {
            let status = StatusCode(rawValue: number)
            #expect(status.rawValue == number)
            #expect(status == .other(number))
            #expect(status.hashValue == StatusCode.other(number).hashValue)
        }
        #expect(StatusCode.other(200) == .ok)
        #expect(Set<StatusCode>([.ok, .other(200), .created]).count == 2)
        #expect(StatusCode.ok != .created)
    }

    @Test("a number in the code is the status that has it")
    func literals() {
        let statuses: [StatusCode] = [200, 404, 799]
        #expect(statuses == [.ok, .notFound, .other(799)])
        guard case .notFound = statuses[1] else { return #expect(Bool(false), "404 is not its own case") }
        switch StatusCode(rawValue: 422) {
        case 422: break
        default: #expect(Bool(false), "422 is not in its own case")
        }
    }

    @Test("what servers answer every day has a name", .rule("PiuPiu P12"))
    func names() {
        let named: [Int: StatusCode] = [
            203: .nonAuthoritativeInformation, 304: .notModified, 308: .permanentRedirect, 408: .requestTimeout,
            412: .preconditionFailed, 413: .contentTooLarge, 416: .rangeNotSatisfiable, 425: .tooEarly,
            429: .tooManyRequests, 451: .unavailableForLegalReasons, 511: .networkAuthenticationRequired,
        ]
        for (number, status) in named { #expect(status.rawValue == number) }
        let unnamed = (100...599).filter {
            if case .other = StatusCode(rawValue: $0) { true } else { false }
        }
        #expect(unnamed.count == 500 - 61)
    }

    @Test(
        "only 200 to 299 is successful", .rule("PiuPiu P12"),
        arguments: [
            (99, StatusCodeType.invalid), (100, .informational), (199, .informational), (200, .success),
            (299, .success), (300, .redirect), (304, .redirect), (399, .redirect), (400, .clientError),
            (499, .clientError), (500, .serverError), (599, .serverError), (600, .invalid), (-1, .invalid),
        ])
    func types(number: Int, type: StatusCodeType) {
        #expect(StatusCode(rawValue: number).type == type)
        #expect(type.isSuccessful == (200..<300).contains(number))
    }

    @Test(
        "A status of 400 or more makes the error that is named after it",
        arguments: [
            (400, "BadRequest"), (401, "Unauthorized"), (402, "OtherClientError"), (403, "Forbidden"),
            (404, "NotFound"), (409, "Conflict"), (422, "UnprocessableEntity"), (429, "OtherClientError"),
            (499, "OtherClientError"), (500, "InternalServerError"), (501, "OtherServerError"),
            (503, "ServiceUnavailable"), (599, "OtherServerError"), (600, "Unknown"), (0, "Unknown"),
        ])
    func errors(number: Int, key: String) {
        #expect(StatusCode(rawValue: number).makeError(cause: nil)?.errorKey == key)
    }

    @Test("Below 400 there is an error only when there is a cause", arguments: [100, 200, 204, 304, 399])
    func noError(number: Int) {
        #expect(StatusCode(rawValue: number).makeError(cause: nil) == nil)
        let error = StatusCode(rawValue: number).makeError(cause: URLError(.networkConnectionLost))
        guard case .unknown(let cause) = error else { return #expect(Bool(false), "no error") }
        #expect((cause as? URLError)?.code == .networkConnectionLost)
    }

    @Test("A status is its number in JSON")
    func coding() throws {
        let statuses = try JSONDecoder().decode([StatusCode].self, from: Data("[200, 404, 799]".utf8))
        #expect(statuses == [.ok, .notFound, .other(799)])
        #expect(try JSONEncoder().encode(statuses) == Data("[200,404,799]".utf8))
    }
}
