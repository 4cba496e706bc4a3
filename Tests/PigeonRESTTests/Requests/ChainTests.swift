import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Chains of requests")
struct ChainTests {
    let bench = RESTBench()

    @Test("a chain starts its request, and ends as that does, or with another response", .rule("Siesta 13"))
    func uses() async {
        let (one, two) = (ManualOperation(), ManualOperation())
        let same = Resource.prepareRequest(using: one, callbacks: .immediate).chained { _ in .useThisResponse }
        let other = Resource.prepareRequest(using: two, callbacks: .immediate).chained { info in
            .useResponse(ResponseInfo(response: .success(.body("\(info.response.content(String.self) ?? "")!", "a/b"))))
        }
        #expect(one.calls.isEmpty)
        same.start()
        other.start()
        #expect(one.calls == ["start"])
        one.answer("Ann")
        two.answer("Bob")
        #expect(await same.response().response.content(String.self) == "Ann")
        #expect(await other.response().response.content(Data.self) == Data("Bob!".utf8))
    }

    @Test("a chain passes to another request, which it starts", .rule("Siesta 13"), arguments: [true, false])
    func passes(isFailure: Bool) async {
        let (one, two) = (ManualOperation(), ManualOperation())
        let next = Resource.prepareRequest(using: two, callbacks: .immediate)
        let chain = Resource.prepareRequest(using: one, callbacks: .immediate).chained { _ in .passTo(next) }.start()
        #expect(two.calls.isEmpty)
        if isFailure { one.end(with: .failure(RequestError(userMessage: "", cause: nil))) } else { one.answer("Ann") }
        await two.wait(for: 1)
        #expect(two.calls == ["start"])
        #expect(chain.state == .inProgress)
        two.answer("Bob")
        #expect(await chain.response().response.content(String.self) == "Bob")
    }

    @Test("cancelling a chain ends what it waits for, and its closure is not called", .rule("Siesta 13"))
    func cancelBefore() async {
        let operation = ManualOperation()
        let called = Recorder<Bool>()
        let chain = Resource.prepareRequest(using: operation, callbacks: .immediate).chained { _ in
            called.append(true)
            return .useThisResponse
        }.start()
        chain.cancel()
        #expect(operation.calls == ["start", "cancel"])
        operation.answer("Ann")
        #expect(await chain.isCancelled())
        #expect(called.all.isEmpty)
    }

    @Test("cancelling a chain ends the request that it passed to", .rule("Siesta S13"))
    func cancelAfter() async {
        let (one, two) = (ManualOperation(), ManualOperation())
        let next = Resource.prepareRequest(using: two, callbacks: .immediate)
        let chain = Resource.prepareRequest(using: one, callbacks: .immediate).chained { _ in .passTo(next) }.start()
        one.answer("Ann")
        await two.wait(for: 1)
        chain.cancel()
        #expect(two.calls == ["start", "cancel"])
        #expect(await next.isCancelled())
        #expect(await chain.isCancelled())
    }

    @Test("cancelling the wrapped request alone tells the chain's closure", .rule("Siesta 13"))
    func cancelWrapped() async {
        let wrapped = Resource.prepareRequest(using: ManualOperation(), callbacks: .immediate)
        let chain = wrapped.chained { info in
            guard info.response.isCancellation else { return .useThisResponse }
            return .useResponse(ResponseInfo(response: .success(.body("instead"))))
        }.start()
        wrapped.cancel()
        #expect(await chain.response().response.content(Data.self) == Data("instead".utf8))
    }

    @Test("repeating a chain repeats its request, and calls the closure again", .rule("Siesta 13"))
    func repeated() async {
        let operation = ManualOperation()
        let called = Locked(0)
        let chain = Resource.prepareRequest(using: operation, callbacks: .immediate).chained { _ in
            called.withLock { $0 += 1 }
            return .useThisResponse
        }.start()
        operation.answer("Ann")
        let again = chain.repeated()
        #expect(again.state == .notStarted)
        again.start()
        operation.answer("Bob")
        #expect(await again.response().response.content(String.self) == "Bob")
        #expect(called.withLock { $0 } == 2)
        #expect(operation.calls == ["start", "start"])
    }

    @Test("a chain has progress: the wrapped request is its first half (mends #298)")
    func progress() async {
        let (one, two) = (ManualOperation(), ManualOperation())
        let next = Resource.prepareRequest(using: two, callbacks: .immediate)
        let chain = Resource.prepareRequest(using: one, callbacks: .immediate).chained { _ in .passTo(next) }.start()
        one.progress = 0.5
        #expect(chain.progress == 0.25)
        one.answer("Ann")
        await two.wait(for: 1)
        #expect(chain.progress == 0.5)
        two.progress = 0.5
        #expect(chain.progress == 0.75)
        two.answer("Bob")
        _ = await chain.response()
        #expect(chain.progress == 1)
    }

    @Test("a chain after a load finds the resource as the load left it")
    func afterLoad() async {
        let resource = bench.resource()
        let found = Recorder<String>()
        let chain = resource.load().chained { _ in
            found.append(resource.body)
            return .useThisResponse
        }.start()
        bench.answer("Ann")
        _ = await chain.response()
        #expect(found.all == ["Ann"])
    }

    @Test(
        "a chain's closure is called after the hooks that were attached before it, so that it finds what they keep",
        .rule("U1"))
    func afterHooks() async {
        let (login, again) = (ManualOperation(), ManualOperation())
        let heard = Recorder<String>()
        let next = Resource.prepareRequest(using: again)
        let chain = Resource.prepareRequest(using: login).start()
            .onSuccess { heard.append("token \($0.typedContent(ifNone: ""))") }
            .chained { _ in
                heard.append("chained")
                return .passTo(next)
            }
        login.answer("new")
        await again.wait(for: 1)
        #expect(heard.all == ["token new", "chained"])
        chain.cancel()
    }

    @Test("a chain of a request that is under way is started: its hooks are called", .rule("U1"))
    func underWay() async {
        let operation = ManualOperation()
        let request = Resource.prepareRequest(using: operation, callbacks: .immediate).start()
        let heard = Recorder<String>()
        let chain = request.chained { _ in
            heard.append("chained")
            return .useThisResponse
        }
        chain.onSuccess { heard.append($0.typedContent(ifNone: "")) }
        #expect(chain.state == .inProgress)
        operation.answer("Ann")
        await heard.wait(for: 2)
        #expect(heard.all == ["chained", "Ann"])
    }

    @Test("cancelling a chain of a request that is under way cancels that", .rule("U1"))
    func cancelUnderWay() async {
        let operation = ManualOperation()
        let request = Resource.prepareRequest(using: operation, callbacks: .immediate).start()
        request.chained { _ in .useThisResponse }.cancel()
        #expect(operation.calls == ["start", "cancel"])
        #expect(await request.isCancelled())
    }

    @Test("a chain of a request that is over calls its closure all the same", .rule("U1"))
    func over() async {
        let operation = ManualOperation()
        let request = Resource.prepareRequest(using: operation, callbacks: .immediate).start()
        operation.answer("Ann")
        let chain = request.chained { _ in .useResponse(ResponseInfo(response: .success(.body("instead")))) }
        let heard = Recorder<Data>()
        chain.onSuccess { heard.append($0.typedContent(ifNone: Data())) }
        await heard.wait(for: 1)
        #expect(heard.all == [Data("instead".utf8)])
    }

    @Test("a chain of a request that nobody started waits for one to start it", .rule("U1"))
    func notStarted() {
        let operation = ManualOperation()
        let chain = Resource.prepareRequest(using: operation).chained { _ in .useThisResponse }
        #expect(chain.state == .notStarted)
        #expect(operation.calls.isEmpty)
    }

    @Test("a chain of a load that waits for the network is under way as the load is", .rule("U1"))
    func waitingLoad() async {
        bench.service.configure("**") { $0.query { $0.networkMode = .online } }
        bench.lab.setOnline(false)
        let heard = Recorder<String>()
        let load = bench.resource().load()
        #expect(load.state == .inProgress)
        load.chained { _ in .useThisResponse }.onSuccess {
            heard.append(String(decoding: $0.typedContent(ifNone: Data()), as: UTF8.self))
        }
        #expect(bench.asked.isEmpty)
        bench.lab.setOnline(true)
        bench.answer("Ann")
        await heard.wait(for: 1)
        #expect(heard.all == ["Ann"])
    }

    @Test("a refused load gets a token and goes again, and the resource shows what comes of that", .rule("R7"))
    func tokenRefresh() async {
        let token = Locked("old")
        let login = bench.resource("/login")
        bench.service.configure("/users/*") { [unowned bench] in
            $0.headers["Authorization"] = token.withLock { $0 }
            $0.decorateRequests { _, request in
                request.chained { info in
                    guard info.response.error?.httpStatusCode == 401 else { return .useThisResponse }
                    let refresh = login.request(.post).chained { info in
                        guard case .success(let entity) = info.response else { return .useThisResponse }
                        let new: Data = entity.typedContent(ifNone: Data())
                        token.withLock { $0 = String(decoding: new, as: UTF8.self) }
                        bench.service.invalidateConfiguration()
                        return .passTo(request.repeated())
                    }
                    return .passTo(refresh)
                }
            }
        }
        let resource = bench.resource("/users/1")
        let heard = bench.record(resource)
        let load = resource.load()
        bench.answer(status: 401)
        await bench.until { bench.asked.count == 2 }
        bench.answer("new")
        await bench.until { bench.asked.count == 3 }
        #expect(load.state == .inProgress)
        bench.answer("Ann")
        await bench.until { !resource.isLoading }
        #expect(bench.asked.map { $0.header("Authorization") } == ["old", nil, "new"])
        #expect(resource.body == "Ann")
        #expect(heard.all == ["observerAdded idle ", "requested loading ", "newData(network) idle Ann"])
    }
}
