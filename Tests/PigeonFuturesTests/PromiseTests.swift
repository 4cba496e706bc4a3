import Foundation
import PigeonFutures
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A promise")
struct PromiseTests {
    private let told = Recorder<String>()
    private let request = BasicRequest(method: .get, path: "/posts")

    private func observed<T, E>(_ promise: Promise<T, E>) -> Promise<T, E> {
        let told = told
        return promise.success { told.append("value \($0)") }.failure { told.append("failure \($0)") }
            .error { told.append("error \($0)") }.cancellation { told.append("cancellation") }
            .completion { [weak promise] in told.append("completion, \(promise?.status ?? .created)") }
    }

    private func finish<T, E>(_ promise: Promise<T, E>) async {
        let ended = Gate()
        promise.completion { ended.open() }.send()
        await ended.wait()
    }

    @Test("ends with a value, a failure, an error or a cancellation, and is told of one")
    func ends() async {
        let ends: [@Sendable (Promise<Int, String>) throws -> Void] = [
            { $0.succeed(with: 1) }, { $0.fail(with: "no") }, { $0.catch(Failure(name: "caught")) },
            { _ in throw Failure(name: "thrown") }, { $0.cancel() },
        ]
        for end in ends { await finish(observed(Promise<Int, String> { try end($0) })) }
        #expect(
            told.all == [
                "value 1", "completion, success", "failure no", "completion, failure",
                #"error Failure(name: "caught")"#, "completion, error",
                #"error Failure(name: "thrown")"#, "completion, error", "cancellation", "completion, cancelled",
            ])
    }

    @Test("starts once and ends once", .rule("PiuPiu P3"))
    func once() async {
        let runs = Recorder<Int>()
        let promise = observed(
            Promise<Int, String> { promise in
                runs.append(1)
                promise.fail(with: "no")
                promise.succeed(with: 1)
                promise.catch(Failure())
            })
        #expect(promise.status == .created)
        promise.start()
        await finish(promise)
        promise.cancel()
        #expect(runs.all == [1])
        #expect(told.all == ["failure no", "completion, failure"])
    }

    @Test("has what its handlers throw as its error")
    func thrown() async {
        await finish(observed(Promise<Int, String> { $0.succeed(with: 1) }).success { _ in throw Failure() })
        await finish(observed(Promise<Int, String> { $0.fail(with: "no") }).failure { _ in throw Failure() })
        #expect(
            told.all == [
                "value 1", #"error Failure(name: "failure")"#, "completion, error",
                "failure no", #"error Failure(name: "failure")"#, "completion, error",
            ])
    }

    @Test("passes value and failure through then and thenFailure, each by its own closure")
    func stages() async {
        for isSuccess in [true, false] {
            let promise = Promise<Int, String> { isSuccess ? $0.succeed(with: 1) : $0.fail(with: "no") }
            await finish(observed(promise.then { $0 + 1 }.thenFailure { $0.count }))
        }
        await finish(observed(Promise<Int, String> { $0.succeed(with: 1) }.then { _ -> Int in throw Failure() }))
        #expect(
            told.all == [
                "value 2", "completion, success", "failure 2", "completion, failure",
                #"error Failure(name: "failure")"#, "completion, error",
            ])
    }

    @Test("becomes a future, whose closure recovers from a failure or throws")
    func future() async throws {
        let failing = Promise<Int, String> { $0.fail(with: "no") }
        #expect(try await failing.future { $0.count }.value == 2)
        await #expect(throws: Failure(name: "no")) { try await failing.future { throw Failure(name: $0) }.value }
        #expect(try await Promise<Int, String> { $0.succeed(with: 7) }.future { _ in 0 }.value == 7)
    }

    @Test("fulfills another, and is fulfilled by one")
    func fulfil() async {
        let failing = Promise<Int, String> { $0.fail(with: "no") }
        await finish(observed(Promise<Int, String> { failing.fulfill($0) }))
        await finish(observed(Promise<Int, String> { $0.fulfill(with: failing) }))
        #expect(told.all == ["failure no", "completion, failure", "failure no", "completion, failure"])
    }

    @Test("that nobody can end any more fails", .rule("PiuPiu P5"))
    func abandoned() async {
        let (told, ended) = (told, Gate())
        Promise<Int, String> { _ in }.error { told.append("\($0 as? FutureError == .abandoned)") }
            .completion { ended.open() }.send()
        await ended.wait()
        #expect(told.all == ["true"])
    }

    @Test("cancelled, cancels the request", .rule("PiuPiu N6"))
    func cancelled() async {
        let (started, stopped) = (Gate(), Gate())
        let dispatcher = ClosureDispatcher(started: started, stopped: stopped)
        let promise = dispatcher.promise(from: request).then { _ in 1 }.thenFailure { _ in 2 }.start()
        await started.wait()
        promise.cancel()
        await stopped.wait()
        await finish(promise)
        #expect(promise.status == .cancelled)
    }

    @Test(
        "of a request has statuses of 400 and more as failures",
        arguments: [100, 200, 204, 302, 399, 400, 404, 500, 600])
    func statuses(_ status: Int) async {
        let told = told
        await finish(
            ClosureDispatcher("body", status: status).promise(from: request)
                .success {
                    told.append("value \($0.statusCode.rawValue) \(String(decoding: $0.data ?? Data(), as: UTF8.self))")
                }
                .failure {
                    told.append(
                        "failure \($0.statusCode.rawValue) \(String(decoding: $0.data ?? Data(), as: UTF8.self))")
                })
        #expect(told.all == ["\(status < 400 ? "value" : "failure") \(status) body"])
    }

    @Test("of a request has no answer, and no request, as errors")
    func errors() async {
        let told = told
        let dispatcher = ClosureDispatcher { _ in throw HTTPError.transport(URLError(.notConnectedToInternet)) }
        await finish(
            dispatcher.promise(from: request).failure { _ in told.append("failure") }
                .error { told.append("\(($0 as? URLError)?.code == .notConnectedToInternet)") })
        await finish(dispatcher.promise(from: { throw Failure() }).error { told.append("\($0)") })
        #expect(told.all == ["true", #"Failure(name: "failure")"#])
        #expect(dispatcher.asked.all == ["GET /posts"])
    }
}
