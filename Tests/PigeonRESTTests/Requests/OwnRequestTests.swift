import Foundation
import PigeonREST
import Testing

@Suite("Requests of a type of the program's own")
struct OwnRequestTests {
    private let bench = RESTBench()

    @Test("Siesta 21: one becomes the content of a resource, as any other request does")
    func load() async {
        let resource = bench.resource()
        let load = resource.load(using: OwnRequest(bench.resource("/other").request(.get)))
        #expect(load.state == .inProgress)
        #expect(resource.isLoading)
        bench.answer("Ann")
        #expect(await load.response().isNew)
        #expect(resource.body == "Ann")
        #expect(!resource.isLoading)
    }

    @Test("Siesta 12: cancelling its load cancels it")
    func cancel() {
        let load = bench.resource().load(using: OwnRequest(bench.resource("/other").request(.get)))
        load.cancel()
        #expect(bench.asked[0].isCancelled)
    }

    @Test("One can be awaited, and a decorator can return one")
    func decorated() async {
        bench.service.configure("**") { $0.decorateRequests { _, request in OwnRequest(request) } }
        let request = bench.resource().request(.get)
        bench.answer("Ann")
        #expect(await request.response().response.content(Data.self) == Data("Ann".utf8))
        let own = OwnRequest(request)
        #expect(await own.response().response.content(Data.self) == Data("Ann".utf8))
    }
}

/// Forwards everything to another request.
private final class OwnRequest: Request {
    private let base: any Request

    init(_ base: any Request) {
        self.base = base
    }

    var state: RequestState { base.state }
    var progress: Double { base.progress }

    func start() -> any Request {
        base.start()
        return self
    }

    func cancel() {
        base.cancel()
    }

    func repeated() -> any Request { OwnRequest(base.repeated()) }

    func onCompletion(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (ResponseInfo) -> Void
    ) -> any Request {
        base.onCompletion(callback)
        return self
    }

    func onSuccess(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Entity<any Sendable>) -> Void
    ) -> any Request {
        base.onSuccess(callback)
        return self
    }

    func onNewData(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Entity<any Sendable>) -> Void
    ) -> any Request {
        base.onNewData(callback)
        return self
    }

    func onNotModified(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable () -> Void
    ) -> any Request {
        base.onNotModified(callback)
        return self
    }

    func onFailure(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (RequestError) -> Void
    ) -> any Request {
        base.onFailure(callback)
        return self
    }

    func onProgress(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Double) -> Void
    ) -> any Request {
        base.onProgress(callback)
        return self
    }
}
