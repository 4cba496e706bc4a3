import Foundation
import Pigeon
import PigeonHTTP
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Article: show errors to people")
struct ErrorsTests {
    @Test func `an error has a text for users, and a description for developers`() async throws {
        let mock = MockTransport()
        mock.answer(.get, "/me", with: .error(URLError(.notConnectedToInternet)))
        let url = try #require(URL(string: "https://api.example.com"))
        let dispatcher = NetworkDispatcher(baseURL: url, transport: mock)
        var shown: [String] = []
        func show(_ text: String) { shown.append(text) }
        do {
            let user: User = try await dispatcher.value(from: .get("/me"))
            show(user.name)
        } catch {
            show(error.userMessage)
        }
        #expect(shown == ["The Internet connection appears to be offline."])
        let error = HTTPError.transport(URLError(.notConnectedToInternet))
        #expect(error.localizedDescription == error.userMessage)
        #expect("\(error)" == "no whole answer came: offline")
    }

    @Test func `a server's own message is shown if the policy reads it`() async throws {
        let mock = MockTransport()
        mock.answer(.get, "/me", with: try .json(["message": "The name is taken."], status: .unprocessableEntity))
        let url = try #require(URL(string: "https://api.example.com"))
        var policy = HTTPPolicy()
        policy.errorMessage = { answer in try answer.decode([String: String].self)["message"] }
        let dispatcher = NetworkDispatcher(baseURL: url, transport: mock, policy: policy)
        let error = await #expect(throws: HTTPError.self) { try await dispatcher.data(from: .get("/me")) }
        #expect(error?.userMessage == "The name is taken.")
        #expect(HTTPError.status(422, message: "The name is taken.").userMessage == "The name is taken.")
    }

    @Test func `the page lists each text under its key`() throws {
        let page = try #require(Page.all.first { $0.path.hasSuffix("ShowErrorsToPeople.md") })
        for text in UserText.allCases {
            #expect(page.text.contains("\n| `\(text.key)` | \(text.text(in: "en")) |\n"))
        }
        #expect(page.text.split(separator: "\n").filter { $0.hasPrefix("| `pigeon.") }.count == UserText.allCases.count)
    }
}
