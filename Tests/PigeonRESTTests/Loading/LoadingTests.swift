import Foundation
import PigeonCore
import PigeonHTTP
import PigeonREST
import PigeonTesting
import Testing

@Suite("Loading a resource")
struct LoadingTests {
    @Test("shows what the server sent, and tells observers of each step")
    func load() async throws {
        let transport = MockTransport()
        transport.answer(.get, "/users/:id") { _, values in .text("Ann \(values["id"] ?? "")") }
        let service = Service(baseURL: "https://api.test", networking: transport, client: QueryClient())
        let resource = service.resource("/users/42")
        let log = Locked<[String]>([])
        let owner = Owner()
        resource.addObserver(owner: owner) { resource, event in
            log.withLock { $0.append("\(event) \(resource.isLoading) \(resource.text)") }
        }
        let info = await resource.load().response()
        #expect(info.isNew)
        #expect(resource.text == "Ann 42")
        #expect(log.withLock { $0 } == ["observerAdded false ", "requested true ", "newData(network) false Ann 42"])
        #expect(resource.loadIfNeeded() == nil)
        #expect(service.resource("users/42") === resource)
    }
}

final class Owner: Sendable {}
