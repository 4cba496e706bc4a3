import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

@Suite("Values")
struct ValueTests {
    private struct User: Codable, Sendable, Equatable {
        var id: Int
        var joined: Date?
    }

    private let server = StubServer()
    private let request = BasicRequest(method: .get, path: "/users/1")

    private func dispatcher(_ answer: TransportResponse<Data>) -> NetworkDispatcher {
        NetworkDispatcher(serverProvider: server, transport: StubTransport { _ in answer })
    }

    @Test("A value is decoded from JSON, with dates as RFC 3339 has them")
    func decoded() async throws {
        let user: User = try await dispatcher(.ok(#"{"id": 1, "joined": "1970-01-01T00:01:00Z"}"#))
            .value(from: request)
        #expect(user == User(id: 1, joined: Date(timeIntervalSince1970: 60)))
    }

    @Test("A decoder of one's own decides")
    func ownDecoder() async throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let user = try await dispatcher(.ok(#"{"id": 1, "joined": 60}"#))
            .value(User.self, from: request, decoder: decoder)
        #expect(user.joined == Date(timeIntervalSince1970: 60))
    }

    @Test("A status that is no success is an error that has the whole answer", arguments: [304, 400, 404, 500, 999])
    func status(_ status: Int) async throws {
        await #expect {
            let _: User = try await dispatcher(.answer(status, ["X-Reason": "none"], #"{"message": "no"}"#))
                .value(from: request)
        } throws: { error in
            guard case HTTPError.status(let answer) = error else { return false }
            return answer.statusCode.rawValue == status && answer.headers["x-reason"] == "none"
                && answer.data == Data(#"{"message": "no"}"#.utf8)
        }
    }

    @Test(
        "A body that is not understood is an error that keeps status and body",
        arguments: ["{", #"{"id": "one"}"#, "\u{0}"])
    func malformed(_ body: String) async throws {
        await #expect {
            let _: User = try await dispatcher(.answer(201, [:], body)).value(from: request)
        } throws: { error in
            guard case HTTPError.decoding(.failedToDecodeResponseData, let answer) = error else { return false }
            return answer.statusCode == .created && answer.data == Data(body.utf8)
        }
    }

    @Test("No body is nil for an optional, and an error for all else", .rule("D7"), arguments: [200, 204])
    func empty(_ status: Int) async throws {
        let user: User? = try await dispatcher(.answer(status)).value(from: request)
        #expect(user == nil)
        await #expect {
            let _: User = try await dispatcher(.answer(status)).value(from: request)
        } throws: { error in
            guard case HTTPError.decoding(.unexpectedEmptyResponse, _) = error else { return false }
            return true
        }
        #expect(try await dispatcher(.answer(status)).string(from: request) == "")
        #expect(try await dispatcher(.answer(status)).data(from: request) == Data())
        try await dispatcher(.answer(status)).send(request)
    }

    @Test("An optional with a body is decoded")
    func present() async throws {
        let user: User? = try await dispatcher(.ok(#"{"id": 3}"#)).value(from: request)
        #expect(user == User(id: 3))
    }

    @Test("A text is read in the character set that the answer names; one that is not known is named")
    func charset() async throws {
        let latin = TransportResponse(
            status: 200, headers: ["Content-Type": "text/plain; charset=ISO-8859-1"], body: Data([0x67, 0xFC, 0x6E]))
        #expect(try await dispatcher(latin).string(from: request) == "gün")
        await #expect {
            try await dispatcher(.ok("x", ["Content-Type": "text/plain; charset=klingon"])).string(from: request)
        } throws: { error in
            guard case HTTPError.decoding(.failedToDecodeResponseData(let cause as UnknownCharset), _) = error else {
                return false
            }
            return cause.name == "klingon"
        }
    }

    @Test("Bytes that are no text in their character set are an error")
    func badText() async throws {
        let broken = TransportResponse(status: 200, headers: [:], body: Data([0xFF, 0xFE, 0x00]))
        await #expect(throws: HTTPError.self) { try await dispatcher(broken).string(from: request) }
    }
}
