import Foundation
import PigeonHTTP
import Testing

@Suite("Seed 003: futures")
@MainActor
struct SeedFutureTests {
    private let told = Told<String>()
    private nonisolated static let post = #"{"id": 7, "userId": 3}"#

    private func controller(_ body: String = Self.post, status: Int = 200) -> SeedController {
        SeedController(dispatcher(body, status: status), told)
    }

    private nonisolated func dispatcher(_ body: String, status: Int = 200) -> ClosureDispatcher {
        ClosureDispatcher { request in
            request.path.hasPrefix("/users/")
                ? .text(#"{"id": \#(request.path.suffix(1))}"#) : .text(body, status: status)
        }
    }

    /// Waits for what an example starts.
    private func run(_ example: (Latch) -> Void) async {
        let ended = Latch()
        example(ended)
        await ended.wait()
    }

    @Test("Making a request: the response, then completion")
    func request() async {
        await run(controller().makeRequest)
        #expect(told.all == ["post 7", "completion"])
    }

    @Test("An error thrown in a callback triggers the error callback: a status, a body that is not understood")
    func pooled() async {
        await run(controller(status: 404).makeRequest)
        await run(controller("{").makeRequest)
        #expect(told.all.count == 4 && told.all.filter { $0 == "completion" }.count == 2)
        #expect(told.all.filter { $0.hasPrefix("error") }.count == 2)
    }

    @Test("Separating concerns: nothing happens before send; then the posts, or the error")
    func separated() async throws {
        let dispatcher = dispatcher("[\(Self.post)]")
        let posts = SeedController(dispatcher, told).getPosts()
        #expect(dispatcher.asked.all == [])
        #expect(try await posts.value.map(\.id) == [7])
        await #expect(throws: (any Error).self) { try await controller("[]", status: 500).getPosts().value }
    }

    @Test("then, replace and join in a row give the response callback both results")
    func chain() async {
        await run(controller().chain)
        #expect(told.all == ["rich 7 by 3", "completion"])
    }

    @Test("join gives both results")
    func join() async {
        await run(controller().join)
        #expect(told.all == ["7 by 3"])
    }

    @Test("A future of one's own decodes on another thread and comes back, with posts or an error")
    func elsewhere() async throws {
        #expect(try await controller().decodeElsewhere(.text("[\(Self.post)]")).value.map(\.id) == [7])
        await #expect(throws: (any Error).self) { try await controller().decodeElsewhere(.text("{")).value }
    }

    @Test("A request is made when the future is sent; what its closure throws triggers the error callback")
    func wrapped() async {
        let dispatcher = dispatcher("")
        let controller = SeedController(dispatcher, told)
        await run { controller.wrapEncoding({ BasicRequest(method: .post, path: "/made") }, $0) }
        await run { controller.wrapEncoding({ throw Failure(name: "encoding") }, $0) }
        #expect(dispatcher.asked.all == ["POST /made"])
        #expect(told.all == [#"error Failure(name: "encoding")"#])
    }

    @Test("Strong callbacks hold self until the answer, and no longer")
    func strongCallbacks() async {
        let (gate, told) = (Latch(), told)
        weak var watched: SeedController?
        do {
            let controller = SeedController(gated(gate), told)
            watched = controller
            controller.strongCallbacks()
        }
        #expect(watched != nil)
        gate.open()
        await until { watched == nil }
        #expect(told.all == ["posts [7]"])
    }

    @Test("A strong reference to a future with weak callbacks is let go by its completion")
    func strongReference() async {
        let controller = controller("[\(Self.post)]")
        controller.strongReference()
        await until { controller.postResponseFuture == nil }
        #expect(told.all == ["posts [7]"])
    }

    @Test("A strong reference to a future with weak callbacks does not hold its owner")
    func strongReferenceOwner() async {
        let (gate, told) = (Latch(), told)
        weak var watched: SeedController?
        do {
            let controller = SeedController(gated(gate), told)
            watched = controller
            controller.strongReference()
        }
        await until { watched == nil }
        gate.open()
    }

    @Test("PiuPiu P2: the circular reference that the seed warns of is broken by the end")
    func circularReference() async {
        weak var watched: SeedController?
        do {
            let controller = controller("[\(Self.post)]")
            watched = controller
            controller.circularReference()
        }
        await until { watched == nil }
        #expect(told.all == ["posts [7]"])
    }

    @Test("A weak reference to a sent future: the callbacks are triggered, and it becomes nil")
    func weakReference() async {
        let controller = controller()
        await run(controller.weakReference)
        await until { controller.weakResponseFuture == nil }
    }

    @Test("A future that is lost before it is sent does nothing")
    func lostReference() async {
        let dispatcher = dispatcher("")
        let controller = SeedController(dispatcher, told)
        controller.lostReference(told)
        #expect(controller.weakResponseFuture == nil)
        #expect(dispatcher.asked.all == [] && told.all == [])
    }

    @Test("The same chain in a class of no actor")
    nonisolated func service() async throws {
        let (post, user) = try await SeedService(dispatcher("[\(Self.post)]")).firstPost().value
        #expect(post.id == 7 && user.id == 3)
        await #expect(throws: Failure(name: "no posts")) {
            _ = try await SeedService(dispatcher("[]")).firstPost().value
        }
    }

    @Test("decoded, decodedString and safeDecoded")
    nonisolated func decoding() async throws {
        func asked(_ body: String, _ status: Int = 200) -> ResponseFuture<Response<Data?>> {
            dispatcher(body, status: status).future(from: BasicRequest(method: .get, path: "/posts"))
        }
        #expect(try await asked(#"{"id": 1}"#).decoded(SeedUser.self).value.data == SeedUser(id: 1))
        #expect(try await asked("text", 201).decodedString().value.statusCode == .created)
        #expect(try await asked(#"{"id": 1}"#, 400).safeDecoded(SeedUser.self).value.data.get() == SeedUser(id: 1))
        #expect(try await asked("{").safeDecoded(SeedUser.self).map { (try? $0.data.get()) == nil }.value)
        await #expect(throws: ResponseError.self) { _ = try await asked("{}", 404).decoded(SeedUser.self).value }
        await #expect(throws: ResponseError.self) { _ = try await asked("{}", 404).decodedString().value }
        await #expect(throws: SerializationError.self) { _ = try await asked("{").decoded(SeedUser.self).value }
    }

    private func gated(_ gate: Latch) -> ClosureDispatcher {
        ClosureDispatcher { _ in
            await gate.wait()
            return .text("[\(Self.post)]")
        }
    }
}
