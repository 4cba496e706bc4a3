import PigeonFutures
import TestSupport
import Testing

@Suite("Cancelling a future")
struct FutureCancellingTests {
    private let told = Recorder<String>()

    /// A future whose task runs until it is cancelled, and tells so.
    private func endless() -> (future: ResponseFuture<Int>, started: Gate, stopped: Gate) {
        let (started, stopped) = (Gate(), Gate())
        let future = ResponseFuture<Int>(operation: { _ in
            started.open()
            await Gate().wait()
            if Task.isCancelled { stopped.open() }
            throw CancellationError()
        })
        return (future, started, stopped)
    }

    enum Kind: CaseIterable {
        case itself, then, map, replace, inReplace, join, inJoin, parallelJoin, inParallelJoin, inSafeJoin, safeResult
        case thenResult, many, timeout, fulfill, fulfillWith

        func stage(after future: ResponseFuture<Int>) -> ResponseFuture<Int> {
            let one = ResponseFuture(result: 1)
            switch self {
            case .itself: return future
            case .then: return future.then { $0 }
            case .map: return future.map { $0 }
            case .replace: return future.replace { ResponseFuture(result: $0) }
            case .inReplace: return one.replace { _ in future }
            case .join: return future.join { _ in one }.then { $0 + $1 }
            case .inJoin: return one.join { _ in future }.then { $0 + $1 }
            case .parallelJoin: return future.join { one }.then { $0 + $1 }
            case .inParallelJoin: return one.join { future }.then { $0 + $1 }
            case .inSafeJoin: return one.safeSeriesJoin { _ in future }.then { one, _ in one }
            case .safeResult: return future.safeResult().then { try $0.get() }
            case .thenResult: return future.thenResult { try $0.get() }
            case .many: return ResponseFuture(childFutures: [future, one]).then { $0[0] }
            case .timeout: return future.timeout(.seconds(1000))
            case .fulfill: return ResponseFuture<Int> { future.fulfill($0) }
            case .fulfillWith: return ResponseFuture<Int> { $0.fulfill(with: future) }
            }
        }
    }

    @Test("reaches the running task through every stage", .rule("D3", "PiuPiu N6"), arguments: Kind.allCases)
    func upstream(_ kind: Kind) async {
        let (future, started, stopped) = endless()
        let told = told
        let last = kind.stage(after: future).success { _ in told.append("value") }.error { told.append("\($0)") }
            .cancellation { told.append("cancellation") }.completion { told.append("completion") }.start()
        await started.wait()
        last.cancel()
        await stopped.wait()
        await last.finished()
        #expect(told.all == ["cancellation", "completion"])
        #expect(future.status == .cancelled)
    }

    @Test("goes down through every stage to its completion", .rule("PiuPiu N3"), arguments: Kind.allCases)
    func downstream(_ kind: Kind) async {
        let (future, started, _) = endless()
        let told = told
        let last = kind.stage(after: future).success { _ in told.append("value") }.error { told.append("\($0)") }
            .cancellation { told.append("cancellation") }.completion { told.append("completion") }.start()
        await started.wait()
        future.cancel()
        await last.finished()
        #expect(told.all == ["cancellation", "completion"])
        #expect(last.status == .cancelled)
    }

    @Test("a task that awaits a cancelled future goes on, with an error", .rule("PiuPiu N4"))
    func awaited() async {
        let (future, started, _) = endless()
        let task = Task { try await future.fetchResult() }
        await started.wait()
        future.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("cancelling a task that awaits a future cancels the future", .rule("D3", "PiuPiu N4"))
    func taskCancelled() async {
        let (future, started, stopped) = endless()
        let last = future.then { $0 }.replace { ResponseFuture(result: $0) }
        let task = Task { try await last.value }
        await started.wait()
        task.cancel()
        await stopped.wait()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(future.status == .cancelled && last.status == .cancelled)
    }

    @Test("Before the start, it keeps the work from being begun")
    func beforeStart() async {
        let future = ResponseFuture<Int> { _ in Issue.record("started") }
        future.cancel()
        future.start()
        await future.finished()
        #expect(future.status == .cancelled)
    }

    @Test("A future that is ended from outside stops what it waited for")
    func endedFromOutside() async throws {
        let (future, started, stopped) = endless()
        let last = future.then { $0 }.start()
        await started.wait()
        last.succeed(with: 7)
        await stopped.wait()
        #expect(try await last.value == 7)
    }

    @Test("nil from replace, a join or a request's closure cancels")
    func nothing() async {
        let future = ResponseFuture(result: 1)
        let dispatcher = ClosureDispatcher("")
        let none: [ResponseFuture<Void>] = [
            future.replace { _ in nil as ResponseFuture<Int>? }.then { _ in },
            future.join { _ in nil as ResponseFuture<Int>? }.then { _ in },
            future.safeSeriesJoin { _ in nil as ResponseFuture<Int>? }.then { _ in },
            dispatcher.future(from: { nil }).then { _ in },
            ResponseFuture<[Int]> { nil }.then { _ in },
        ]
        for future in none {
            future.success { told.append("value") }.error { told.append("\($0)") }
                .cancellation { [told] in told.append("cancellation") }
                .completion { [told] in told.append("completion") }
            await future.finished()
        }
        #expect(told.all == Array(repeating: ["cancellation", "completion"], count: 5).flatMap(\.self))
        #expect(dispatcher.asked.all == [])
    }
}
