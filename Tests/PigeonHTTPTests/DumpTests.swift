import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Printing requests and answers")
struct DumpTests {
    private let answer = Answer(
        .unauthorized, headers: ["Content-Type": "text/plain", "Set-Cookie": "id=hush"], body: "hush",
        request: TransportRequest(
            method: .post, url: URL(string: "https://me:hush@h/login?token=hush&a=1") ?? URL(fileURLWithPath: "/"),
            headers: ["Accept": "*/*", "Authorization": "Bearer hush"], body: .data(Data("password=hush".utf8))))

    @Test("credentials and bodies are held back", .rule("PiuPiu P17"))
    func redacted() {
        let expected = """
            POST https://<redacted>@h/login?token=<redacted>&a=1
            Accept: */*
            Authorization: <redacted>
            (13 bytes)

            401
            Content-Type: text/plain
            Set-Cookie: <redacted>
            (4 bytes)
            """
        #expect(answer.dump() == expected)
    }

    @Test("What is asked for is shown")
    func shown() {
        let expected = """
            POST https://me:hush@h/login?token=hush&a=1
            Accept: */*
            Authorization: Bearer hush
            password=hush

            401
            Content-Type: text/plain
            Set-Cookie: id=hush
            hush
            """
        #expect(answer.dump(showing: [.secrets, .body]) == expected)
    }

    @Test(
        "an answer without a body or with one that is no text, and a request without an address, are no end",
        .rule("PiuPiu P17")
    )
    func missing() throws {
        #expect(Answer().responseDump() == "200\nno body")
        #expect(Answer(body: Data([0xFF])).responseDump(showing: .body) == "200\n(1 bytes)")
        var request = URLRequest(url: URL(fileURLWithPath: "/"))
        request.url = nil
        let head = try #require(
            HTTPURLResponse(url: URL(fileURLWithPath: "/"), statusCode: 200, httpVersion: nil, headerFields: nil))
        let answer = Response<Data?>(data: nil, httpResponse: head, urlRequest: request, statusCode: .ok, error: nil)
        #expect(answer.requestDump() == "no request")
        #expect(answer.curl() == nil)
        answer.debug()
        answer.printRequest()
        answer.printResponse()
    }
}
