import Foundation
import PigeonHTTP
import TestServer
import Testing

@Suite("Printing")
struct DescriptionTests {
    @Test("Printing a request or an answer shows no header value, no query and no body")
    func noSecrets() async throws {
        var request = BasicRequest(
            method: .post, path: "/login", queryItems: [URLQueryItem(name: "token", value: "secret")],
            headers: ["Authorization": "Bearer secret"])
        request.httpBody = Data("secret".utf8)
        let url = try #require(URL(string: "https://user:secret@example.com"))
        let transport = StubTransport { _ in .ok("secret", ["Set-Cookie": "secret"]) }
        let response = try await NetworkDispatcher(baseURL: url, transport: transport).response(from: request)
        let sent = try #require(transport.requests.first)
        for printed in ["\(request)", "\(sent)", "\(response)", String(reflecting: request), String(reflecting: sent)] {
            #expect(!printed.contains("secret"))
            #expect(printed.contains("POST"))
            #expect(printed.contains("/login"))
        }
        #expect("\(response)".hasPrefix("200"))
    }
}
