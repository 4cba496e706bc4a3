import Foundation
import PigeonFutures
import TestServer
import TestSupport
import Testing

/// The `switch` statements of an app of PiuPiu 1.3 that has its own texts for errors. They have no `default`, so a new
/// case in an enum would break the app's build.
private enum Texts {
    static func text(_ error: RequestError) -> String {
        switch error {
        case .invalidURL(let cause): "no address: \(cause)"
        case .missingServerProvider: "no provider"
        case .missingURL: "no base URL"
        }
    }

    static func text(_ error: SerializationError) -> String {
        switch error {
        case .failedToDecodeResponseData(let cause): "not understood: \(cause.map { "\($0)" } ?? "")"
        case .unexpectedEmptyResponse: "empty"
        }
    }

    static func text(_ error: ResponseError) -> String {
        switch error {
        case .badRequest: "bad request"
        case .unauthorized: "unauthorized"
        case .forbidden: "forbidden"
        case .notFound: "not found"
        case .conflict: "conflict"
        case .unprocessableEntity: "unprocessable"
        case .internalServerError: "internal"
        case .serviceUnavailable: "unavailable"
        case .otherClientError: "client"
        case .otherServerError: "server"
        case .unknown: "unknown"
        }
    }

    static func text(_ type: StatusCodeType) -> String {
        switch type {
        case .informational: "informational"
        case .success: "success"
        case .redirect: "redirect"
        case .clientError: "client"
        case .serverError: "server"
        case .invalid: "invalid"
        }
    }
}

@Suite("Errors as an app of PiuPiu 1.3 switches over them")
struct PiuPiuErrorTests {
    private func address(_ base: String, _ path: String) -> Result<URL, RequestError> {
        Result { () throws(RequestError) in
            try FixedServer(URL(string: base)).url(from: BasicRequest(method: .get, path: path))
        }
    }

    @Test("what is wrong with an address is the cause of an invalid URL", .rule("U12"))
    func addresses() {
        for (base, path, cause) in [
            ("ftp://example.com", "/a", AddressError.invalidBaseURL("ftp://example.com")),
            ("https://example.com", "/a\n", AddressError.invalidPath("/a\n")),
        ] {
            guard case .failure(let error) = address(base, path) else {
                Issue.record("an address of \(base) and \(path)")
                continue
            }
            #expect(Texts.text(error) == "no address: \(cause)" && "\(error)" == "nothing was sent: \(cause)")
            guard case .invalidURL(let found as AddressError) = error else {
                Issue.record("\(error)")
                continue
            }
            #expect(found == cause)
        }
        #expect(address("", "/a").failure.map(Texts.text) == "no base URL")
    }

    @Test("what is wrong with a request whose address is right is no error of its address", .rule("U12"))
    func defects() async throws {
        let dispatcher = MockDispatcher(baseUrl: try .of("https://example.com"), mockStatusCode: .ok)
        let request = BasicRequest(method: .get, path: "/a", headers: ["X-Own": "a\r\nb"])
        await #expect { try await dispatcher.response(from: request) } throws: { error in
            guard case .defect(.invalidHeader(name: "X-Own")) = error as? HTTPError else { return false }
            return true
        }
        await #expect { try await dispatcher.future(from: request).value } throws: { $0 is RequestDefect }
        #expect { try dispatcher.urlRequest(from: request) } throws: { $0 is RequestDefect }
        dispatcher.baseURL = nil
        let sendable = BasicRequest(method: .get, path: "/a")
        #expect { try dispatcher.urlRequest(from: sendable) } throws: { error in
            (error as? RequestError).map(Texts.text) == "no base URL"
        }
    }

    @Test("an unknown character set is a cause of data that cannot be decoded", .rule("U12"))
    func charset() {
        let answer = Answer(headers: ["Content-Type": "text/plain; charset=klingon"], body: "a")
        #expect { try answer.decodeString() } throws: { error in
            guard let error = error as? SerializationError else { return false }
            return Texts.text(error) == #"not understood: the answer's character set "klingon" is not known here"#
                && "\(error)" == #"the answer's character set "klingon" is not known here"#
        }
    }

    @Test("the error of an answer is one of PiuPiu's", .rule("U12"))
    func responseErrors() {
        #expect(StatusCode.notFound.makeError(cause: nil).map(Texts.text) == "not found")
        #expect(StatusCode.tooManyRequests.makeError(cause: nil).map(Texts.text) == "client")
        #expect(Texts.text(StatusCode.notModified.type) == "redirect")
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
