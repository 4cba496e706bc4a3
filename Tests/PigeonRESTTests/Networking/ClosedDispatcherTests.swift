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
        let info = await service.resource("/users").load().response()
        #expect(info.response.cause(RequestError.Cause.RequestCancelled.self) != nil)
    }
}
