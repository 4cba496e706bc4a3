import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import Testing

@Suite("Loading a resource")
struct LoadingTests {
    @Test("shows what the server sent, and tells observers of each step")
    func load() async throws {
        let provider = ManualProvider()
        let service = Service(
            baseURL: "https://api.test", networking: provider, client: QueryClient(), callbacks: .immediate)
        service.configure { $0.expirationTime = 3600 }  // on a real clock, beside thousands of other tests
        let resource = service.resource("/users/42")
        let log = Locked<[String]>([])
        let owner = Owner()
        resource.addObserver(owner: owner) { resource, event in
            log.withLock { $0.append("\(event) \(resource.isLoading) \(resource.text)") }
        }
        let load = resource.load()
        #expect(provider.last?.url == "https://api.test/users/42")
        provider.last?.answer("Ann 42")
        let info = await load.response()
        #expect(info.isNew)
        #expect(resource.text == "Ann 42")
        #expect(log.withLock { $0 } == ["observerAdded false ", "requested true ", "newData(network) false Ann 42"])
        #expect(resource.loadIfNeeded() == nil)
        #expect(service.resource("users/42") === resource)
    }
}

final class Owner: Sendable {}
