import Foundation
import PigeonFutures
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A future")
struct FutureTests {
    private let told = Recorder<String>()

    /// A future with a handler of each kind, whose action does nothing.
    private func observed(_ action: @escaping @Sendable (ResponseFuture<Int>) throws -> Void = { _ in })
        -> ResponseFuture<Int>
    {
        let told = told
        let future = ResponseFuture<Int>(action: action)
        return future.completion { [weak future] in told.append("completion, \(future?.status ?? .created)") }
            .success { [weak future] in told.append("value \($0), \(future?.status ?? .created)") }
            .error { [weak future] in told.append("\($0), \(future?.status ?? .created)") }
            .cancellation { [weak future] in told.append("cancellation, \(future?.status ?? .created)") }
    }

    @Test("does nothing before it is started")
    func created() {
        let future = observed { _ in Issue.record("started") }
        #expect(future.status == .created)
        #expect(told.all == [])
    }

    @Test("tells the value, has succeeded, and tells its completion")
    func success() async {
        let future = observed { $0.succeed(with: 3) }
        await future.finished()
        #expect(told.all == ["value 3, started", "completion, success"])
        #expect(future.status == .success)
    }

    @Test("tells the error, has failed, and tells its completion")
    func failure() async {
        let future = observed { $0.fail(with: Failure(name: "no")) }
        await future.finished()
        #expect(told.all == [#"Failure(name: "no"), started"#, "completion, error"])
        #expect(future.status == .error)
    }

    @Test("tells of its cancellation, has been cancelled, and tells its completion", arguments: [true, false])
    func cancellation(isStarted: Bool) async {
        let future = observed()
        if isStarted { future.start() }
        future.cancel()
        await future.finished()
        #expect(told.all == ["cancellation, started", "completion, cancelled"])
        #expect(future.status == .cancelled)
    }

    @Test("fails with what its action throws, and with what a success handler throws")
    func thrown() async {
        await observed { _ in throw Failure(name: "action") }.finished()
        await observed { $0.succeed(with: 1) }.success { _ in throw Failure(name: "handler") }.finished()
        #expect(
            told.all == [
                #"Failure(name: "action"), started"#, "completion, error",
                "value 1, started", #"Failure(name: "handler"), started"#, "completion, error",
            ])
    }

    @Test("started twice works once; ended twice has ended as it did first", .rule("PiuPiu P3"))
    func once() async throws {
        let runs = Recorder<Int>()
        let future = observed { future in
            runs.append(1)
            future.succeed(with: 1)
            future.succeed(with: 2)
            future.fail(with: Failure())
            throw Failure(name: "late")
        }
        future.start().start().send()
        #expect(try await future.value == 1)
        future.cancel()
        future.start()
        await future.finished()
        #expect(runs.all == [1])
        #expect(told.all == ["value 1, started", "completion, success"])
    }

    @Test("all handlers are called, in their order, and stages take none of them away", .rule("PiuPiu P4"))
    func handlers() async throws {
        let future = ResponseFuture(result: 1)
        let told = told
        future.success { told.append("one \($0)") }.response { told.append("two \($0)") }
            .completion { told.append("end") }.completion { told.append("really") }
        let next = future.then { value in
            told.append("then")
            return value + 1
        }
        #expect(try await next.value == 2)
        #expect(told.all == ["one 1", "two 1", "end", "really", "then"])
    }

    @Test("cancelled and then ended tells its completion once, and stays cancelled", .rule("PiuPiu N5"))
    func cancelledThenEnded() async {
        let future = observed().start()
        future.cancel()
        future.succeed(with: 1)
        future.fail(with: Failure())
        future.cancel()
        await future.finished()
        #expect(told.all == ["cancellation, started", "completion, cancelled"])
        #expect(future.status == .cancelled)
    }

    @Test("started again after the end is still at its end", .rule("PiuPiu N7"))
    func startedAfterEnd() async throws {
        let future = ResponseFuture(result: 1)
        #expect(try await future.value == 1)
        #expect(future.start().status == .success)
        #expect(try await future.value == 1)
    }

    @Test("an action that lets go of its future fails it", .rule("PiuPiu P5"))
    func abandoned() async {
        let (ended, told) = (Gate(), told)
        ResponseFuture<Int> { _ in }.error { told.append("\($0 as? FutureError == .abandoned)") }
            .completion { ended.open() }.send()
        await ended.wait()
        #expect(told.all == ["true"])
    }

    @Test("a stage of a future that was let go fails with it", .rule("PiuPiu P5"))
    func abandonedStage() async {
        let stage = ResponseFuture<Int> { _ in }.then { $0 + 1 }
        await #expect(throws: FutureError.abandoned) { try await stage.value }
    }

    @Test("a stage, a join and a whole fail with an abandoned future that they made", .rule("PiuPiu P5"))
    func abandonedLater() async {
        let one = ResponseFuture(result: 1)
        let futures = [
            one.replace { _ in ResponseFuture<Int> { _ in } },
            one.join { _ in ResponseFuture<Int> { _ in } }.then { $0 + $1 },
            one.safeSeriesJoin { _ in ResponseFuture<Int> { _ in } }.then { try $1.get() },
            one.join { ResponseFuture<Int> { _ in } }.then { $0 + $1 },
            ResponseFuture(childFutures: [one, ResponseFuture<Int> { _ in }]).then { $0[0] },
            ResponseFuture<[Int]> { [ResponseFuture<Int> { _ in }] }.then { $0[0] },
            ResponseFuture<Int> { $0.fulfill(with: ResponseFuture<Int> { _ in }) },
            ResponseFuture<Int> { _ in }.timeout(.seconds(1000)),
        ]
        for future in futures {
            await #expect(throws: FutureError.abandoned) { try await future.value }
        }
    }

    @Test("is not let go as long as somebody can end it")
    func held() async throws {
        let holder = Locked<ResponseFuture<Int>?>(nil)
        let stage = ResponseFuture<Int> { future in holder.withLock { $0 = future } }.then { $0 + 1 }.start()
        #expect(stage.status == .started)
        holder.withLock { $0 }?.succeed(with: 1)
        #expect(try await stage.value == 2)
    }

    @Test(
        "is cancelled by errors that say so",
        arguments: [CancellationError(), URLError(.cancelled), HTTPError.cancelled] as [any Error])
    func cancellationErrors(_ error: any Error) async {
        await observed { $0.fail(with: error) }.finished()
        await observed { _ in throw error }.finished()
        await #expect(throws: CancellationError.self) {
            try await ResponseFuture<Int>(operation: { _ in throw error }).value
        }
        #expect(told.all.filter { $0 == "cancellation, started" }.count == 2 && told.all.count == 4)
    }

    @Test("tells of an operation's cancellation, whoever cancelled it", .rule("PiuPiu N3"))
    func operationCancelled() async {
        let told = told
        let future = ResponseFuture<Int>(operation: { _ in throw HTTPError.cancelled })
            .then { $0 }.safeResult().error { _ in told.append("error") }
            .cancellation { told.append("cancellation") }.completion { told.append("completion") }
        await future.finished()
        #expect(told.all == ["cancellation", "completion"])
    }

    @Test("of an operation tells the error of the side that failed, without its wrapping")
    func unwrapped() async {
        let future = ResponseFuture<Int>(operation: { _ in throw HTTPError.transport(URLError(.timedOut)) })
        await #expect(throws: URLError(.timedOut)) { try await future.value }
    }
}
