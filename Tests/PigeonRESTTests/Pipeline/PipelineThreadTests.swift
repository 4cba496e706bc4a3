import Foundation
import PigeonBase
import PigeonHTTP
import PigeonREST
import TestSupport
import Testing

/// Decoding takes long enough to be seen on screen. A task that starts on the main thread stays there until it first
/// suspends, which the task of a load does not do if its response is there at once.
@Suite("Transformers never run on the main thread")
@MainActor
struct PipelineThreadTests {
    private let onMain = Recorder<Bool>()

    private func resource(_ networking: any NetworkingProviderConvertible) -> Resource {
        let service = Service(
            baseURL: "https://api.test", standardTransformers: [.text], networking: networking, client: QueryClient())
        let noting = ResponseContentTransformer { [onMain] (entity: Entity<String>) in
            onMain.append(MainActor.isCurrent)
            return entity.content
        }
        service.configure { $0.pipeline[.model].add(noting) }
        return service.resource("/users/1")
    }

    @Test func `a provider responds on the main thread`() async throws {
        try #require(MainActor.isCurrent)
        let provider = ManualProvider()
        let resource = resource(provider)
        resource.load()
        await until { provider.last != nil }
        provider.last?.answer("Ann")
        await until { resource.typedContent() == "Ann" }
        #expect(onMain.all == [false])
    }

    @Test func `a transport responds without suspending`() async throws {
        try #require(MainActor.isCurrent)
        let transport = MockTransport()
        transport.answer(.get, "/users/1") { _, _ in .data(Data("Ann".utf8), headers: ["Content-Type": "text/plain"]) }
        let resource = resource(transport)
        resource.load()
        await until { resource.typedContent() == "Ann" }
        #expect(onMain.all == [false])
    }
}
