import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The life of a request")
struct RequestLifeTests {
    let bench = RESTBench()

    @Test("not started, in progress, completed", .rule("Siesta 10"))
    func states() async {
        let operation = ManualOperation()
        let request = Resource.prepareRequest(using: operation)
        #expect(request.state == .notStarted)
        #expect(!request.isCompleted)
        request.start()
        request.start()
        #expect(request.state == .inProgress)
        #expect(operation.calls == ["start"])
        operation.answer("Ann")
        #expect(request.state == .completed)
        operation.answer("Bob")
        #expect(await request.response().response.content(String.self) == "Ann")
    }

    @Test("hooks are called once each, in the order in which they were attached, if they fit", .rule("Siesta 10"))
    func hooks() async {
        let operation = ManualOperation()
        let heard = Recorder<String>()
        let request = Resource.prepareRequest(using: operation)
            .onCompletion { _ in heard.append("completion") }
            .onSuccess { heard.append("success \($0.text)") }
            .onNewData { heard.append("new \($0.text)") }
            .onNotModified { heard.append("not modified") }
            .onFailure { _ in heard.append("failure") }
            .start()
        #expect(request.state == .inProgress)
        operation.answer("Ann")
        await heard.wait(for: 3)
        #expect(heard.all == ["completion", "success Ann", "new Ann"])
    }

    @Test(
        "hooks that are written on the main actor are called after the call that ends the request", .rule("Siesta 10"))
    @MainActor
    func mainActorHooks() async {
        var heard: [String] = []
        let request = Resource.failedRequest(returning: RequestError(userMessage: "no", cause: nil))
        request.onFailure { heard.append($0.userMessage) }
        request.start()
        #expect(request.state == .completed, "before its hooks are called")
        #expect(heard.isEmpty)
        request.onCompletion { _ in heard.append("late") }
        #expect(heard.isEmpty)
        _ = await request.response()
        await until { heard.count >= 2 }
        #expect(heard == ["no", "late"])
    }

    @Test("a hook that is attached late is called all the same, with progress too", .rule("Siesta 10"))
    func lateHook() async {
        let request = Resource.hardWiredRequest(returning: .success(.body("Ann"))).onProgress { _ in }.start()
        _ = await request.response()
        let heard = Recorder<String>()
        request.onSuccess { _ in heard.append("late") }.onProgress { heard.append("\($0)") }
        await heard.wait(for: 2)
        #expect(Set(heard.all) == ["late", "1.0"])
    }

    @Test("hooks find the resource as the response left it, after observers", .rule("Siesta 11"))
    func hooksAfterObservers() async {
        let resource = bench.resource()
        let heard = bench.record(resource)
        let request = resource.load()
        let isIdle = Recorder<Bool>()
        request.onCompletion { _ in
            isIdle.append(!resource.isLoading && resource.allRequests.isEmpty)
            heard.append("hook \(resource.body)")
        }
        bench.provider.last?.answer("Ann")
        #expect(resource.allRequests.isEmpty, "a request that is over is no longer among them")
        bench.lab.settle()
        await isIdle.wait(for: 1)
        #expect(isIdle.all == [true])
        await heard.wait(for: 4)
        #expect(heard.all.suffix(2) == ["newData(network) idle Ann", "hook Ann"])
    }

    @Test("cancelling ends it at once, tells the transport, and ignores what comes later", .rule("Siesta 12"))
    func cancel() async {
        let resource = bench.resource()
        let request = resource.request(.get)
        request.cancel()
        #expect(request.state == .completed)
        #expect(bench.asked[0].isCancelled)
        bench.answer("Ann")
        let info = await request.response()
        #expect(info.response.cause(RequestError.Cause.RequestCancelled.self) != nil)
        #expect(resource.allRequests.isEmpty)
    }

    @Test("cancelling one that is over does nothing; one that never started never starts", .rule("Siesta 12"))
    func cancelBeforeAndAfter() async {
        let operation = ManualOperation()
        let over = Resource.prepareRequest(using: operation, callbacks: .immediate).start()
        operation.answer("Ann")
        over.cancel()
        #expect(await over.response().response.content(String.self) == "Ann")
        let unstarted = Resource.prepareRequest(using: operation)
        unstarted.cancel()
        unstarted.start()
        #expect(await unstarted.isCancelled())
        #expect(operation.calls == ["start"])
    }

    @Test("a delegate that is cancelled while it begins is told to end after it began")
    func cancelWhileBeginning() {
        let operation = ManualOperation()
        let request = Resource.prepareRequest(using: operation)
        operation.whenStarting { request.cancel() }
        request.start()
        #expect(operation.calls == ["start", "started", "cancel"])
        #expect(request.state == .completed)
    }

    @Test(
        "a repeated request is new, reads the configuration again, and has neither hooks nor decorators",
        .rule("Siesta 12"))
    func repeated() async {
        let version = Locked(1)
        let decorations = Locked(0)
        bench.service.configure("**") {
            $0.headers["Version"] = "\(version.withLock { $0 })"
            $0.decorateRequests { _, request in
                decorations.withLock { $0 += 1 }
                return request
            }
        }
        let hooks = Recorder<String>()
        let count = Locked(0)
        let first = bench.resource().request(.post) { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            request.setValue("\(number)", forHTTPHeaderField: "Number")
        }
        first.onCompletion { _ in hooks.append("first") }
        version.withLock { $0 = 2 }
        bench.service.invalidateConfiguration()
        let second = first.repeated()
        #expect(second !== first)
        #expect(second.state == .notStarted)
        second.start()
        #expect(bench.asked.map { $0.header("Version") } == ["1", "2"])
        #expect(bench.asked.map { $0.header("Number") } == ["1", "2"])
        #expect(decorations.withLock { $0 } == 1)
        bench.answer("Ann", to: 1)
        _ = await second.response()
        #expect(hooks.all.isEmpty)
    }

    @Test("repeating a load leaves the resource as it is", .rule("Siesta 12"))
    func repeatedLoad() async {
        let resource = bench.resource()
        let request = resource.load()
        bench.answer("Ann")
        let again = request.repeated().start()
        bench.answer("Bob")
        _ = await again.response()
        #expect(resource.body == "Ann")
    }

    @Test("an operation that answers at once has no progress below 1, and leaves no timer", .rule("Siesta S15"))
    func synchronous() async {
        let clock = ManualClock()
        let client = QueryClient(environment: QueryEnvironment(clock: clock))
        let service = Service(baseURL: "https://api.test", networking: bench.provider, client: client)
        service.configure("**") {
            $0.decorateRequests { _, _ in Resource.hardWiredRequest(returning: .success(.body("Ann"))) }
        }
        let heard = Recorder<Double>()
        let request = service.resource("/a").request(.get).onProgress { heard.append($0) }
        await heard.wait(for: 1)
        #expect(request.progress == 1)
        #expect(clock.alarmCount == 0)
        #expect(heard.all == [1])
    }

    @Test("waiting for a request in a task that is cancelled cancels the request")
    func cancelledTask() async {
        let request = bench.resource().request(.get)
        let task = Task { await request.response() }
        task.cancel()
        #expect(await task.value.response.isCancellation)
        #expect(bench.asked[0].isCancelled)
    }
}
