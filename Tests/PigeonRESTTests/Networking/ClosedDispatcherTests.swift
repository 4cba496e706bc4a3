import Foundation
import PigeonREST
import Testing

import class PigeonHTTP.NetworkDispatcher

@Suite("A service whose dispatcher was closed")
struct ClosedDispatcherTests {
    @Test("Loads nothing, as the dispatcher sends no later requests")
    func closed() async throws {
        let dispatcher = NetworkDispatcher(baseURL: try #require(URL(string: "http://127.0.0.1:9")))
        let service = Service(baseURL: "http://127.0.0.1:9", networking: dispatcher)
        dispatcher.close()
        let error = await #expect(throws: RequestError.self) { try await service.resource("/users").loaded() }
        #expect(error?.isCancellation == true)
    }
}
