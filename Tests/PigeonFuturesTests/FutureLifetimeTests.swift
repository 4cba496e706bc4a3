import PigeonFutures
import TestServer
import TestSupport
import Testing

@Suite("What futures hold, and for how long")
struct FutureLifetimeTests {
    /// An object that closures capture.
    private final class Owner: Sendable {
        let future = Locked<ResponseFuture<Int>?>(nil)
        func touch() {}
    }

    private typealias Make = @Sendable (Owner) -> ResponseFuture<Int>

    /// A weak reference that closures can share.
    private final class WeakReference: Sendable {
        private struct Reference {
            weak var future: ResponseFuture<Int>?
        }

        private let reference = Locked(Reference())

        var future: ResponseFuture<Int>? { reference.withLock { $0.future } }

        func set(_ future: ResponseFuture<Int>) { reference.withLock { $0.future = future } }
    }

    private static func gated(_ gate: Gate) -> ResponseFuture<Int> {
        ResponseFuture<Int>(operation: { _ in
            await gate.wait()
            try Task.checkCancellation()
            return 1
        })
    }

    /// A future with the owner captured in closures of all kinds.
    private static func full(_ owner: Owner, _ gate: Gate) -> ResponseFuture<Int> {
        gated(gate)
            .success { _ in owner.touch() }.error { _ in owner.touch() }.completion { owner.touch() }
            .cancellation { owner.touch() }.progress { _ in owner.touch() }.result { _ in owner.touch() }
            .then { value -> Int in
                owner.touch()
                return value
            }
            .replace { value -> ResponseFuture<Int> in
                owner.touch()
                return ResponseFuture(result: value)
            }
            .join { value -> ResponseFuture<Int> in
                owner.touch()
                return ResponseFuture(result: value)
            }
            .then { one, two -> Int in
                owner.touch()
                return one + two
            }
            .join { gated(gate).success { _ in owner.touch() } }
            .then { $0 + $1 }
            .timeout(.seconds(1000))
            .completion { owner.touch() }
    }

    @Test("ended, a future holds nothing that its closures captured, though it is held itself", .rule("PiuPiu P2"))
    func ended() async throws {
        let gate = Gate()
        var owner: Owner? = Owner()
        weak let watched = owner
        let future = try Self.full(#require(owner), gate)
        owner = nil
        gate.open()
        #expect(try await future.value == 3)
        await until { watched == nil }
        #expect(future.status == .success)
    }

    @Test("cancelled, a future holds nothing that its closures captured", .rule("PiuPiu P2"), arguments: [true, false])
    func cancelled(isStarted: Bool) async throws {
        let gate = Gate()
        var owner: Owner? = Owner()
        weak let watched = owner
        let future = try Self.full(#require(owner), gate)
        if isStarted { future.start() }
        owner = nil
        future.cancel()
        await future.finished()
        await until { watched == nil }
        #expect(future.status == .cancelled)
    }

    @Test("never started, a future goes with its handle", .rule("PiuPiu P2"))
    func neverStarted() async throws {
        var owner: Owner? = Owner()
        weak let watched = owner
        do {
            let future = try Self.full(#require(owner), Gate())
            #expect(future.status == .created)
        }
        owner = nil
        await until { watched == nil }
    }

    @Test("the completion's captures go with the completion", .rule("PiuPiu N5"))
    func completion() async throws {
        var owner: Owner? = Owner()
        weak let watched = owner
        let future = ResponseFuture(result: 1)
        do {
            let owner = try #require(owner)
            future.completion { owner.touch() }
        }
        owner = nil
        #expect(try await future.value == 1)
        await until { watched == nil }
    }

    @Test("an ended stage does not hold the futures before it, nor their values", .rule("PiuPiu P2"))
    func before() async throws {
        weak var watched: Owner?
        func stage() -> ResponseFuture<Int> {
            let owner = Owner()
            watched = owner
            return ResponseFuture<Owner> { $0.succeed(with: owner) }.then { _ in 1 }.join { ResponseFuture(result: 2) }
                .then { $0 + $1 }
        }
        let future = stage()
        #expect(try await future.value == 3)
        await until { watched == nil }
        #expect(future.status == .success)
    }

    @Test("A sent future that is let go goes on, and its callbacks come")
    func letGo() async {
        let (gate, ended) = (Gate(), Gate())
        weak var watched: ResponseFuture<Int>?
        watched = Self.gated(gate).completion { ended.open() }.send()
        gate.open()
        await ended.wait()
        await until { watched == nil }
    }

    /// The ways in which a future can run until a gate opens.
    enum Running: CaseIterable {
        case operation, then, replace, replaced, join, joined, parallelJoin, children, timeout, fulfilled, fulfilledWith
        case dispatched

        fileprivate func future(_ gate: Gate) -> ResponseFuture<Int> {
            let one = ResponseFuture(result: 1)
            switch self {
            case .operation: return FutureLifetimeTests.gated(gate)
            case .then: return FutureLifetimeTests.gated(gate).then { $0 }
            case .replace: return FutureLifetimeTests.gated(gate).replace { ResponseFuture(result: $0) }
            case .replaced: return one.replace { _ in FutureLifetimeTests.gated(gate) }
            case .join: return FutureLifetimeTests.gated(gate).join { _ in one }.then { $0 + $1 }
            case .joined: return one.join { _ in FutureLifetimeTests.gated(gate) }.then { $0 + $1 }
            case .parallelJoin: return one.join { FutureLifetimeTests.gated(gate) }.then { $0 + $1 }
            case .children: return ResponseFuture(childFutures: [FutureLifetimeTests.gated(gate), one]).then { $0[0] }
            case .timeout: return FutureLifetimeTests.gated(gate).timeout(.seconds(1000))
            case .fulfilled: return ResponseFuture<Int> { FutureLifetimeTests.gated(gate).fulfill($0) }
            case .fulfilledWith: return ResponseFuture<Int> { $0.fulfill(with: FutureLifetimeTests.gated(gate)) }
            case .dispatched:
                let dispatcher = ClosureDispatcher { _ in
                    await gate.wait()
                    if Task.isCancelled { throw CancellationError() }
                    return .text("1")
                }
                return dispatcher.future(from: .get("/posts")).then { _ in 1 }
            }
        }
    }

    @Test(
        "a weak reference to a running future cancels it, and is nil after the end", .rule("U13"),
        arguments: Running.allCases)
    func weakReference(_ running: Running) async throws {
        let (gate, ended) = (Gate(), Gate())
        weak var watched: ResponseFuture<Int>?
        watched = running.future(gate).completion { ended.open() }.send()
        #expect(try #require(watched).status == .started)
        watched?.cancel()
        await ended.wait()
        await until { watched == nil }
    }

    @Test("a running future is there until its completion has been called", .rule("U13"), arguments: Running.allCases)
    func isRetainedUntilCompletion(_ running: Running) async {
        let (gate, ended) = (Gate(), Gate())
        let found = Recorder<Bool>()
        let reference = WeakReference()
        reference.set(
            running.future(gate).completion {
                found.append(reference.future != nil)
                ended.open()
            }.send())
        gate.open()
        await ended.wait()
        #expect(found.all == [true])
        await until { reference.future == nil }
    }

    @Test("a running future that only a stage after it retains is there for a weak reference", .rule("U13"))
    func weakSource() async throws {
        let (gate, ended) = (Gate(), Gate())
        weak var watched: ResponseFuture<Int>?
        func stage() -> ResponseFuture<String> {
            let source = Self.gated(gate)
            watched = source
            return source.then { String($0) }
        }
        stage().cancellation { ended.open() }.send()
        #expect(watched != nil)
        watched?.cancel()
        await ended.wait()
        await until { watched == nil }
    }

    @Test("a future with an action of one's own is there as long as the action retains it", .rule("U13"))
    func weakAction() async {
        let (gate, ended) = (Gate(), Gate())
        weak var watched: ResponseFuture<Int>?
        watched = ResponseFuture<Int> { future in
            Task {
                await gate.wait()
                future.succeed(with: 1)
            }
        }.completion { ended.open() }.send()
        #expect(watched?.status == .started)
        gate.open()
        await ended.wait()
        await until { watched == nil }
    }

    @Test("a weak reference to a running promise cancels it, and is nil after the end", .rule("U13"))
    func weakPromise() async {
        let (gate, ended) = (Gate(), Gate())
        let dispatcher = ClosureDispatcher { _ in
            await gate.wait()
            throw CancellationError()
        }
        weak var watched: Promise<Int, Int>?
        watched = dispatcher.promise(from: BasicRequest(method: .get, path: "/posts")).then { _ in 1 }.thenFailure {
            _ in 2
        }
        .completion { ended.open() }.send()
        #expect(watched?.status == .started)
        watched?.cancel()
        await ended.wait()
        await until { watched == nil }
    }

    @Test("An owner that holds its future, and is held by it weakly, is freed when it is let go")
    func weakOwner() async throws {
        let gate = Gate()
        var owner: Owner? = Owner()
        weak let watched = owner
        do {
            let owner = try #require(owner)
            let future = Self.gated(gate).success { [weak owner] _ in owner?.touch() }
                .completion { [weak owner] in owner?.future.withLock { $0 = nil } }
            owner.future.withLock { $0 = future }
            future.send()
        }
        owner = nil
        #expect(watched == nil)
        gate.open()
    }

    @Test("An owner that is held by its future's closures alone is freed after the end")
    func strongOwner() async throws {
        let (gate, ended) = (Gate(), Gate())
        var owner: Owner? = Owner()
        weak let watched = owner
        do {
            let owner = try #require(owner)
            let future = Self.gated(gate).success { _ in owner.touch() }.completion { ended.open() }
            owner.future.withLock { $0 = future }
            future.send()
        }
        owner = nil
        #expect(watched != nil)
        gate.open()
        await ended.wait()
        await until { watched == nil }
    }

    @Test("a dispatcher that only its future knows answers", .rule("PiuPiu P1"))
    func localDispatcher() async throws {
        func posts() -> ResponseFuture<String> {
            let dispatcher = ClosureDispatcher("posts")
            return dispatcher.future(from: BasicRequest(method: .get, path: "/posts"))
                .then { try $0.decodeString() }
        }
        #expect(try await posts().value == "posts")
    }

    @Test("a network dispatcher that only its future knows answers, and goes with it", .rule("PiuPiu P1"))
    func localNetworkDispatcher() async throws {
        let server = StubServer()
        weak var watched: NetworkDispatcher?
        func posts() -> ResponseFuture<String> {
            let dispatcher = NetworkDispatcher(serverProvider: server, transport: StubTransport { _ in .ok("posts") })
            watched = dispatcher
            return dispatcher.future(from: BasicRequest(method: .get, path: "/posts")).then { try $0.decodeString() }
        }
        #expect(try await posts().value == "posts")
        await until { watched == nil }
    }

    @Test("a request without a provider ends with an error", .rule("PiuPiu N9"))
    func missingProvider() async {
        let dispatcher = NetworkDispatcher(serverProvider: StubServer(), transport: StubTransport { _ in .ok() })
        await #expect {
            _ = try await dispatcher.future(from: BasicRequest(method: .get, path: "/posts")).value
        } throws: { error in
            guard case RequestError.missingServerProvider = error else { return false }
            return true
        }
    }

    @Test("A publisher's subscription is let go when it has ended and when it is cancelled", arguments: [true, false])
    func publisher(isCancelled: Bool) async throws {
        let gate = Gate()
        var owner: Owner? = Owner()
        weak let watched = owner
        let ended = Gate()
        let future = Self.gated(gate)
        do {
            let owner = try #require(owner)
            let subscription = future.publisher.sink { _ in
                ended.open()
            } receiveValue: { _ in
                owner.touch()
            }
            if isCancelled {
                subscription.cancel()
            } else {
                gate.open()
                await ended.wait()
            }
        }
        owner = nil
        await until { watched == nil }
        gate.open()
    }
}
