import Foundation
import TestServer
import TestSupport
import Testing

@testable import PigeonHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("errors that people can read", .rule("A42", "N3"), .timeLimit(.minutes(1)))
struct ReadableErrorTests {
    private struct Secretive: Error {
        let token = "hush"
    }

    private struct Own: LocalizedError {
        var errorDescription: String? { "In words." }
    }

    private func refusal(_ number: Int) -> ErrorResponse<Data?> {
        let answer = Answer(StatusCode(rawValue: number), headers: ["X": "hush"], body: "hush")
        return ErrorResponse(data: answer.data, response: answer, error: answer.error ?? .unknown(cause: nil))
    }

    @Test("HTTPError, in each of its cases")
    func wrapped() {
        let errors: [HTTPError] = [
            .defect(.invalidMethod("hush")), .transport(URLError(.timedOut)), .transport(URLError(.unknown)),
            .status(refusal(404)), .status(refusal(503)), .bodyTooLarge(limit: 7), .redirection("hush"),
            .other(Secretive()), .cancelled,
        ]
        for error in errors { expectReadable(error) }
        #expect(HTTPError.request(.missingURL).userMessage == RequestError.missingURL.userMessage)
        let empty = SerializationError.unexpectedEmptyResponse
        #expect(HTTPError.decoding(empty, Answer(body: "hush")).userMessage == empty.userMessage)
    }

    @Test("Each other error")
    func plain() {
        let errors: [any Error] = [
            refusal(401), refusal(500), AddressError.invalidBaseURL("hush"), AddressError.invalidPath("hush"),
            RequestDefect.invalidMethod("hush"), RequestDefect.invalidHeader(name: "hush"),
            RequestDefect.invalidBody(reason: "hush"), UnknownCharset(name: "hush"), NoEventStream(contentType: "hush"),
            DownloadError.noFile("hush"), DownloadError.noDirectory("hush"),
            DownloadError.isDirectory("hush"), DownloadError.cannotWrite("hush", reason: "hush"),
            DownloadError.unexpectedPart, TimeZoneTransform.TransformError.invalidIdentifier,
        ]
        for error in errors { expectReadable(error) }
    }

    // In this process, the lists of PiuPiu's names in `Tests/DropIn` conform these types to `LocalizedError`, as an app
    // may, so their `userMessage` is that of the lists.
    @Test("An error of PiuPiu has a text, and leaves LocalizedError to the app")
    func ofPiuPiu() {
        let errors: [any ReadableError] = [
            RequestError.missingServerProvider, RequestError.missingURL, RequestError.invalidURL(cause: Secretive()),
            SerializationError.unexpectedEmptyResponse, SerializationError.failedToDecodeResponseData(cause: nil),
            ResponseError.badRequest(cause: nil), ResponseError.unauthorized(cause: nil),
            ResponseError.forbidden(cause: nil), ResponseError.notFound(cause: nil), ResponseError.conflict(cause: nil),
            ResponseError.unprocessableEntity(cause: nil), ResponseError.internalServerError(cause: nil),
            ResponseError.serviceUnavailable(cause: nil), ResponseError.otherClientError(cause: nil),
            ResponseError.otherServerError(cause: nil), ResponseError.unknown(cause: Secretive()),
        ]
        for error in errors { expectReadable(error.userText.text, of: error) }
    }

    @Test("The text of the error inside is kept")
    func inner() {
        #expect(HTTPError.other(Own()).localizedDescription == "In words.")
        #expect(HTTPError.other(HTTPError.cancelled).localizedDescription == "Request cancelled")
        let system = URLError(.cannotConnectToHost, userInfo: [NSLocalizedDescriptionKey: "In the system's words."])
        #if canImport(FoundationNetworking)
            // What a session of Linux says is libcurl's.
            #expect(HTTPError.transport(system).localizedDescription == "Could not connect to the server.")
        #else
            #expect(HTTPError.transport(system).localizedDescription == "In the system's words.")
        #endif
    }

    @Test(
        "What a server answers is told in words",
        arguments: [
            (400, "The server refused the request."), (401, "Please sign in."),
            (403, "You are not allowed to do this."), (404, "This was not found."),
            (429, "Too many requests. Try again later."), (500, "The server has a problem. Try again later."),
            (503, "The server has a problem. Try again later."),
        ])
    func statuses(status: Int, text: String) async throws {
        try await withLoopback { _ in
            .status(status, body: Data("hush".utf8))
        } test: { server in
            let dispatcher = NetworkDispatcher(baseURL: server.url())
            let error = await #expect(throws: HTTPError.self) {
                try await dispatcher.string(from: BasicRequest(method: .get, path: "/"))
            }
            #expect(error?.localizedDescription == text)
            #expect(error?.userMessage == text)
        }
    }

    private let taken = #"{"message": "The name is taken."}"#

    /// The error of a request whose answer is a refusal with this body.
    private func refusal(_ body: String, reader: HTTPPolicy.MessageReader?) async throws -> HTTPError {
        let mock = MockTransport()
        mock.answer(.get, "/", with: .text(body, status: .unprocessableEntity))
        var policy = HTTPPolicy()
        policy.errorMessage = reader
        let url = try #require(URL(string: "https://h"))
        let dispatcher = NetworkDispatcher(baseURL: url, transport: mock, policy: policy)
        let error = await #expect(throws: HTTPError.self) { try await dispatcher.data(from: .get("/")) }
        return try #require(error)
    }

    @Test("a server's message is shown if the policy reads it, and is in no description", .rule("D13"))
    func serverMessage() async throws {
        let error = try await refusal(taken) { try $0.decode([String: String].self)["message"] }
        #expect(error.userMessage == "The name is taken." && error.localizedDescription == "The name is taken.")
        #expect(error.underlying.userMessage == "The name is taken.")
        #expect(!"\(error)".contains("taken") && !error.label.contains("taken"))
        guard case .status(let answer) = error else { return }
        #expect(ErrorResponse(data: 1, response: answer).userMessage == "The name is taken.")
    }

    @Test("without a message, the text for the status is shown", .rule("D13"))
    func noServerMessage() async throws {
        let text = "The server refused the request."
        #expect(try await refusal(taken, reader: nil).userMessage == text)
        #expect(try await refusal(taken) { _ in nil }.userMessage == text)
        #expect(try await refusal(taken) { _ in "" }.userMessage == text)
        #expect(try await refusal("<html>hush</html>") { try $0.decode([String].self).first }.userMessage == text)
    }

    @Test("downloads have the message too, and a request to another server has not", .rule("D13"))
    func everywhere() async throws {
        let mock = MockTransport()
        mock.answer(nil, "**", with: .text(taken, status: .unprocessableEntity))
        mock.answer(nil, "https://other.example/**", with: .text(taken, status: .unprocessableEntity))
        var policy = HTTPPolicy()
        policy.errorMessage = { try $0.decode([String: String].self)["message"] }
        let url = try #require(URL(string: "https://h"))
        let dispatcher = NetworkDispatcher(baseURL: url, transport: mock, policy: policy)
        let answer = try await dispatcher.response(from: BasicRequest(method: .get, path: "/a"))
        #expect(answer.httpError?.userMessage == "The name is taken.")
        let file = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("refused-download")
        let failed = await #expect(throws: HTTPError.self) {
            try await dispatcher.download(from: BasicRequest(method: .get, path: "/a"), to: file)
        }
        #expect(failed?.userMessage == "The name is taken.")
        mock.answer(.get, "/moved", with: .status(.found, headers: ["Location": "https://other.example/a"]))
        let moved = try await dispatcher.response(from: BasicRequest(method: .get, path: "/moved"))
        #expect(moved.httpError?.userMessage == "The server refused the request.")
        let other = try #require(URL(string: "https://other.example/a"))
        let foreign = try await dispatcher.response(to: TransportRequest(method: .get, url: other), report: nil)
        #expect(foreign.httpError?.userMessage == "The server refused the request.")
    }

    @Test("A server that is not there is told in words")
    func unreachable() async throws {
        let dispatcher = NetworkDispatcher(baseURL: try #require(URL(string: "http://127.0.0.1:1/")))
        let error = await #expect(throws: HTTPError.self) {
            try await dispatcher.string(from: BasicRequest(method: .get, path: "/"))
        }
        #expect(error?.localizedDescription == "Could not connect to the server.")
    }

    @Test("A body that is not what was asked for is told in words")
    func undecodable() async throws {
        try await withLoopback { _ in
            .json("{")
        } test: { server in
            let dispatcher = NetworkDispatcher(baseURL: server.url())
            let error = await #expect(throws: HTTPError.self) {
                let number: Int = try await dispatcher.value(from: BasicRequest(method: .get, path: "/"))
                Issue.record("\(number)")
            }
            #expect(
                error?.localizedDescription == SerializationError.failedToDecodeResponseData(cause: nil).userMessage)
        }
    }
}
