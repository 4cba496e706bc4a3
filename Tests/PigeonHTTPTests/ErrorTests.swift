import Foundation
import TestServer
import TestSupport
import Testing

@testable import PigeonHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Errors")
struct ErrorTests {
    @Test("each error has the key of its own case", .rule("PiuPiu P11"))
    func keys() {
        let cause: (any Error)? = nil
        let errors: [(ResponseError, String)] = [
            (.badRequest(cause: cause), "BadRequest"), (.unauthorized(cause: cause), "Unauthorized"),
            (.forbidden(cause: cause), "Forbidden"), (.notFound(cause: cause), "NotFound"),
            (.conflict(cause: cause), "Conflict"), (.unprocessableEntity(cause: cause), "UnprocessableEntity"),
            (.internalServerError(cause: cause), "InternalServerError"),
            (.serviceUnavailable(cause: cause), "ServiceUnavailable"),
            (.otherClientError(cause: cause), "OtherClientError"),
            (.otherServerError(cause: cause), "OtherServerError"),
            (.unknown(cause: cause), "Unknown"),
        ]
        for (error, key) in errors { #expect(error.errorKey == key) }
        #expect(Set(errors.map { "\($0.0)" }).count == errors.count)
        #expect(RequestError.missingURL.errorKey == "MissingURL")
        #expect(RequestError.missingServerProvider.errorKey == "MissingServerProvider")
        #expect(RequestError.invalidURL(cause: URLError(.badURL)).errorKey == "InvalidURL")
        #expect(SerializationError.unexpectedEmptyResponse.errorKey == "EmptyResponse")
        #expect(SerializationError.failedToDecodeResponseData(cause: nil).errorKey == "InvalidObject")
    }

    @Test("Descriptions say what happened and hold no secret")
    func descriptions() throws {
        let request = TransportRequest(
            method: .get, url: try #require(URL(string: "https://me:hush@h/a?token=hush#hush")),
            headers: ["Authorization": "hush"])
        let answer = Answer(.notFound, headers: ["X": "hush"], body: "hush", request: request)
        let refusal = ErrorResponse(data: answer.data, response: answer, error: .notFound(cause: nil))
        #expect("\(HTTPError.status(refusal))" == "the server answered 404 (to GET https://h/a)")
        #expect("\(refusal)" == "the server answered 404 (to GET https://h/a)")
        #expect(
            "\(HTTPError.decoding(.unexpectedEmptyResponse, answer))"
                == "the answer has no body; decodeIfPresent accepts that (to GET https://h/a)")
        #expect("\(HTTPError.transport(URLError(.timedOut)))" == "no whole answer came: timed out")
        #expect("\(HTTPError.bodyTooLarge(limit: 5))".contains("5 bytes"))
        #expect(!"\(HTTPError.other(Hushed(secret: "hush")))".contains("hush"))
        #expect("\(HTTPError.cancelled)" == "the request was cancelled")
        #expect("\(HTTPError.request(.missingURL))" == "\(RequestError.missingURL)")
        #expect("\(ResponseError.unauthorized(cause: nil))" == "the server answered 401")
        #expect("\(ResponseError.unknown(cause: URLError(.timedOut)))" == "there was no whole answer (timed out)")
    }

    @Test("A failure of TLS is told in words")
    func secureConnections() {
        let codes: [URLError.Code] = [
            .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired,
        ]
        for error in codes.map({ URLError($0) }) {
            #expect(!"\(HTTPError.transport(error))".contains("URLError"))
            #expect(!TransientError.isTransient(error))
        }
        #expect(
            "\(HTTPError.transport(URLError(.secureConnectionFailed)))" == "no whole answer came: no secure connection")
    }

    #if canImport(FoundationNetworking)
        @Test(
            "The session of Linux says in words alone why TLS failed",
            arguments: [
                ("SSL certificate problem: certificate has expired", .serverCertificateHasBadDate),
                ("SSL certificate problem: certificate is not yet valid", .serverCertificateNotYetValid),
                ("SSL certificate problem: self-signed certificate", .serverCertificateUntrusted),
                (
                    "SSL certificate problem: unable to get local issuer certificate",
                    .serverCertificateHasUnknownRoot
                ),
                (
                    "SSL: no alternative certificate subject name matches target host name 'h'",
                    .serverCertificateUntrusted
                ),
                ("OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", .secureConnectionFailed),
                (
                    "OpenSSL/3.0.19: error:0A00045C:SSL routines::tlsv13 alert certificate required",
                    .clientCertificateRequired
                ),
                ("Received HTTP/0.9 when not allowed from tls.example", .unknown),
            ] as [(String, URLError.Code)])
        func causes(text: String, code: URLError.Code) {
            let error = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text])
            #expect(URLError(error, hasHead: false).code == code)
            #expect(URLError(error, hasHead: true).code == .networkConnectionLost)
        }
    #endif

    @Test("A path with a query in it is told without the query; control characters are escapes")
    func plainPaths() {
        #expect(!"\(AddressError.invalidPath("/a\n?token=hush"))".contains("hush"))
        #expect(!"\(AddressError.invalidPath("/a\n?\u{301}token=hush"))".contains("hush"))
        #expect("\(AddressError.invalidPath("/a\u{1B}[2J"))".contains(#"/a\u{1b}[2J"#))
        #expect("\(RequestDefect.invalidHeader(name: String(repeating: "x", count: 5000)))".count < 400)
    }

    @Test(
        "A status is transient when it is 408, 425, 429 or 5xx",
        arguments: [(400, false), (404, false), (408, true), (425, true), (429, true), (500, true), (503, true)])
    func transientStatus(number: Int, isTransient: Bool) {
        let refusal = refusal(number)
        #expect(TransientError.isTransient(refusal) == isTransient)
        #expect(TransientError.isTransient(HTTPError.status(refusal)) == isTransient)
        #expect(HTTPError.status(refusal).statusCode == number)
        #expect((refusal as any TransientErrorType).statusCode == number)
        #expect(refusal.statusCode == StatusCode(rawValue: number))
    }

    @Test("Lost connections are transient; mistakes are not")
    func transience() {
        #expect(HTTPError.transport(URLError(.networkConnectionLost)).isTransient)
        #expect(!HTTPError.transport(URLError(.serverCertificateUntrusted)).isTransient)
        #expect(HTTPError.other(URLError(.timedOut)).isTransient)
        #expect(!HTTPError.request(.missingURL).isTransient)
        #expect(!HTTPError.decoding(.unexpectedEmptyResponse, Answer()).isTransient)
        #expect(!HTTPError.bodyTooLarge(limit: 1).isTransient)
    }

    @Test("Calling off is no failure, however it is told")
    func cancellation() {
        #expect(HTTPError.cancelled.isCancellation)
        #expect(HTTPError.transport(URLError(.cancelled)).isCancellation)
        #expect(HTTPError.other(CancellationError()).isCancellation)
        #expect(!HTTPError.transport(URLError(.timedOut)).isCancellation)
        #expect(!HTTPError.status(refusal(503)).isCancellation)
    }

    @Test("A retry policy obeys the server's Retry-After")
    func retryAfter() {
        let refusal = refusal(503, headers: ["Retry-After": "7"])
        let policy = RetryPolicy.standard
        #expect(policy.wait(after: HTTPError.status(refusal), failures: 0, random: 0) == .seconds(7))
        #expect(policy.wait(after: refusal, failures: 0, random: 0) == .seconds(7))
        #expect(policy.wait(after: HTTPError.status(self.refusal(404)), failures: 0, random: 0) == nil)
    }

    @Test("An answer can be thrown and caught by its type")
    func thrownAnswer() {
        #expect {
            throw refusal(404)
        } throws: {
            ($0 as? ErrorResponse<Data?>)?.statusCode == .notFound
        }
    }

    @Test("the error of a status needs no request, and is the one that a dispatcher throws", .rule("D12"))
    func scripted() async throws {
        let mock = MockTransport()
        mock.answer(.get, "/", with: .text("no", status: .notFound))
        let dispatcher = NetworkDispatcher(baseURL: try #require(URL(string: "https://h")), transport: mock)
        let thrown = await #expect(throws: HTTPError.self) { try await dispatcher.data(from: .get("/")) }
        guard case .status(let real)? = thrown, case .status(let scripted) = HTTPError.status(404, "no") else {
            Issue.record("\(String(describing: thrown))")
            return
        }
        #expect(scripted.statusCode.rawValue == real.statusCode.rawValue && scripted.data == real.data)
        #expect(scripted.error.errorKey == real.error.errorKey && scripted.userMessage == real.userMessage)
        #expect("\(HTTPError.status(404))" == "the server answered 404 (to GET https://scripted.invalid/)")
        #expect(HTTPError.status(503, headers: ["Retry-After": "7"]).retryAfter == .seconds(7))
        #expect(HTTPError.status(503).isTransient && !HTTPError.status(404).isTransient)
        #expect(HTTPError.status(404, message: "Gone fishing.").userMessage == "Gone fishing.")
        guard case .status(let empty) = HTTPError.status(404) else { return }
        #expect(empty.data == nil && empty.httpResponse.statusCode == 404)
    }

    private func refusal(_ number: Int, headers: HTTPHeaders = [:]) -> ErrorResponse<Data?> {
        let answer = Answer(StatusCode(rawValue: number), headers: headers)
        return ErrorResponse(data: nil, response: answer, error: answer.error ?? .unknown(cause: nil))
    }
}

private struct Hushed: Error {
    let secret: String
}
