import PigeonREST
import Testing

import class PigeonHTTP.URLRequestDispatcher

@Suite("A service whose dispatcher was closed")
struct ClosedDispatcherTests {
    @Test("Loads nothing, as the dispatcher sends no later requests")
    func closed() async {
        let dispatcher = URLRequestDispatcher()
        let service = Service(baseURL: "http://127.0.0.1:9", networking: dispatcher)
        dispatcher.finishTasksAndInvalidate()
        let error = await #expect(throws: RequestError.self) { try await service.resource("/users").loaded() }
        #expect(error?.isCancellation == true)
    }
}
