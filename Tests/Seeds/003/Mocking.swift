import Foundation
import PigeonFutures
import SeedSupport
import TestSupport
import Testing

extension Seed003 {
    @MainActor
    struct Mocking {
        private let codable = Post(id: 7, userId: 3)

        // "Mock Dispatcher"
        @Test func `an answer is made up, and nobody is asked`() async throws {
            // [003.32
            let url = URL(string: "https://jsonplaceholder.typicode.com")!
            let dispatcher = MockDispatcher(baseUrl: url, mockStatusCode: .ok)
            let request = BasicRequest(method: .get, path: "/posts")
            try dispatcher.setMockData(codable)

            /// The url specified is not actually called.
            dispatcher.future(from: request).send()
            // 003.32]
            await until { dispatcher.requests.count == 1 }
            let response = try await dispatcher.future(from: request).value
            #expect(response.statusCode == .ok && response.error == nil)
            #expect(try response.decode(Post.self) == codable)
            #expect(dispatcher.requests.map(\.url.absoluteString) == Array(repeating: "\(url)/posts", count: 2))
        }
    }
}
